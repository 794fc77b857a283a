//! Plans on CUDA devices, on memory and streams of other libraries, which are given as addresses.

use crate::error::exception;
use crate::memory::ElementType;
use crate::plan::{Multiplied, multiplier, pipeline};
use crate::planners::detached;
use fourfold::{Bf16, Domain, Element, F16, Problem, Result, Storage};
use fourfold_gpu::{Device, GpuPlan, GpuPlanner};
use num_complex::Complex;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A device and its planner. Plans run only on clones of their planner's device.
type Planned = (Device, Arc<GpuPlanner>);

/// The planners of devices by number. They are never dropped, since the driver may end before.
static PLANNERS: LazyLock<Mutex<HashMap<usize, Planned>>> = LazyLock::new(Mutex::default);

fn planner(number: usize) -> Result<Planned> {
    let mut planners = PLANNERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(planned) = planners.get(&number) {
        return Ok(planned.clone());
    }
    let device = Device::cuda(number)?;
    let planned = (device.clone(), Arc::new(GpuPlanner::new(device)));
    planners.insert(number, planned.clone());
    Ok(planned)
}

/// A problem with its tables and kernels on a CUDA device.
pub(crate) struct Kernels {
    plan: GpuPlan,
    device: Device,
    /// Whether real kinds act on both parts of complex elements.
    both_parts: bool,
}

/// The addresses of an execution: those of the first bytes of arrays and scratch, and the stream's
/// handle.
#[derive(Clone, Copy)]
pub(crate) struct Addresses {
    pub(crate) input: usize,
    pub(crate) output: usize,
    pub(crate) stream: usize,
    pub(crate) scratch: usize,
}

fn pointer(address: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address)
}

impl Kernels {
    /// The plan of a problem for a device, for complex elements if `is_complex`. The input has
    /// `shape`, if there is one, and zeros for the rest.
    pub(crate) fn new(
        problem: &str,
        device: usize,
        is_complex: bool,
        multiplied: &Multiplied,
        shape: Option<&[usize]>,
    ) -> Result<Kernels> {
        let problem: Problem = problem.parse()?;
        let both_parts =
            is_complex && (problem.input_domain(), problem.output_domain()) == (Domain::Real, Domain::Real);
        let (device, planner) = planner(device)?;
        let plan = match shape {
            Some(shape) => planner.plan_padded(&problem, shape)?,
            None => planner.plan(pipeline(&problem, multiplied))?,
        };
        if both_parts {
            plan.both_parts()?;
        }
        Ok(Kernels { plan, device, both_parts })
    }

    /// The shapes of input and output.
    pub(crate) fn shapes(&self) -> [&[usize]; 2] {
        [&self.plan.input().shape, &self.plan.problem().output().shape]
    }

    /// The bytes of scratch.
    pub(crate) fn needs(&self) -> Result<usize> {
        Ok(if self.both_parts { self.plan.both_parts()?.scratch_bytes() } else { self.plan.scratch_bytes() })
    }

    /// Enqueues the plan on arrays of these element types.
    ///
    /// # Safety
    /// The addresses are those of such arrays and of a stream of the device, and the scratch has as
    /// many bytes as the plan needs.
    unsafe fn enqueue<I: Element, O: Element>(&self, at: Addresses) -> Result<()> {
        let (bytes, problem) = (self.needs()?, self.plan.problem());
        // SAFETY: the caller guarantees it.
        let device = unsafe { self.device.with_raw_queue(pointer(at.stream)) }?;
        // SAFETY: the caller guarantees it.
        let mut output = unsafe { device.array_from_raw::<O>(pointer(at.output), problem.output().len) }?;
        if at.input == at.output {
            if bytes == 0 {
                return self.plan.execute_on_in_place(&mut output);
            }
            // SAFETY: the caller guarantees it.
            let mut scratch = unsafe { device.scratch_from_raw(pointer(at.scratch), bytes) }?;
            return self.plan.execute_on_in_place_with(&mut output, &mut scratch);
        }
        // SAFETY: the caller guarantees it.
        let input = unsafe { device.array_from_raw::<I>(pointer(at.input), self.plan.input().len) }?;
        if bytes == 0 {
            return self.plan.execute_on(&input, &mut output);
        }
        // SAFETY: the caller guarantees it.
        let mut scratch = unsafe { device.scratch_from_raw(pointer(at.scratch), bytes) }?;
        self.plan.execute_on_with(&input, &mut output, &mut scratch)
    }

    /// The same, given the type of reals.
    ///
    /// # Safety
    /// As for [`Kernels::enqueue`].
    unsafe fn enqueue_reals<T: Element>(&self, at: Addresses) -> Result<()>
    where
        Complex<T>: Element,
    {
        use {Domain::Complex as C, Domain::Real as R};
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.elements().map(|(domain, _)| domain) {
                [R, R] => self.enqueue::<T, T>(at),
                [R, C] => self.enqueue::<T, Complex<T>>(at),
                [C, R] => self.enqueue::<Complex<T>, T>(at),
                [C, C] => self.enqueue::<Complex<T>, Complex<T>>(at),
            }
        }
    }

    /// The types of the elements of input and output.
    pub(crate) fn elements(&self) -> [ElementType; 2] {
        let problem = self.plan.problem();
        [problem.input_domain(), problem.output_domain()]
            .map(|domain| (if self.both_parts { Domain::Complex } else { domain }, problem.storage()))
    }

    /// Enqueues an execution.
    ///
    /// # Safety
    /// The addresses of the arrays are on the plan's device, and the arrays have its types and layouts.
    /// The stream is one of this device, and the scratch has as many bytes as the plan needs.
    pub(crate) unsafe fn run(&self, at: Addresses) -> Result<()> {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.plan.problem().storage() {
                Storage::F16 => self.enqueue_reals::<F16>(at),
                Storage::Bf16 => self.enqueue_reals::<Bf16>(at),
                Storage::F32 => self.enqueue_reals::<f32>(at),
                Storage::F64 => self.enqueue_reals::<f64>(at),
            }
        }
    }
}

/// A plan for arrays of a CUDA device.
#[pyclass(frozen, name = "CudaPlan", module = "fourfold._fourfold")]
pub(crate) struct CudaPlan(Kernels);

#[pymethods]
impl CudaPlan {
    /// The plan of a problem for a device, for complex elements if `is_complex`. Factors, if there are
    /// any, multiply its input if `first`, else its output. Without them, the input may have a shorter
    /// shape, and zeros for the rest.
    #[new]
    #[pyo3(signature = (problem, device, is_complex, factors=None, is_separable=false, first=false, shape=None))]
    #[allow(clippy::too_many_arguments, reason = "they are Python's")]
    fn from_text(
        py: Python<'_>,
        problem: &str,
        device: usize,
        is_complex: bool,
        factors: Option<Vec<PyReadonlyArray1<'_, f64>>>,
        is_separable: bool,
        first: bool,
        shape: Option<Vec<usize>>,
    ) -> PyResult<CudaPlan> {
        let multiplied = multiplier(factors, is_separable)?.map(|factors| (factors, first));
        let make = || Kernels::new(problem, device, is_complex, &multiplied, shape.as_deref());
        let kernels = detached(py, true, make);
        kernels.map(CudaPlan).map_err(exception)
    }

    /// The bytes of device memory that an execution needs beside its arrays.
    #[getter]
    fn scratch_bytes(&self) -> PyResult<usize> {
        self.0.needs().map_err(exception)
    }

    /// Enqueues an execution. See [`Addresses`].
    fn execute(&self, py: Python<'_>, input: usize, output: usize, stream: usize, scratch: usize) -> PyResult<()> {
        let at = Addresses { input, output, stream, scratch };
        // SAFETY: the package for Python calls this with such addresses.
        detached(py, true, || unsafe { self.0.run(at) }).map_err(exception)
    }
}

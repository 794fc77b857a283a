//! Plans on a device.

use crate::api::array::{GpuArray, GpuScratch, one_queue};
use crate::api::executable::AnyExecutable;
use crate::backend::device::Device;
use crate::backend::runtime::Buffer;
use crate::choose::estimate::Choice;
use crate::desc::action::Action;
use crate::desc::geometry::SlabLayout;
use crate::error::{argument, elsewhere};
use crate::run::kernel_cache::KernelCache;
use fourfold::baseline::AnyRecipe;
use fourfold::{Domain, Element, Error, ErrorKind, Layout, Problem, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A problem with its tables and kernels, ready to run any number of times, on any queue of its
/// device, from any thread.
///
/// Two executions that share scratch run one after the other. A plan keeps its own scratch, made
/// when it is first needed; give each queue [its own](GpuPlan::scratch) where plans are to run
/// beside each other, or nothing may be allocated.
///
/// ```no_run
/// use fourfold_gpu::{Device, GpuPlanner};
/// let planner = GpuPlanner::new(Device::opencl(0)?);
/// let plan = planner.plan(&"dct2 f32 4".parse()?)?;
/// let mut y = [0.0f32; 4];
/// plan.execute(&[1.0f32, 2.0, 3.0, 4.0], &mut y)?;
/// assert_eq!(y[0], 20.0); // 2 · (1 + 2 + 3 + 4)
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct GpuPlan {
    device: Device,
    recipe: AnyRecipe,
    kernel_cache: Arc<KernelCache>,
    action: Option<Arc<Action>>,
    choices: Vec<Choice>,
    /// How the output is cut into slabs.
    slabs: Option<SlabLayout>,
    executable: AnyExecutable,
    /// Whether this is the plan for both parts of complex arrays, of a problem of reals.
    pub(crate) parts: bool,
    pub(crate) both_parts: OnceLock<Box<GpuPlan>>,
    /// Its own scratch, on the queue that used it last.
    scratch: Mutex<Option<GpuScratch>>,
}

impl GpuPlan {
    pub(crate) fn new(
        device: &Device,
        kernel_cache: &Arc<KernelCache>,
        recipe: AnyRecipe,
        parts: bool,
        action: Option<Arc<Action>>,
        choices: Vec<Choice>,
        slabs: Option<SlabLayout>,
    ) -> Result<GpuPlan> {
        Ok(GpuPlan {
            executable: AnyExecutable::new(device, kernel_cache, &recipe, parts, action.as_deref(), &choices, slabs)?,
            choices,
            slabs,
            action,
            device: device.clone(),
            recipe,
            kernel_cache: Arc::clone(kernel_cache),
            parts,
            both_parts: OnceLock::new(),
            scratch: Mutex::new(None),
        })
    }

    /// Runs one stage of a baseline alone from now on.
    pub(crate) fn run_only(&mut self, stage: usize) {
        self.executable.only(stage);
    }

    /// The problem; of a filter, the forward one.
    pub fn problem(&self) -> &Problem {
        self.recipe.problem()
    }

    /// The layout of the input: the problem's, unless the plan
    /// [pads](crate::api::planner::GpuPlanner::plan_padded).
    pub fn input(&self) -> &Layout {
        self.action.as_deref().and_then(Action::padded).unwrap_or(self.problem().input())
    }

    /// The elements that the output needs: those of the problem's layout, or of all slabs with what lies
    /// between them.
    fn output_len(&self) -> usize {
        let output = self.end().output();
        self.slabs.map_or(output.len, |slabs| (slabs.count - 1) * slabs.distance + output.len / slabs.count)
    }

    /// The problem that the last pass completes.
    pub(crate) fn end(&self) -> &Problem {
        match &self.recipe {
            AnyRecipe::Fused(recipe) => recipe.inverse().unwrap_or(recipe.problem()),
            AnyRecipe::Staged(recipe) => recipe.problem(),
        }
    }

    /// Whether the plan uses Bluestein's convolution, whose bound on the error is 2.5 times as large.
    pub fn uses_bluestein(&self) -> bool {
        self.executable.uses_bluestein()
    }

    /// Whether cuFFT computes the FFTs between stages.
    pub fn uses_vendor_fft(&self) -> bool {
        self.executable.uses_vendor_fft()
    }

    /// The text of the plan's kernels, in the order in which they run.
    pub fn sources(&self) -> Vec<String> {
        self.executable.sources(self.device.runtime.dialect())
    }

    /// Transforms `input` to `output`, both in the problem's layouts and in the host's memory:
    /// uploads, runs, downloads.
    ///
    /// Sums of reals (DCT, DST, DHT, IDXST) also take complex slices and act on both parts.
    ///
    /// # Errors
    /// If a slice is shorter than [`Layout::len`], or its elements are not of the problem's type
    /// and domain, or the device fails.
    pub fn execute<I: Element, O: Element>(&self, input: &[I], output: &mut [O]) -> Result<()> {
        self.typed::<I, O>(&self.device)?;
        let input = fitting("input", input, self.input())?;
        let needed = self.output_len();
        long_enough("output", output.len(), needed)?;
        let output = &mut output[..needed];
        let from = self.device.upload(input)?;
        // What lies between the elements is to stay.
        let gaps = self.end().output().elements() < output.len();
        let mut to = if gaps { self.device.upload(output)? } else { self.device.array(output.len())? };
        self.execute_on(&from, &mut to)?;
        to.download(output)
    }

    /// Transforms `data` in place, in the problem's output layout.
    ///
    /// # Errors
    /// As [`GpuPlan::execute`], and if input and output differ in domain or shape.
    pub fn execute_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        let layout = self.end().output();
        long_enough("array", data.len(), layout.len)?;
        let data = &mut data[..layout.len];
        let mut array = self.device.upload(data)?;
        self.execute_on_in_place(&mut array)?;
        array.download(data)
    }

    /// Enqueues the transform of arrays on the device, which belong to one queue; returns before it
    /// is done.
    ///
    /// If the plan [needs scratch](GpuPlan::scratch_bytes), it waits on the device for the plan's
    /// last execution on another queue.
    ///
    /// # Errors
    /// As [`GpuPlan::execute`], and if the arrays are another device's, or belong to two queues.
    pub fn execute_on<I: Element, O: Element>(&self, input: &GpuArray<I>, output: &mut GpuArray<O>) -> Result<()> {
        let device = output.device.clone();
        let plan = self.typed::<I, O>(&device)?;
        plan.with_own_scratch(&device, |scratch| plan.enqueue(plan.all(), Some(input), output, scratch))
    }

    /// [`GpuPlan::execute_on`] with the caller's scratch: only launches kernels. It allocates
    /// nothing and waits for nothing, so that a CUDA graph can capture it.
    ///
    /// Complex arrays of a problem of reals need [`GpuPlan::both_parts`] before.
    ///
    /// # Errors
    /// As [`GpuPlan::execute_on`], and if the scratch is too small or belongs to another queue.
    pub fn execute_on_with<I: Element, O: Element>(
        &self,
        input: &GpuArray<I>,
        output: &mut GpuArray<O>,
        scratch: &mut GpuScratch,
    ) -> Result<()> {
        let plan = self.prepared::<I, O>()?;
        plan.enqueue(plan.all(), Some(input), output, Some(scratch))
    }

    /// Launch number `number` of [`GpuPlan::execute_on_with`] alone, for measurements.
    #[doc(hidden)]
    pub fn execute_launch_on_with<I: Element, O: Element>(
        &self,
        number: usize,
        input: &GpuArray<I>,
        output: &mut GpuArray<O>,
        scratch: &mut GpuScratch,
    ) -> Result<()> {
        let plan = self.prepared::<I, O>()?;
        if number >= plan.all().end {
            return Err(argument(format!("launch {number} of {}", plan.all().end)));
        }
        plan.enqueue(number..number + 1, Some(input), output, Some(scratch))
    }

    pub(crate) fn all(&self) -> Range<usize> {
        0..self.executable.launches()
    }

    /// [`GpuPlan::execute_on`] with one array as input and output.
    ///
    /// # Errors
    /// As [`GpuPlan::execute_in_place`], and if the array is another device's.
    pub fn execute_on_in_place<T: Element>(&self, data: &mut GpuArray<T>) -> Result<()> {
        let device = data.device.clone();
        let plan = self.typed::<T, T>(&device)?;
        plan.with_own_scratch(&device, |scratch| plan.enqueue::<T, T>(plan.all(), None, data, scratch))
    }

    /// [`GpuPlan::execute_on_with`] with one array as input and output.
    ///
    /// # Errors
    /// As [`GpuPlan::execute_on_in_place`] and [`GpuPlan::execute_on_with`].
    pub fn execute_on_in_place_with<T: Element>(&self, data: &mut GpuArray<T>, scratch: &mut GpuScratch) -> Result<()> {
        let plan = self.prepared::<T, T>()?;
        plan.enqueue::<T, T>(plan.all(), None, data, Some(scratch))
    }

    /// Bytes of device memory that an execution needs beside its arrays; often none.
    pub fn scratch_bytes(&self) -> usize {
        self.executable.scratch_bytes()
    }

    /// Scratch for executions on the queue of `device`.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn scratch(&self, device: &Device) -> Result<GpuScratch> {
        GpuScratch::new(device, self.scratch_bytes())
    }

    /// The plan that acts on both parts of complex arrays, of a problem of sums of reals (DCT, DST,
    /// DHT, IDXST). It is made when it is first asked for, here or by an execution with such
    /// arrays; its scratch is larger.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if the problem has complex arrays itself; else as
    /// [`GpuPlanner::plan`](crate::api::planner::GpuPlanner::plan).
    pub fn both_parts(&self) -> Result<&GpuPlan> {
        if self.parts {
            return Ok(self);
        }
        let problem = self.problem();
        if (problem.input_domain(), self.end().output_domain()) != (Domain::Real, Domain::Real) {
            return Err(argument(format!("`{problem}` has complex arrays: only sums of reals act on both parts")));
        }
        if self.both_parts.get().is_none() {
            let plan = GpuPlan::new(
                &self.device,
                &self.kernel_cache,
                self.recipe.clone(),
                true,
                self.action.clone(),
                self.choices.clone(),
                self.slabs,
            )?;
            // Another thread may have been faster.
            let _ = self.both_parts.set(Box::new(plan));
        }
        Ok(self.both_parts.get().expect("just set"))
    }

    fn with_own_scratch(
        &self,
        device: &Device,
        enqueue: impl FnOnce(Option<&mut GpuScratch>) -> Result<()>,
    ) -> Result<()> {
        if self.scratch_bytes() == 0 {
            return enqueue(None);
        }
        if device.queue.is_capturing() {
            let message = "a graph that is being captured needs scratch that outlives it: use `execute_on_with`";
            return Err(argument(message.into()));
        }
        let mut own = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = match own.take() {
            Some(scratch) => scratch.move_to(device)?,
            None => self.scratch(device)?,
        };
        let done = enqueue(Some(&mut scratch));
        *own = Some(scratch);
        done
    }

    /// Enqueues launches, once all arguments are known to fit. Without an input, the output is
    /// transformed in place.
    fn enqueue<I: Element, O: Element>(
        &self,
        launches: Range<usize>,
        input: Option<&GpuArray<I>>,
        output: &mut GpuArray<O>,
        scratch: Option<&mut GpuScratch>,
    ) -> Result<()> {
        let input = input.map(|input| (&input.device, &input.buffer, input.len()));
        self.enqueue_buffers(launches, input, (&output.device, &output.buffer, output.len()), scratch)
    }

    /// The same of buffers, with their devices and their numbers of elements.
    pub(crate) fn enqueue_buffers(
        &self,
        launches: Range<usize>,
        input: Option<(&Device, &Buffer, usize)>,
        (device, output, output_len): (&Device, &Buffer, usize),
        scratch: Option<&mut GpuScratch>,
    ) -> Result<()> {
        let (from, to) = (self.input(), self.end().output());
        if !self.device.runtime.same(&device.runtime) {
            return Err(elsewhere());
        }
        match input {
            Some((input_device, _, len)) => {
                one_queue(input_device, device)?;
                long_enough("input", len, from.len)?;
            }
            None if from != to || self.slabs.is_some() => {
                let message =
                    format!("`{}` has different layouts for input and output: it cannot run in place", self.problem());
                return Err(argument(message));
            }
            None => {}
        }
        long_enough("output", output_len, self.output_len())?;
        let scratch = scratch.map(|scratch| self.fitting_scratch(scratch, device)).transpose()?;
        let input = input.map(|(_, buffer, _)| buffer);
        self.executable.enqueue(launches, &device.queue, input, output, scratch)
    }

    fn fitting_scratch<'a>(&self, scratch: &'a GpuScratch, device: &Device) -> Result<&'a Buffer> {
        one_queue(&scratch.device, device)?;
        let (has, needs) = (scratch.bytes, self.scratch_bytes());
        let message = || format!("the scratch has {has} bytes; `{}` needs {needs}", self.problem());
        if has < needs { Err(argument(message())) } else { Ok(&scratch.buffer) }
    }

    /// The plan for the element types, if they are those of the problem; it is made, but not while
    /// `device` captures a graph.
    fn typed<I: Element, O: Element>(&self, device: &Device) -> Result<&GpuPlan> {
        if self.parts_of::<I, O>()? && !device.queue.is_capturing() {
            self.both_parts()
        } else {
            self.prepared::<I, O>()
        }
    }

    /// The same, if it is there already.
    fn prepared<I: Element, O: Element>(&self) -> Result<&GpuPlan> {
        if !self.parts_of::<I, O>()? || self.parts {
            return Ok(self);
        }
        let message = || format!("complex arrays of `{}` need `both_parts` before", self.problem());
        self.both_parts.get().map(|plan| &**plan).ok_or_else(|| argument(message()))
    }

    /// Whether arrays of these types are to be seen as parts of complex numbers; an error if they
    /// are neither that nor the problem's.
    fn parts_of<I: Element, O: Element>(&self) -> Result<bool> {
        let problem = self.problem();
        let wants = (problem.input_domain(), self.end().output_domain());
        let has = (I::DOMAIN, O::DOMAIN);
        let precise = [I::STORAGE, O::STORAGE] == [problem.storage(); 2];
        let real = wants == (Domain::Real, Domain::Real);
        if precise && real && has == (Domain::Complex, Domain::Complex) {
            return Ok(true);
        }
        if precise && has == wants && !self.parts {
            return Ok(false);
        }
        let wants = if self.parts { (Domain::Complex, Domain::Complex) } else { wants };
        let given = [I::STORAGE.element_name(has.0), O::STORAGE.element_name(has.1)];
        let wanted = [wants.0, wants.1].map(|domain| problem.storage().element_name(domain));
        Err(argument(format!("`{problem}` takes {} to {}, not {} to {}", wanted[0], wanted[1], given[0], given[1])))
    }
}

fn fitting<'a, T>(name: &str, data: &'a [T], layout: &Layout) -> Result<&'a [T]> {
    long_enough(name, data.len(), layout.len)?;
    Ok(&data[..layout.len])
}

fn long_enough(name: &str, len: usize, needed: usize) -> Result<()> {
    let message = || format!("the {name} has {len} elements; the problem needs {needed}");
    if len < needed { Err(Error::new(ErrorKind::Argument, message())) } else { Ok(()) }
}

impl std::fmt::Debug for GpuPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuPlan({}, {})", self.recipe, self.device.name())
    }
}

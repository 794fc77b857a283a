//! The target of `xla.rs` on CUDA devices. It runs on XLA's stream. Scratch is a second output, so that
//! XLA allocates it, and knows how long it is in use: CUDA graphs (XLA's command buffers) capture calls
//! and run them later.
//!
//! A graph has the addresses of kernels and tables. So plans live as long as the executable that runs
//! them, which keeps an [`XlaPlans`]. They are made before a call is captured: for the first device when
//! JAX lowers the call, which needs the size of the scratch, and for others in XLA's stage before
//! execution.

use crate::cuda::{Addresses, Kernels};
use crate::error::exception;
use crate::planners::detached;
use crate::xla::{CallFrame, EXECUTE, called, wrong};
use fourfold::{Domain, Result};
use fourfold_gpu::Device;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// A problem as text, whether elements are complex, and the shape of the input, which zeros fill up.
type Key = (String, bool, Vec<usize>);

/// The plans of one problem, by the number of the device.
struct Plans {
    key: Key,
    made: Mutex<HashMap<usize, Arc<Kernels>>>,
}

/// What the calls of XLA find.
#[derive(Default)]
struct Known {
    /// Those that executables keep.
    kept: HashMap<Key, Weak<Plans>>,
    /// Those of programs that were lowered in another process: nothing says when these are dropped.
    imported: Vec<Arc<Plans>>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Known {
    /// The plans of a problem, and whether they are new.
    fn plans(&mut self, key: Key) -> (Arc<Plans>, bool) {
        if let Some(plans) = self.kept.get(&key).and_then(Weak::upgrade) {
            return (plans, false);
        }
        let plans = Arc::new(Plans { key: key.clone(), made: Mutex::default() });
        self.kept.retain(|_, plans| plans.strong_count() > 0);
        self.kept.insert(key, Arc::downgrade(&plans));
        (plans, true)
    }

    /// Those of a call.
    fn called(&mut self, key: Key) -> Arc<Plans> {
        let (plans, is_new) = self.plans(key);
        if is_new {
            self.imported.push(plans.clone());
        }
        plans
    }
}

impl Plans {
    /// The plan for a device, which is made unless it exists.
    fn on(&self, device: usize) -> Result<Arc<Kernels>> {
        let mut made = lock(&self.made);
        if let Some(kernels) = made.get(&device) {
            return Ok(kernels.clone());
        }
        let (problem, is_complex, shape) = &self.key;
        let kernels = Arc::new(Kernels::new(problem, device, *is_complex, &None, Some(shape))?);
        made.insert(device, kernels.clone());
        Ok(kernels)
    }
}

/// Keeps the plans of a problem on all devices.
#[pyclass(frozen, module = "fourfold._fourfold")]
pub(crate) struct XlaPlans {
    _plans: Arc<Plans>,
    scratch_bytes: usize,
}

#[pymethods]
impl XlaPlans {
    /// The plans of a problem for inputs of a shape, of complex elements if `is_complex`. That for
    /// `device` is made now.
    #[new]
    fn from_text(
        py: Python<'_>,
        problem: String,
        is_complex: bool,
        shape: Vec<usize>,
        device: usize,
    ) -> PyResult<XlaPlans> {
        let make = || {
            let plans = lock(&KNOWN).plans((problem, is_complex, shape)).0;
            let needs = plans.on(device)?.needs()?;
            // XLA aligns buffers to fewer bytes than plans need.
            Ok(XlaPlans { _plans: plans, scratch_bytes: if needs == 0 { 0 } else { needs + ALIGNMENT } })
        };
        detached(py, true, make).map_err(exception)
    }

    /// The bytes of the second output; 0 if there is none.
    #[getter]
    fn scratch_bytes(&self) -> usize {
        self.scratch_bytes
    }
}

/// Of scratch, in bytes.
const ALIGNMENT: usize = 256;

/// The aligned address of as much scratch as a plan needs, in the second output.
///
/// # Safety
/// The frame is that of a call of XLA.
unsafe fn scratch(frame: &CallFrame, needs: usize) -> Result<usize> {
    if needs == 0 {
        return Ok(0);
    }
    let (address, bytes) = match frame.results.size {
        // SAFETY: the caller guarantees it, and there are two results.
        2 => unsafe { frame.results.bytes(1) },
        _ => (0, vec![0]),
    };
    let (aligned, has) = (address.next_multiple_of(ALIGNMENT), bytes.iter().product::<usize>());
    match aligned + needs <= address + has {
        true => Ok(aligned),
        false => Err(wrong(format!("{has} bytes of scratch at {address:#x}: this device needs {needs}"))),
    }
}

/// # Safety
/// The frame is that of a call of XLA.
unsafe fn transform(frame: &CallFrame) -> Result<()> {
    // SAFETY: the caller guarantees it. Before execution, only shapes and types are there.
    let (problem, input) = unsafe { (frame.attributes.text("problem")?, frame.arguments.memory(0)?) };
    // SAFETY: as above; the stream is one of CUDA, since this is the target for it.
    let (stream, device) = unsafe {
        let stream = frame.stream()?;
        (stream, Device::number_of_cuda_stream(stream)?)
    };
    let key = (problem.to_owned(), input.element.0 == Domain::Complex, input.shape.clone());
    let plans = lock(&KNOWN).called(key);
    let kernels = plans.on(device)?;
    if frame.stage != EXECUTE {
        return Ok(());
    }
    // SAFETY: the caller guarantees it.
    let output = unsafe { frame.results.memory(0)? };
    for ((memory, shape), element) in [&input, &output].into_iter().zip(kernels.shapes()).zip(kernels.elements()) {
        if memory.shape != shape || memory.element != element {
            return Err(wrong(format!("`{problem}` has no array of shape {:?} and these elements", memory.shape)));
        }
    }
    // SAFETY: as above.
    let scratch = unsafe { scratch(frame, kernels.needs()?)? };
    let at = Addresses { input: input.first, output: output.first, stream: stream as usize, scratch };
    // SAFETY: XLA keeps the buffers, whose shapes and elements are the plan's, until the stream has
    // come so far.
    unsafe { kernels.run(at) }
}

/// A call launches the same kernels each time, so that a CUDA graph can capture it.
const COMMAND_BUFFER_COMPATIBLE: u32 = 1;

/// The target `fourfold_transform` on CUDA devices.
///
/// # Safety
/// XLA calls it with its frame.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fourfold_xla_transform_cuda(frame: *mut CallFrame) -> *mut c_void {
    // SAFETY: the caller guarantees it.
    unsafe { called(frame, COMMAND_BUFFER_COMPATIBLE, transform) }
}

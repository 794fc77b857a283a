//! cuFFT, opened when a plan first asks for it.

use crate::backend::cuda::context;
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory;
use crate::backend::cuda::queue::Queue;
use crate::backend::cuda::releases::{Releases, bind_to_release};
use crate::backend::interface;
use crate::backend::interface::{Allocate, Buffer, Queue as _, VendorFfts, own};
use crate::error::unavailable;
use cudarc::cufft::{result as cufft, sys};
use cudarc::driver::CudaContext;
use fourfold::{Domain, Error, Precision, Problem, Result};
use std::ffi::{c_int, c_longlong, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A plan of cuFFT for a real FFT over the last axes of an array in C order, forward or backward.
pub(crate) struct VendorFft {
    /// A plan has the stream and the work area of its next execution.
    handle: Mutex<sys::cufftHandle>,
    kind: sys::cufftType,
    /// Bytes of its work area.
    bytes: usize,
    /// The work area where none is needed: cuFFT wants one, apart from the arrays.
    nothing: Box<dyn Buffer>,
    primes: bool,
    context: Arc<CudaContext>,
    releases: Arc<Releases>,
}

/// Bytes of a work area of which nothing is used.
const LEAST_WORK_AREA: usize = 256;

fn failed(what: &str, error: cufft::CufftError) -> Error {
    unavailable(format!("cuFFT cannot {what}: {error}"))
}

/// Whether the library is there.
fn is_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: only tries to load the library.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

impl VendorFfts for Context {
    fn vendor_library(&self) -> Option<String> {
        let version = if is_present() { cufft::get_version().ok()? } else { return None };
        // 1000 times the major, 100 times the minor version and the patch.
        Some(format!("cuFFT {}.{}.{}", version / 1000, version % 1000 / 100, version % 100))
    }

    fn vendor_fft(&self, problem: &Problem) -> Result<Option<Box<dyn interface::VendorFft>>> {
        if !is_present() {
            return Ok(None);
        }
        self.releases.give_back();
        self.context.bind_to_thread().map_err(|e| context::failed("use the device", e))?;
        let forward = problem.input_domain() == Domain::Real;
        let kind = match (problem.precision(), forward) {
            (Precision::F32, true) => sys::cufftType::CUFFT_R2C,
            (Precision::F32, false) => sys::cufftType::CUFFT_C2R,
            (Precision::F64, true) => sys::cufftType::CUFFT_D2Z,
            (Precision::F64, false) => sys::cufftType::CUFFT_Z2D,
        };
        let shape = if forward { &problem.input().shape } else { &problem.output().shape };
        let (batches, lengths) = shape.split_at(shape.len() - problem.transforms().len());
        let nothing = self.allocate(LEAST_WORK_AREA)?;
        let handle = cufft::create().map_err(|e| failed("make a plan", e))?;
        let mut plan = VendorFft {
            handle: Mutex::new(handle),
            kind,
            bytes: 0,
            nothing,
            context: Arc::clone(&self.context),
            releases: Arc::clone(&self.releases),
            primes: lengths.iter().any(|&n| fourfold::engine::prime_factors(n).into_iter().any(|p| p > 127)),
        };
        plan.bytes = sized(handle, kind, lengths, batches.iter().product())?;
        Ok(Some(Box::new(plan)))
    }
}

/// Makes the plan; returns the bytes of its work area.
fn sized(handle: sys::cufftHandle, kind: sys::cufftType, lengths: &[usize], batch: usize) -> Result<usize> {
    let mut lengths: Vec<c_longlong> = lengths.iter().map(|&n| n as c_longlong).collect();
    // SAFETY: the handle is new; without strides, arrays are contiguous, and the distances are not
    // looked at.
    let made = unsafe {
        cufft::set_auto_allocation(handle, false).and_then(|()| {
            let (rank, n) = (lengths.len() as c_int, lengths.as_mut_ptr());
            let none = ptr::null_mut();
            cufft::make_plan_many64(handle, rank, n, none, 1, 0, none, 1, 0, kind, batch as c_longlong)
        })
    };
    made.map_err(|e| failed(&format!("transform {batch} arrays of {lengths:?}"), e))
}

impl interface::VendorFft for VendorFft {
    fn scratch_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a length has a prime factor for which cuFFT has no butterfly (cuFFT documentation,
    /// "Accuracy and Performance": 2 to 127 are done directly, others by Bluestein's algorithm).
    fn has_large_primes(&self) -> bool {
        self.primes
    }

    fn enqueue(&self, queue: &dyn interface::Queue, ends: [&dyn Buffer; 2], scratch: &dyn Buffer) -> Result<()> {
        let queue: &Queue = own(queue)?;
        let [from, to] = [address(ends[0])?, address(ends[1])?];
        let work = if self.bytes == 0 { self.nothing.raw() } else { address(scratch)? };
        queue.bind().map_err(|e| context::failed("use the device", e))?;
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the buffers hold the arrays, as the recipe that they belong to says, and the work
        // area; all are of the context whose stream it is.
        let enqueued = unsafe {
            cufft::set_stream(*handle, queue.raw().cast()).and_then(|()| cufft::set_work_area(*handle, work)).and_then(
                |()| match self.kind {
                    sys::cufftType::CUFFT_R2C => cufft::exec_r2c(*handle, from.cast(), to.cast()),
                    sys::cufftType::CUFFT_C2R => cufft::exec_c2r(*handle, from.cast(), to.cast()),
                    sys::cufftType::CUFFT_D2Z => cufft::exec_d2z(*handle, from.cast(), to.cast()),
                    _ => cufft::exec_z2d(*handle, from.cast(), to.cast()),
                },
            )
        };
        enqueued.map_err(|e| failed("run", e))
    }
}

/// The address of a buffer of CUDA.
fn address(buffer: &dyn Buffer) -> Result<*mut c_void> {
    Ok(own::<memory::Buffer>(buffer)?.raw())
}

impl Drop for VendorFft {
    /// The documentation of cuFFT does not say that destroying a plan waits for its kernels.
    fn drop(&mut self) {
        let handle = *self.handle.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.releases.release(Handle { handle, context: Arc::clone(&self.context) });
    }
}

/// A plan whose kernels have all ended.
struct Handle {
    handle: sys::cufftHandle,
    context: Arc<CudaContext>,
}

impl Drop for Handle {
    /// cuFFT destroys a plan in the thread's context, which may be another one or none here.
    fn drop(&mut self) {
        let _ = bind_to_release(&self.context);
        // SAFETY: was made, and is destroyed once. After a failure nothing is left to do.
        let _ = unsafe { cufft::destroy(self.handle) };
    }
}

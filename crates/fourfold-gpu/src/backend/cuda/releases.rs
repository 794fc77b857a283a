//! What is to be given back to the driver, kept while a graph is captured.
//!
//! Before a module is unloaded, memory freed or a plan of cuFFT destroyed, the context must have done
//! all that was enqueued. While one of its streams is captured, waiting for the context is invalid,
//! and ends the capture with an error (CUDA C++ Programming Guide, "CUDA Graphs", on prohibited and
//! unhandled operations). So what is dropped then, by whatever thread, is kept until something is
//! dropped or made when nothing is captured.
//!
//! Seen are the streams of this crate's queues, the caller's among them. A capture that begins
//! between the look and the wait is not.

use cudarc::driver::sys::{CUresult, CUstreamCaptureStatus};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What is to be given back in one context.
pub(crate) struct Releases {
    context: Arc<CudaContext>,
    streams: Mutex<Vec<Weak<CudaStream>>>,
    /// Whatever gives something back when it is dropped.
    kept: Mutex<Vec<Box<dyn Send>>>,
}

impl Releases {
    pub(crate) fn new(context: Arc<CudaContext>) -> Arc<Releases> {
        Arc::new(Releases { context, streams: Mutex::default(), kept: Mutex::default() })
    }

    /// Looks from now on whether this stream is captured.
    pub(crate) fn watch(&self, stream: &Arc<CudaStream>) {
        let mut streams = lock(&self.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Drops something when all that was enqueued is done.
    pub(crate) fn release(&self, thing: impl Send + 'static) {
        lock(&self.kept).push(Box::new(thing));
        self.give_back();
    }

    /// Drops all that is kept, unless a stream is captured.
    pub(crate) fn give_back(&self) {
        if lock(&self.kept).is_empty() || self.is_capturing() {
            return;
        }
        let kept = std::mem::take(&mut *lock(&self.kept));
        wait_for_all(&self.context);
        drop(kept);
    }

    fn is_capturing(&self) -> bool {
        lock(&self.streams).iter().filter_map(Weak::upgrade).any(|stream| is_capturing(&stream))
    }
}

/// Makes a context that of the thread, to give something back. The bindings keep errors of what was
/// given back before, and return them to whoever binds the context next: that is no reason to keep
/// this.
pub(crate) fn bind_to_release(context: &CudaContext) -> Result<(), DriverError> {
    context.bind_to_thread().or_else(|_| context.bind_to_thread())
}

/// Waits for all that was enqueued in a context, and has it bound to this thread: before something
/// is given back that kernels may still use. If that fails, the device is lost, and runs nothing.
fn wait_for_all(context: &CudaContext) {
    let _ = bind_to_release(context).and_then(|()| result::ctx::synchronize());
}

/// Whether a graph records what is enqueued. The default stream has an error of its own while a
/// stream is captured that waits for it.
pub(crate) fn is_capturing(stream: &CudaStream) -> bool {
    match stream.capture_status() {
        Ok(status) => status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE,
        Err(error) => error.0 == CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

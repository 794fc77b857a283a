//! Streams.

use crate::backend::cuda::context::{Driver, Kernel, Runtime, failed};
use crate::backend::cuda::memory::{Buffer, Pinned};
use crate::backend::types::Grid;
use crate::error::argument;
use cudarc::driver::sys::{
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig, CUstream, CUstreamCaptureStatus,
};
use cudarc::driver::{CudaEvent, CudaStream, result, sys};
use fourfold::Result;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

pub(crate) struct Queue {
    stream: Arc<CudaStream>,
    /// Whether the device can launch a kernel before the last has ended.
    overlaps: bool,
}

/// When something that was enqueued is done.
pub(crate) struct Event(CudaEvent);

impl Runtime {
    pub(crate) fn queue(&self) -> Result<Queue> {
        let stream = self.context.new_stream().map_err(|e| failed("make a stream", e))?;
        Ok(self.queue_of(stream))
    }

    fn queue_of(&self, stream: Arc<CudaStream>) -> Queue {
        // Since `sm_90`, as clusters.
        Queue { stream, overlaps: self.limits.cluster > 1 }
    }

    /// The caller's stream.
    ///
    /// # Safety
    /// It must be a stream, and outlive the queue.
    pub(crate) unsafe fn queue_from_raw(&self, stream: *mut c_void) -> Result<Queue> {
        let stream: CUstream = stream.cast();
        // The legacy default stream and those of threads are the current context's.
        if stream.addr() > 2 {
            let mut context = ptr::null_mut();
            // SAFETY: the caller promises a stream.
            let asked = unsafe { sys::cuStreamGetCtx(stream, &mut context) }.result();
            asked.map_err(|e| failed("ask for the stream's context", e))?;
            if context != self.context.cu_ctx() {
                let id = self.info.id;
                return Err(argument(format!("the stream belongs to another context than {id}'s primary one")));
            }
        }
        // SAFETY: as promised by the caller, and of this context.
        Ok(self.queue_of(unsafe { self.context.wrap_borrowed_stream(stream) }))
    }
}

/// Lets a kernel be launched while the one before it still runs (CUDA C++ Programming Guide,
/// "Programmatic Dependent Launch").
fn overlap() -> CUlaunchAttribute {
    CUlaunchAttribute {
        id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        pad: [0; 4],
        value: CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
    }
}

impl Queue {
    pub(crate) fn raw(&self) -> *mut c_void {
        self.stream.cu_stream().cast()
    }

    pub(crate) fn upload(&self, data: &[u8], to: &mut Buffer) -> Result<()> {
        // SAFETY: waits until the copy is done.
        let copied = unsafe { self.start(|| result::memcpy_htod_async(to.address, data, self.stream.cu_stream())) };
        copied.and_then(|()| self.stream.synchronize()).map_err(|e| failed("upload", e))
    }

    pub(crate) fn download(&self, from: &Buffer, data: &mut [u8]) -> Result<()> {
        // SAFETY: waits until the copy is done.
        let copied = unsafe { self.start(|| result::memcpy_dtoh_async(data, from.address, self.stream.cu_stream())) };
        copied.and_then(|()| self.stream.synchronize()).map_err(|e| failed("download", e))
    }

    /// # Safety
    /// `from` must stay as it is until the event has come.
    pub(crate) unsafe fn send(&self, from: &Pinned, bytes: usize, to: &mut Buffer) -> Result<Event> {
        let data = &from.bytes()[..bytes];
        // SAFETY: as promised by the caller.
        let copied = unsafe { self.start(|| result::memcpy_htod_async(to.address, data, self.stream.cu_stream())) };
        self.begun(copied).map_err(|e| failed("upload", e))
    }

    /// # Safety
    /// `to` must stay where it is, and not be touched, until the event has come.
    pub(crate) unsafe fn receive(&self, from: &Buffer, to: &mut Pinned, bytes: usize) -> Result<Event> {
        let data = &mut to.bytes_mut()[..bytes];
        // SAFETY: as promised by the caller.
        let copied = unsafe { self.start(|| result::memcpy_dtoh_async(data, from.address, self.stream.cu_stream())) };
        self.begun(copied).map_err(|e| failed("download", e))
    }

    /// The event of what was enqueued. Where that fails it is not waited for: so it must have come.
    fn begun(&self, enqueued: Driver<()>) -> Driver<Event> {
        let event = enqueued.and_then(|()| self.stream.record_event(None));
        if event.is_err() {
            let _ = self.stream.synchronize();
        }
        event.map(Event)
    }

    pub(crate) fn copy(&self, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        // SAFETY: the caller has checked the sizes; memory is not freed before what was enqueued is
        // done.
        let copied = unsafe {
            self.start(|| result::memcpy_dtod_async(to.address, from.address, bytes, self.stream.cu_stream()))
        };
        copied.map_err(|e| failed("copy", e))
    }

    /// Makes its context that of the thread, for a library that asks for it.
    pub(crate) fn bind(&self) -> Driver<()> {
        self.stream.context().bind_to_thread()
    }

    /// Calls the driver with the context bound to this thread.
    ///
    /// # Safety
    /// That of the call.
    unsafe fn start(&self, call: impl FnOnce() -> Driver<()>) -> Driver<()> {
        self.bind().and_then(|()| call())
    }

    pub(crate) fn launch(&self, kernel: &Kernel, grid: Grid, arguments: [&Buffer; 5]) -> Result<()> {
        let addresses = arguments.map(|buffer| buffer.address);
        let mut arguments = addresses.each_ref().map(|address| ptr::from_ref(address).cast_mut().cast::<c_void>());
        let mut overlap = overlap();
        let config = CUlaunchConfig {
            gridDimX: grid.blocks as u32,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: grid.threads as u32,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: grid.shared_bytes as u32,
            hStream: self.stream.cu_stream(),
            attrs: &mut overlap,
            numAttrs: (grid.follows && self.overlaps).into(),
        };
        // SAFETY: the kernel takes five pointers, and stays within the arrays that its spec
        // describes; if it follows another, it waits for that one's end before it touches any
        // (`dialect/cuda.rs`). What the call reads lives until it returns.
        let launched = unsafe {
            self.start(|| {
                let (function, arguments) = (kernel.cu_function(), arguments.as_mut_ptr());
                sys::cuLaunchKernelEx(&config, function, arguments, ptr::null_mut()).result()
            })
        };
        launched.map_err(|e| failed("launch a kernel", e))
    }

    pub(crate) fn finish(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| failed("finish", e))
    }

    /// Whether a graph records what is enqueued.
    pub(crate) fn is_capturing(&self) -> bool {
        self.stream.capture_status().is_ok_and(|status| status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
    }

    /// What is enqueued from now on begins when all that `other` has is done.
    pub(crate) fn wait_for(&self, other: &Queue) -> Result<()> {
        self.stream.join(&other.stream).map_err(|e| failed("wait for a stream", e))
    }
}

impl Event {
    pub(crate) fn wait(&self) -> Result<()> {
        self.0.synchronize().map_err(|e| failed("copy", e))
    }

    pub(crate) fn is_done(&self) -> Result<bool> {
        self.0.try_is_complete().map_err(|e| failed("copy", e))
    }
}

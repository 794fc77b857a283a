//! Streams.

use crate::backend::cuda::compiler::Kernel;
use crate::backend::cuda::context::{Context, Driver, check_presence, failed};
use crate::backend::cuda::memory::{Buffer, Pinned};
use crate::backend::cuda::releases;
use crate::backend::interface;
use crate::backend::interface::{Copies, Enqueue, Pinned as _, own, own_mut};
use crate::backend::types::{BoxCopy, Grid, Planes};
use crate::error::argument;
use cudarc::driver::sys::{
    CUDA_MEMCPY3D, CUdeviceptr, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig,
    CUmemorytype, CUstream,
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

/// The end of something that was enqueued.
struct Event(CudaEvent);

impl Enqueue for Context {
    fn queue(&self) -> Result<Box<dyn interface::Queue>> {
        let stream = self.context.new_stream().map_err(|e| failed("make a stream", e))?;
        Ok(Box::new(self.queue_of(stream)))
    }

    unsafe fn queue_from_raw(&self, stream: *mut c_void) -> Result<Box<dyn interface::Queue>> {
        let stream: CUstream = stream.cast();
        // The legacy default stream and those of threads are the current context's.
        if stream.addr() > 2 {
            let mut context = ptr::null_mut();
            // SAFETY: the caller ensures that it is a stream.
            let asked = unsafe { sys::cuStreamGetCtx(stream, &mut context) }.result();
            asked.map_err(|e| failed("ask for the stream's context", e))?;
            if context != self.context.cu_ctx() {
                let id = self.info.id;
                return Err(argument(format!("the stream belongs to another context than {id}'s primary one")));
            }
        }
        // SAFETY: as the caller ensures, and of this context.
        Ok(Box::new(self.queue_of(unsafe { self.context.wrap_borrowed_stream(stream) })))
    }
}

/// The number of the device of a stream's context.
///
/// # Safety
/// `stream` is a `CUstream`.
pub(crate) unsafe fn number_of_device(stream: *mut c_void) -> Result<usize> {
    check_presence()?;
    let (mut context, mut device) = (ptr::null_mut(), 0);
    // SAFETY: the caller ensures that it is a stream, whose context is made current for one
    // question.
    let asked = unsafe {
        sys::cuStreamGetCtx(stream.cast(), &mut context).result().and_then(|()| {
            sys::cuCtxPushCurrent_v2(context).result()?;
            let asked = sys::cuCtxGetDevice(&mut device).result();
            sys::cuCtxPopCurrent_v2(&mut context).result().and(asked)
        })
    };
    let number = asked.and_then(|()| {
        let is_it = |number: &i32| result::device::get(*number).is_ok_and(|other| other == device);
        Ok((0..result::device::get_count()?).find(is_it))
    });
    let number = number.map_err(|e| failed("ask for the stream's device", e))?;
    number.map(|number| number as usize).ok_or_else(|| argument("the stream's device has no number".into()))
}

impl Context {
    fn queue_of(&self, stream: Arc<CudaStream>) -> Queue {
        self.releases.watch(&stream);
        // No attribute says so: launches overlap since compute capability 9.0, as clusters.
        Queue { stream, overlaps: self.limits.attributes.cluster > 1 }
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

impl Copies for Queue {
    fn upload(&self, data: &[u8], to: &mut dyn interface::Buffer) -> Result<()> {
        let to: &mut Buffer = own_mut(to)?;
        // SAFETY: waits until the copy is done.
        let copied = unsafe { self.start(|| result::memcpy_htod_async(to.address, data, self.stream.cu_stream())) };
        copied.and_then(|()| self.stream.synchronize()).map_err(|e| failed("upload", e))
    }

    fn download(&self, from: &dyn interface::Buffer, data: &mut [u8]) -> Result<()> {
        let from: &Buffer = own(from)?;
        // SAFETY: waits until the copy is done.
        let copied = unsafe { self.start(|| result::memcpy_dtoh_async(data, from.address, self.stream.cu_stream())) };
        copied.and_then(|()| self.stream.synchronize()).map_err(|e| failed("download", e))
    }

    fn copy(&self, from: &dyn interface::Buffer, to: &mut dyn interface::Buffer, bytes: usize) -> Result<()> {
        let (from, to): (&Buffer, &mut Buffer) = (own(from)?, own_mut(to)?);
        // SAFETY: the caller has checked the sizes; memory is not freed before what was enqueued is
        // done.
        let copied = unsafe {
            self.start(|| result::memcpy_dtod_async(to.address, from.address, bytes, self.stream.cu_stream()))
        };
        copied.map_err(|e| failed("copy", e))
    }

    /// Addresses say which device has the memory.
    fn copy_box(&self, from: &dyn interface::Buffer, to: &mut dyn interface::Buffer, copy: &BoxCopy) -> Result<()> {
        let (from, to): (&Buffer, &mut Buffer) = (own(from)?, own_mut(to)?);
        for planes in copy.planes() {
            let [source, target] = [from.address + planes.starts[0] as u64, to.address + planes.starts[1] as u64];
            let stream = self.stream.cu_stream();
            // SAFETY: as for `copy`, of memory whose end the caller has checked.
            let copied = unsafe {
                self.start(|| match planes.shape {
                    [run, 1, 1] => sys::cuMemcpyAsync(target, source, run, stream).result(),
                    _ => sys::cuMemcpy3DAsync_v2(&planes.parameters(source, target), stream).result(),
                })
            };
            copied.map_err(|e| failed("copy", e))?;
        }
        Ok(())
    }

    unsafe fn send(
        &self,
        from: &dyn interface::Pinned,
        bytes: usize,
        to: &mut dyn interface::Buffer,
    ) -> Result<Box<dyn interface::Event>> {
        let (from, to): (&Pinned, &mut Buffer) = (own(from)?, own_mut(to)?);
        let data = &from.bytes()[..bytes];
        // SAFETY: as the caller ensures.
        let copied = unsafe { self.start(|| result::memcpy_htod_async(to.address, data, self.stream.cu_stream())) };
        self.event_of(copied).map_err(|e| failed("upload", e))
    }

    unsafe fn receive(
        &self,
        from: &dyn interface::Buffer,
        to: &mut dyn interface::Pinned,
        bytes: usize,
    ) -> Result<Box<dyn interface::Event>> {
        let (from, to): (&Buffer, &mut Pinned) = (own(from)?, own_mut(to)?);
        let data = &mut to.bytes_mut()[..bytes];
        // SAFETY: as the caller ensures.
        let copied = unsafe { self.start(|| result::memcpy_dtoh_async(data, from.address, self.stream.cu_stream())) };
        self.event_of(copied).map_err(|e| failed("download", e))
    }
}

impl Planes {
    /// What the driver is told of a copy between two addresses.
    fn parameters(&self, source: CUdeviceptr, target: CUdeviceptr) -> CUDA_MEMCPY3D {
        let [width, height, depth] = self.shape;
        CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_UNIFIED,
            srcHost: ptr::null(),
            srcDevice: source,
            srcArray: ptr::null_mut(),
            reserved0: ptr::null_mut(),
            srcPitch: self.pitches[0],
            srcHeight: self.heights[0],
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_UNIFIED,
            dstHost: ptr::null_mut(),
            dstDevice: target,
            dstArray: ptr::null_mut(),
            reserved1: ptr::null_mut(),
            dstPitch: self.pitches[1],
            dstHeight: self.heights[1],
            WidthInBytes: width,
            Height: height,
            Depth: depth,
        }
    }
}

impl Queue {
    /// The event of a copy that was enqueued. If that fails, nobody can wait for the copy: so this
    /// function does.
    fn event_of(&self, enqueued: Driver<()>) -> Driver<Box<dyn interface::Event>> {
        let event = enqueued.and_then(|()| self.stream.record_event(None));
        if event.is_err() {
            let _ = self.stream.synchronize();
        }
        Ok(Box::new(Event(event?)))
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
}

impl interface::Queue for Queue {
    fn launch(&self, kernel: &dyn interface::Kernel, grid: Grid, arguments: [&dyn interface::Buffer; 5]) -> Result<()> {
        let kernel: &Kernel = own(kernel)?;
        let mut addresses = [0; 5];
        for (address, buffer) in addresses.iter_mut().zip(arguments) {
            *address = own::<Buffer>(buffer)?.address;
        }
        let mut arguments = addresses.each_ref().map(|address| ptr::from_ref(address).cast_mut().cast::<c_void>());
        let mut overlap = overlap();
        let one_row = ([grid.blocks, 1], [grid.threads, 1]);
        let (blocks, threads) = grid.range.map_or(one_row, |range| (range.blocks(), range.shape()));
        let config = CUlaunchConfig {
            gridDimX: blocks[0] as u32,
            gridDimY: blocks[1] as u32,
            gridDimZ: 1,
            blockDimX: threads[0] as u32,
            blockDimY: threads[1] as u32,
            blockDimZ: 1,
            sharedMemBytes: grid.shared_bytes as u32,
            hStream: self.stream.cu_stream(),
            attrs: &mut overlap,
            numAttrs: (grid.follows && self.overlaps).into(),
        };
        // SAFETY: the kernel takes five pointers, and stays within the arrays that its descriptor
        // describes; if it follows another, it waits for that one's end before it touches any
        // (`print/cuda.rs`). What the call reads lives until it returns.
        let launched = unsafe {
            self.start(|| {
                let (function, arguments) = (kernel.function.cu_function(), arguments.as_mut_ptr());
                sys::cuLaunchKernelEx(&config, function, arguments, ptr::null_mut()).result()
            })
        };
        launched.map_err(|e| failed("launch a kernel", e))
    }

    fn finish(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| failed("finish", e))
    }

    fn wait_for(&self, other: &dyn interface::Queue) -> Result<()> {
        let other: &Queue = own(other)?;
        self.stream.join(&other.stream).map_err(|e| failed("wait for a stream", e))
    }

    fn is_capturing(&self) -> bool {
        releases::is_capturing(&self.stream)
    }

    fn raw(&self) -> *mut c_void {
        self.stream.cu_stream().cast()
    }
}

impl interface::Event for Event {
    fn wait(&self) -> Result<()> {
        self.0.synchronize().map_err(|e| failed("copy", e))
    }

    fn is_done(&self) -> Result<bool> {
        self.0.try_is_complete().map_err(|e| failed("copy", e))
    }
}

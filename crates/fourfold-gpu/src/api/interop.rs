//! The caller's queues and memory, as CUDA's and OpenCL's own handles.

use crate::api::array::{GpuArray, GpuScratch};
use crate::backend::cuda::queue;
use crate::backend::device::Device;
use crate::backend::opencl::context::Context;
use crate::backend::runtime::{Buffer, Runtime};
use crate::error::argument;
use fourfold::{Element, Result};
use std::ffi::c_void;
use std::sync::Arc;

impl Device {
    /// The same device, with the caller's queue: a `CUstream` of the device's primary context, or a
    /// `cl_command_queue` of the context that the device has ([`Device::of_opencl_queue`] opens one
    /// in the caller's).
    ///
    /// All that is done with the result, and with arrays and scratch that are made or moved there,
    /// is enqueued on that queue. A CUDA stream may be capturing a graph:
    /// [`GpuPlan::execute_on_with`](crate::api::plan::GpuPlan::execute_on_with) only launches
    /// kernels. The plan and the arrays must then outlive the graph, and no other plan or array may
    /// be dropped while a stream captures: that waits for the device.
    ///
    /// # Errors
    /// [`Argument`](fourfold::ErrorKind::Argument) if the queue belongs to another device or
    /// context, or runs out of order.
    ///
    /// # Safety
    /// `queue` must be such a queue; a CUDA stream must outlive the result and what is made
    /// with it.
    pub unsafe fn with_raw_queue(&self, queue: *mut c_void) -> Result<Device> {
        // SAFETY: the caller ensures that it is a queue.
        let queue = unsafe { self.runtime.queue_from_raw(queue) }?;
        Ok(Device { runtime: self.runtime.clone(), queue: Arc::new(queue) })
    }

    /// The device of the caller's `cl_command_queue`, in the queue's context, and with that queue.
    ///
    /// # Errors
    /// As [`Device::opencl`], and [`Argument`](fourfold::ErrorKind::Argument) if the queue runs out
    /// of order.
    ///
    /// # Safety
    /// `queue` must be a `cl_command_queue`.
    pub unsafe fn of_opencl_queue(queue: *mut c_void) -> Result<Device> {
        // SAFETY: the caller ensures that it is a queue.
        let runtime = Runtime::of(unsafe { Context::of_queue(queue) }?);
        // SAFETY: as above.
        let queue = unsafe { runtime.queue_from_raw(queue) }?;
        Ok(Device { runtime, queue: Arc::new(queue) })
    }

    /// The number of the CUDA device that the caller's `CUstream` belongs to, as [`Device::cuda`] takes
    /// it.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) without driver, or if the driver fails.
    ///
    /// # Safety
    /// `stream` must be a `CUstream`.
    pub unsafe fn number_of_cuda_stream(stream: *mut c_void) -> Result<usize> {
        // SAFETY: the caller ensures that it is a stream.
        unsafe { queue::number_of_device(stream) }
    }

    /// Its queue: a `CUstream` or a `cl_command_queue`. It lives as long as the device or one of
    /// its clones.
    pub fn raw_queue(&self) -> *mut c_void {
        self.queue.raw()
    }

    /// The caller's memory as an array: `memory` is a `CUdeviceptr` (as a pointer) or a `cl_mem`,
    /// and has `len` elements. It is not freed (a `cl_mem` is retained). An array that begins
    /// elsewhere in it is a problem's `offset`.
    ///
    /// # Errors
    /// [`Argument`](fourfold::ErrorKind::Argument) if the memory belongs to another device or
    /// context, an address is no multiple of 16 bytes, or the memory is shorter (which CUDA knows
    /// of `cuMemAlloc`'s alone).
    ///
    /// # Safety
    /// `memory` must be such memory. Until the array is dropped and what was enqueued with
    /// it is done, memory of CUDA must not be freed.
    pub unsafe fn array_from_raw<T: Element>(&self, memory: *mut c_void, len: usize) -> Result<GpuArray<T>> {
        let bytes = crate::api::pinned::bytes::<T>(len)?;
        // SAFETY: the caller ensures that it is memory.
        let buffer = unsafe { self.buffer_from_raw(memory, bytes, GROUP) }?;
        Ok(GpuArray::of(self.clone(), buffer, len))
    }

    /// The caller's memory as scratch of `bytes` bytes: see [`Device::array_from_raw`].
    ///
    /// # Errors
    /// As [`Device::array_from_raw`], with addresses that are multiples of 256.
    ///
    /// # Safety
    /// As [`Device::array_from_raw`].
    pub unsafe fn scratch_from_raw(&self, memory: *mut c_void, bytes: usize) -> Result<GpuScratch> {
        // SAFETY: the caller ensures that it is memory.
        let buffer = unsafe { self.buffer_from_raw(memory, bytes, 256) }?;
        Ok(GpuScratch { device: self.clone(), buffer, bytes })
    }

    /// # Safety
    /// As [`Device::array_from_raw`].
    unsafe fn buffer_from_raw(&self, memory: *mut c_void, bytes: usize, alignment: usize) -> Result<Buffer> {
        if bytes == 0 {
            return self.runtime.allocate(0);
        }
        if memory.is_null() {
            return Err(argument(format!("{bytes} bytes of memory cannot be at the null pointer")));
        }
        // SAFETY: the caller ensures that it is memory.
        unsafe { self.runtime.buffer_from_raw(memory, bytes, alignment) }
    }
}

/// Bytes that kernels read at once, at most.
const GROUP: usize = 16;

impl<T: Element> GpuArray<T> {
    /// Its memory: a `CUdeviceptr` (as a pointer) or a `cl_mem`. It lives as long as the array, and
    /// what was enqueued with it.
    pub fn raw(&self) -> *mut c_void {
        self.buffer.raw()
    }
}

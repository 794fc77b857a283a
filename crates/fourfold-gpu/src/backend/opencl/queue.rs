//! Command queues.

use crate::backend::opencl::context::{Driver, Kernel, Runtime, ends, failed};
use crate::backend::opencl::memory::{Buffer, Pinned};
use crate::backend::types::Grid;
use crate::error::argument;
use fourfold::Result;
use opencl3::command_queue::{CommandQueue, retain_command_queue};
use opencl3::device::Device;
use opencl3::event::{CL_COMPLETE, CommandExecutionStatus};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use std::ffi::c_void;
use std::ptr;
use std::sync::PoisonError;

pub(crate) struct Queue {
    pub(crate) queue: CommandQueue,
}

/// When something that was enqueued is done.
pub(crate) struct Event(opencl3::event::Event);

impl Runtime {
    pub(crate) fn queue(&self) -> Result<Queue> {
        let queue = CommandQueue::create_default_with_properties(&self.context, 0, 0);
        queue.map(|queue| Queue { queue }).map_err(failed("make a queue"))
    }

    /// The caller's queue.
    ///
    /// # Safety
    /// It must be a `cl_command_queue`.
    pub(crate) unsafe fn queue_from_raw(&self, queue: *mut c_void) -> Result<Queue> {
        let ends = ends(queue).map_err(failed("ask for the queue's context"))?;
        if ends.context != self.context.get() || ends.device != self.context.default_device() {
            let id = self.info.id;
            let message = format!("the queue belongs to another context or device than {id} as it was opened");
            return Err(argument(message));
        }
        if !ends.in_order {
            return Err(argument("the queue runs out of order: give one that runs in order".into()));
        }
        // SAFETY: a queue, which is released when this one is dropped.
        unsafe { retain_command_queue(queue) }.map_err(|e| failed("keep a queue")(e.into()))?;
        let queue = CommandQueue::wrap_cl_command_queue(queue, &Device::new(ends.device));
        queue.map(|queue| Queue { queue }).map_err(failed("use the queue"))
    }
}

impl Queue {
    pub(crate) fn raw(&self) -> *mut c_void {
        self.queue.get()
    }

    pub(crate) fn upload(&self, data: &[u8], to: &mut Buffer) -> Result<()> {
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_write_buffer(&mut to.memory, CL_BLOCKING, 0, data, &[]) };
        copied.map(|_| ()).map_err(failed("upload"))
    }

    pub(crate) fn download(&self, from: &Buffer, data: &mut [u8]) -> Result<()> {
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_read_buffer(&from.memory, CL_BLOCKING, 0, data, &[]) };
        copied.map(|_| ()).map_err(failed("download"))
    }

    /// # Safety
    /// `from` must stay as it is until the event has come.
    pub(crate) unsafe fn send(&self, from: &Pinned, bytes: usize, to: &mut Buffer) -> Result<Event> {
        let data = &from.bytes()[..bytes];
        // SAFETY: as promised by the caller.
        let copied = unsafe { self.queue.enqueue_write_buffer(&mut to.memory, CL_NON_BLOCKING, 0, data, &[]) };
        self.begun(copied).map_err(failed("upload"))
    }

    /// # Safety
    /// `to` must stay where it is, and not be touched, until the event has come.
    pub(crate) unsafe fn receive(&self, from: &Buffer, to: &mut Pinned, bytes: usize) -> Result<Event> {
        let data = &mut to.bytes_mut()[..bytes];
        // SAFETY: as promised by the caller.
        let copied = unsafe { self.queue.enqueue_read_buffer(&from.memory, CL_NON_BLOCKING, 0, data, &[]) };
        self.begun(copied).map_err(failed("download"))
    }

    /// Has the device begin what was enqueued. Where that fails the event is not waited for: so it
    /// must have come.
    fn begun(&self, event: Driver<opencl3::event::Event>) -> Driver<Event> {
        let event = event?;
        if let Err(e) = self.queue.flush() {
            let _ = self.queue.finish();
            return Err(e);
        }
        Ok(Event(event))
    }

    pub(crate) fn copy(&self, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        // SAFETY: OpenCL checks the sizes.
        let copied = unsafe { self.queue.enqueue_copy_buffer(&from.memory, &mut to.memory, 0, 0, bytes, &[]) };
        copied.map(|_| ()).map_err(failed("copy"))
    }

    pub(crate) fn launch(&self, kernel: &Kernel, grid: Grid, arguments: [&Buffer; 5]) -> Result<()> {
        let kernel = kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, buffer) in arguments.iter().enumerate() {
            // SAFETY: the kernel takes five pointers.
            unsafe { kernel.set_arg(i as u32, &buffer.raw()) }.map_err(failed("set an argument"))?;
        }
        let (local, global) = ([grid.threads], [grid.blocks * grid.threads]);
        // SAFETY: the kernel stays within the arrays that its spec describes; the sizes live until
        // the call returns.
        let launched = unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            self.queue.enqueue_nd_range_kernel(kernel.get(), 1, ptr::null(), global, local, &[])
        };
        launched.map(|_| ()).map_err(failed("launch a kernel"))
    }

    pub(crate) fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(failed("finish"))
    }

    /// What is enqueued from now on begins when all that `other` has is done.
    pub(crate) fn wait_for(&self, other: &Queue) -> Result<()> {
        let wait = || {
            // SAFETY: both queues are there.
            let reached = unsafe { other.queue.enqueue_marker_with_wait_list(&[]) }?;
            // Events of queues that were not flushed may never come.
            other.queue.flush()?;
            // SAFETY: as above; the event is retained by the barrier.
            unsafe { self.queue.enqueue_barrier_with_wait_list(&[reached.get()]) }
        };
        wait().map(|_| ()).map_err(failed("wait for a queue"))
    }
}

impl Event {
    pub(crate) fn wait(&self) -> Result<()> {
        self.0.wait().map_err(failed("copy"))
    }

    pub(crate) fn is_done(&self) -> Result<bool> {
        let CommandExecutionStatus(status) = self.0.command_execution_status().map_err(failed("ask for an event"))?;
        if status < 0 { Err(failed("copy")(status.into())) } else { Ok(status == CL_COMPLETE) }
    }
}

//! Command queues.

use crate::backend::interface;
use crate::backend::interface::{Buffer as _, Copies, Enqueue, Pinned as _, own, own_mut};
use crate::backend::opencl::compiler::Kernel;
use crate::backend::opencl::context::{Context, Driver, ends, failed};
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

/// The end of something that was enqueued.
struct Event(opencl3::event::Event);

impl Enqueue for Context {
    fn queue(&self) -> Result<Box<dyn interface::Queue>> {
        let queue = CommandQueue::create_default_with_properties(&self.context, 0, 0);
        Ok(Box::new(Queue { queue: queue.map_err(failed("make a queue"))? }))
    }

    unsafe fn queue_from_raw(&self, queue: *mut c_void) -> Result<Box<dyn interface::Queue>> {
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
        Ok(Box::new(Queue { queue: queue.map_err(failed("use the queue"))? }))
    }
}

impl Copies for Queue {
    fn upload(&self, data: &[u8], to: &mut dyn interface::Buffer) -> Result<()> {
        let to: &mut Buffer = own_mut(to)?;
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_write_buffer(&mut to.memory, CL_BLOCKING, 0, data, &[]) };
        copied.map(|_| ()).map_err(failed("upload"))
    }

    fn download(&self, from: &dyn interface::Buffer, data: &mut [u8]) -> Result<()> {
        let from: &Buffer = own(from)?;
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_read_buffer(&from.memory, CL_BLOCKING, 0, data, &[]) };
        copied.map(|_| ()).map_err(failed("download"))
    }

    fn copy(&self, from: &dyn interface::Buffer, to: &mut dyn interface::Buffer, bytes: usize) -> Result<()> {
        let (from, to): (&Buffer, &mut Buffer) = (own(from)?, own_mut(to)?);
        // SAFETY: OpenCL checks the sizes.
        let copied = unsafe { self.queue.enqueue_copy_buffer(&from.memory, &mut to.memory, 0, 0, bytes, &[]) };
        copied.map(|_| ()).map_err(failed("copy"))
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
        let copied = unsafe { self.queue.enqueue_write_buffer(&mut to.memory, CL_NON_BLOCKING, 0, data, &[]) };
        self.event_of(copied).map_err(failed("upload"))
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
        let copied = unsafe { self.queue.enqueue_read_buffer(&from.memory, CL_NON_BLOCKING, 0, data, &[]) };
        self.event_of(copied).map_err(failed("download"))
    }
}

impl Queue {
    /// Has the device begin a copy that was enqueued. If that fails, nobody can wait for the copy:
    /// so this function does.
    fn event_of(&self, event: Driver<opencl3::event::Event>) -> Driver<Box<dyn interface::Event>> {
        let event = event?;
        if let Err(e) = self.queue.flush() {
            let _ = self.queue.finish();
            return Err(e);
        }
        Ok(Box::new(Event(event)))
    }
}

impl interface::Queue for Queue {
    fn launch(&self, kernel: &dyn interface::Kernel, grid: Grid, arguments: [&dyn interface::Buffer; 5]) -> Result<()> {
        let kernel = own::<Kernel>(kernel)?.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, buffer) in arguments.into_iter().enumerate() {
            let memory = own::<Buffer>(buffer)?.raw();
            // SAFETY: the kernel takes five pointers.
            unsafe { kernel.set_arg(i as u32, &memory) }.map_err(failed("set an argument"))?;
        }
        let (local, global) = ([grid.threads], [grid.blocks * grid.threads]);
        // SAFETY: the kernel stays within the arrays that its descriptor describes; the sizes live
        // until the call returns.
        let launched = unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            self.queue.enqueue_nd_range_kernel(kernel.get(), 1, ptr::null(), global, local, &[])
        };
        launched.map(|_| ()).map_err(failed("launch a kernel"))
    }

    fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(failed("finish"))
    }

    fn wait_for(&self, other: &dyn interface::Queue) -> Result<()> {
        let other: &Queue = own(other)?;
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

    fn raw(&self) -> *mut c_void {
        self.queue.get()
    }
}

impl interface::Event for Event {
    fn wait(&self) -> Result<()> {
        self.0.wait().map_err(failed("copy"))
    }

    fn is_done(&self) -> Result<bool> {
        let CommandExecutionStatus(status) = self.0.command_execution_status().map_err(failed("ask for an event"))?;
        if status < 0 { Err(failed("copy")(status.into())) } else { Ok(status == CL_COMPLETE) }
    }
}

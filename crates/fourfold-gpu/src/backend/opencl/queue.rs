//! Command queues.

use crate::backend::interface;
use crate::backend::interface::{Buffer as _, Copies, Enqueue, Pinned as _, own, own_mut};
use crate::backend::opencl::compiler::Kernel;
use crate::backend::opencl::context::{Context, DIMENSIONS, ends};
use crate::backend::opencl::errors::{Driver, failed};
use crate::backend::opencl::memory::{Buffer, Pinned};
use crate::backend::opencl::owned::{Owned, enqueued};
use crate::backend::types::{BoxCopy, Grid, Planes};
use crate::error::argument;
use crate::ir::range::Range;
use cl3::load_library;
use fourfold::Result;
use fourfold::baseline::GroupShape;
use opencl3::command_queue::{CommandQueue, retain_command_queue};
use opencl3::error_codes::{CL_SUCCESS, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::event::{CL_COMPLETE, CommandExecutionStatus};
use opencl3::memory::{Buffer as Memory, CL_MAP_READ, CL_MAP_WRITE_INVALIDATE_REGION, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_command_queue, cl_kernel, cl_map_flags};
use std::ffi::c_void;
use std::ptr;
use std::slice;
use std::sync::PoisonError;

pub(crate) struct Queue {
    pub(crate) queue: Owned<CommandQueue>,
}

/// The end of something that was enqueued.
struct Event(Owned<opencl3::event::Event>);

impl Enqueue for Context {
    fn queue(&self) -> Result<Box<dyn interface::Queue>> {
        Ok(Box::new(Queue { queue: self.new_queue().map_err(failed("make a queue"))? }))
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
        Ok(Box::new(Queue { queue: Owned::new(CommandQueue::new(queue, DIMENSIONS)) }))
    }
}

impl Copies for Queue {
    fn upload(&self, data: &[u8], to: &mut dyn interface::Buffer) -> Result<()> {
        let to: &mut Buffer = own_mut(to)?;
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_write_buffer(&mut to.memory, CL_BLOCKING, 0, data, &[]) };
        enqueued(copied).map_err(failed("upload"))
    }

    fn download(&self, from: &dyn interface::Buffer, data: &mut [u8]) -> Result<()> {
        let from: &Buffer = own(from)?;
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_read_buffer(&from.memory, CL_BLOCKING, 0, data, &[]) };
        enqueued(copied).map_err(failed("download"))
    }

    fn copy(&self, from: &dyn interface::Buffer, to: &mut dyn interface::Buffer, bytes: usize) -> Result<()> {
        let (from, to): (&Buffer, &mut Buffer) = (own(from)?, own_mut(to)?);
        // SAFETY: OpenCL checks the sizes.
        let copied = unsafe { self.queue.enqueue_copy_buffer(&from.memory, &mut to.memory, 0, 0, bytes, &[]) };
        enqueued(copied).map_err(failed("copy"))
    }

    fn copy_box(&self, from: &dyn interface::Buffer, to: &mut dyn interface::Buffer, copy: &BoxCopy) -> Result<()> {
        let (from, to): (&Buffer, &mut Buffer) = (own(from)?, own_mut(to)?);
        for Planes { starts, shape, pitches, heights } in copy.planes() {
            let (source, target) = (&from.memory, &mut to.memory);
            // SAFETY: OpenCL checks the sizes, and reads the origins before it returns.
            let copied = unsafe {
                match shape {
                    [run, 1, 1] => self.queue.enqueue_copy_buffer(source, target, starts[0], starts[1], run, &[]),
                    _ => {
                        let origins = starts.map(|start| [start, 0, 0]);
                        let [from, to] = [0, 1].map(|side| (pitches[side], pitches[side] * heights[side]));
                        self.queue.enqueue_copy_buffer_rect(
                            source,
                            target,
                            origins[0].as_ptr(),
                            origins[1].as_ptr(),
                            shape.as_ptr(),
                            from.0,
                            from.1,
                            to.0,
                            to.1,
                            &[],
                        )
                    }
                }
            };
            enqueued(copied).map_err(failed("copy"))?;
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

    fn map(
        &self,
        from: &dyn interface::Buffer,
        to: &mut dyn interface::Buffer,
        bytes: usize,
        work: &mut dyn FnMut(&[u8], &mut [u8]),
    ) -> Result<bool> {
        let (from, to): (&Buffer, &mut Buffer) = (own(from)?, own_mut(to)?);
        if from.raw() == to.raw() {
            return Err(argument("an array cannot be mapped to be read and to be written at once".into()));
        }
        let map = |memory, access| self.mapped(memory, access, bytes).map_err(failed("map memory"));
        let source = map(&from.memory, CL_MAP_READ)?;
        let target = map(&to.memory, CL_MAP_WRITE_INVALIDATE_REGION);
        if let Ok(target) = &target {
            // SAFETY: so many bytes are mapped, and nothing that was enqueued uses them. Scratch and
            // the caller's output, of which these arrays are, do not overlap.
            work(unsafe { slice::from_raw_parts(source.cast(), bytes) }, unsafe {
                slice::from_raw_parts_mut(target.cast(), bytes)
            });
        }
        let unmap = |memory: &Memory<u8>, pointer| {
            // SAFETY: was mapped, and is unmapped once.
            let unmapped = unsafe { self.queue.enqueue_unmap_mem_object(memory.get(), pointer, &[]) };
            enqueued(unmapped).map_err(failed("unmap memory"))
        };
        let unmapped = [Some(unmap(&from.memory, source)), target.as_ref().ok().map(|at| unmap(&to.memory, *at))];
        target?;
        unmapped.into_iter().flatten().collect::<Result<()>>()?;
        Ok(true)
    }
}

impl Queue {
    /// The first bytes of memory of a device, where the host reaches them when all that was
    /// enqueued is done.
    fn mapped(&self, memory: &Memory<u8>, access: cl_map_flags, bytes: usize) -> Driver<*mut c_void> {
        let mut pointer = ptr::null_mut();
        // SAFETY: blocks until the memory is mapped.
        let mapped = unsafe { self.queue.enqueue_map_buffer(memory, CL_BLOCKING, access, 0, bytes, &mut pointer, &[]) };
        enqueued(mapped)?;
        Ok(pointer)
    }

    /// Has the device begin a copy that was enqueued. If that fails, nobody can wait for the copy:
    /// so this function does.
    fn event_of(&self, event: Driver<opencl3::event::Event>) -> Driver<Box<dyn interface::Event>> {
        let event = Owned::new(event?);
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
        let [global, local] = sizes(grid);
        let dimensions = if global[1] > 1 { 2 } else { 1 };
        let local = if local[0] == 0 { ptr::null() } else { local.as_ptr() };
        // The kernel stays within the arrays that its descriptor describes; the sizes live until the
        // call returns.
        launched(self.queue.get(), kernel.get(), dimensions, global.as_ptr(), local).map_err(failed("launch a kernel"))
    }

    fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(failed("finish"))
    }

    fn wait_for(&self, other: &dyn interface::Queue) -> Result<()> {
        let other: &Queue = own(other)?;
        let wait = || {
            // SAFETY: both queues are there.
            let reached = Owned::new(unsafe { other.queue.enqueue_marker_with_wait_list(&[]) }?);
            // Events of queues that were not flushed may never come.
            other.queue.flush()?;
            // SAFETY: as above; the event is retained by the barrier.
            enqueued(unsafe { self.queue.enqueue_barrier_with_wait_list(&[reached.get()]) })
        };
        wait().map_err(failed("wait for a queue"))
    }

    fn raw(&self) -> *mut c_void {
        self.queue.get()
    }
}

/// Enqueues a kernel without an event, which opencl3 always asks for: a launch with one takes NVIDIA's
/// driver 1.5 µs longer.
fn launched(
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: u32,
    global: *const usize,
    local: *const usize,
) -> Driver<()> {
    let library = load_library().as_ref().map_err(|_| ClError(DLOPEN_RUNTIME_LOAD_FAILED))?;
    let none = ptr::null();
    let status =
        library.clEnqueueNDRangeKernel(queue, kernel, dimensions, none, global, local, 0, ptr::null(), ptr::null_mut());
    match status {
        Some(CL_SUCCESS) => Ok(()),
        status => Err(ClError(status.unwrap_or(DLOPEN_FUNCTION_NOT_AVAILABLE))),
    }
}

/// The global size of a launch and its local size, which is 0 where the driver chooses it.
fn sizes(grid: Grid) -> [[usize; 2]; 2] {
    match grid.range {
        None => [[grid.blocks * grid.threads, 1], [grid.threads, 1]],
        Some(Range { items, groups: GroupShape::Driver }) => [items, [0; 2]],
        Some(range) => {
            let (blocks, shape) = (range.blocks(), range.shape());
            [[0, 1].map(|dimension| blocks[dimension] * shape[dimension]), shape]
        }
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

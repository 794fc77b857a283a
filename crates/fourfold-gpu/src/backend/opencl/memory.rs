//! Memory of devices, and pinned memory of the host.

use crate::backend::interface;
use crate::backend::interface::Allocate;
use crate::backend::opencl::context::Context;
use crate::backend::opencl::errors::{Driver, failed};
use crate::backend::opencl::owned::{Owned, enqueued};
use crate::error::{argument, unavailable};
use fourfold::Result;
use opencl3::command_queue::CommandQueue;
use opencl3::error_codes::ClError;
use opencl3::memory::{
    Buffer as Memory, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem, retain_mem_object,
};
use opencl3::types::CL_BLOCKING;
use std::ffi::c_void;
use std::ptr;
use std::ptr::NonNull;

/// Device memory. OpenCL frees it when nothing that was enqueued uses it any more.
pub(crate) struct Buffer {
    pub(crate) memory: Owned<Memory<u8>>,
}

impl Allocate for Context {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn interface::Buffer>> {
        // SAFETY: no host memory is given.
        let memory = unsafe { Memory::create(&self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut()) };
        Ok(Box::new(Buffer { memory: Owned::new(memory.map_err(|e| self.full(bytes, e))?) }))
    }

    /// A `cl_mem` is no address: it has no alignment.
    unsafe fn buffer_from_raw(
        &self,
        memory: *mut c_void,
        bytes: usize,
        _: usize,
    ) -> Result<Box<dyn interface::Buffer>> {
        // SAFETY: the caller ensures that it is a memory object.
        let memory = unsafe { retained(memory) }?;
        let ask = || -> Driver<_> { Ok((memory.context()?, memory.size()?)) };
        let (context, size) = ask().map_err(failed("ask for the size of memory"))?;
        if context != self.context.get() {
            let id = self.info.id;
            return Err(argument(format!("the memory belongs to another context than {id} as it was opened")));
        }
        if size < bytes {
            return Err(argument(format!("the memory has {size} bytes, not {bytes}")));
        }
        Ok(Box::new(Buffer { memory }))
    }

    /// Copies are fastest from memory that OpenCL has allocated. The host can use it while it is
    /// mapped.
    fn pinned(&self, bytes: usize) -> Result<Box<dyn interface::Pinned>> {
        let open = || -> Driver<Pinned> {
            let queue = self.new_queue()?;
            let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
            // SAFETY: no host memory is given.
            let memory = Owned::new(unsafe { Memory::create(&self.context, flags, bytes, ptr::null_mut()) }?);
            let mut pointer = ptr::null_mut();
            let both = CL_MAP_READ | CL_MAP_WRITE;
            // SAFETY: blocks until the memory is mapped.
            enqueued(unsafe { queue.enqueue_map_buffer(&memory, CL_BLOCKING, both, 0, bytes, &mut pointer, &[]) })?;
            // SAFETY: so many bytes are mapped.
            unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
            let pointer = NonNull::new(pointer.cast()).expect("mapped memory has an address");
            Ok(Pinned { pointer, bytes, memory, queue })
        };
        Ok(Box::new(open().map_err(failed(&format!("pin {bytes} bytes of the host's memory")))?))
    }

    fn alignment(&self) -> usize {
        // In bits.
        let asked = self.device().mem_base_addr_align();
        asked.map_or(4096, |bits| bits as usize / 8).max(8)
    }
}

impl Context {
    /// The error of an allocation.
    fn full(&self, bytes: usize, error: ClError) -> fourfold::Error {
        let most = self.device().max_mem_alloc_size().unwrap_or_default();
        unavailable(format!(
            "{bytes} bytes are needed on {} ({}), which has {} and gives {most} at a time: {error}",
            self.info.id, self.info.name, self.info.memory
        ))
    }
}

/// A memory object with one reference more, which is released when the result is dropped.
///
/// # Safety
/// It must be a `cl_mem`.
unsafe fn retained(memory: *mut c_void) -> Result<Owned<Memory<u8>>> {
    // SAFETY: the caller ensures that it is a memory object.
    unsafe { retain_mem_object(memory) }.map_err(|e| failed("keep memory")(e.into()))?;
    Ok(Owned::new(Memory::new(memory)))
}

impl interface::Buffer for Buffer {
    /// OpenCL takes no part of a part: it is one of the whole.
    fn part(&self, offset: usize, bytes: usize) -> Result<Box<dyn interface::Buffer>> {
        let ask = || -> Driver<_> { Ok((self.memory.associated_memobject()?, self.memory.offset()?)) };
        let (whole, start) = ask().map_err(failed("ask where memory is"))?;
        // SAFETY: a memory object, which a part of it keeps.
        let whole = unsafe { retained(if whole.is_null() { self.raw() } else { whole }) }?;
        // SAFETY: a part keeps the whole.
        let part = unsafe { whole.create_sub_buffer(CL_MEM_READ_WRITE, start + offset, bytes) };
        let memory = part.map_err(failed(&format!("take bytes {offset} and on of memory")))?;
        Ok(Box::new(Buffer { memory: Owned::new(memory) }))
    }

    fn share(&self) -> Result<Box<dyn interface::Buffer>> {
        // SAFETY: a memory object.
        Ok(Box::new(Buffer { memory: unsafe { retained(self.raw()) }? }))
    }

    fn raw(&self) -> *mut c_void {
        self.memory.get()
    }
}

/// Host memory that stays where it is.
pub(crate) struct Pinned {
    pointer: NonNull<u8>,
    bytes: usize,
    memory: Owned<Memory<u8>>,
    /// Maps and unmaps it.
    queue: Owned<CommandQueue>,
}

// SAFETY: it is memory, and owned.
unsafe impl Send for Pinned {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Pinned {}

impl interface::Pinned for Pinned {
    fn bytes(&self) -> &[u8] {
        // SAFETY: mapped with so many bytes, and filled.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: was mapped, and is unmapped once. After a failure nothing is left to do.
        let unmapped =
            unsafe { self.queue.enqueue_unmap_mem_object(self.memory.get(), self.pointer.as_ptr().cast(), &[]) };
        let _ = enqueued(unmapped);
        let _ = self.queue.finish();
    }
}

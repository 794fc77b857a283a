//! Memory of devices, and pinned memory of the host.

use crate::backend::cuda::context::{Context, Driver, failed};
use crate::backend::cuda::releases::{Releases, bind_to_release};
use crate::backend::interface;
use crate::backend::interface::Allocate;
use crate::error::{argument, unavailable};
use cudarc::driver::sys::{CUdeviceptr, CUmemorytype, CUpointer_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, DriverError, result, sys};
use fourfold::Result;
use std::ffi::c_void;
use std::ptr;
use std::ptr::NonNull;
use std::sync::Arc;

/// Device memory, or a part of it.
pub(crate) struct Buffer {
    pub(crate) address: CUdeviceptr,
    /// Absent if it is the caller's.
    memory: Option<Arc<Memory>>,
}

/// Of `cuMemAlloc`: every stream can use it at once, and freeing it waits for all of them.
struct Memory {
    allocation: Option<Allocation>,
    releases: Arc<Releases>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.releases.release(self.allocation.take());
    }
}

struct Allocation {
    address: CUdeviceptr,
    context: Arc<CudaContext>,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: was allocated, and is freed once. After a failure nothing is left to do.
        let _ = bind_to_release(&self.context).and_then(|()| unsafe { result::free_sync(self.address) });
    }
}

impl Allocate for Context {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn interface::Buffer>> {
        self.releases.give_back();
        // SAFETY: plain bytes; what is read was written before.
        let allocate = || unsafe { result::malloc_sync(bytes) };
        let address = self.context.bind_to_thread().and_then(|()| allocate()).map_err(|e| self.full(bytes, e))?;
        let allocation = Some(Allocation { address, context: Arc::clone(&self.context) });
        let memory = Arc::new(Memory { allocation, releases: Arc::clone(&self.releases) });
        Ok(Box::new(Buffer { address, memory: Some(memory) }))
    }

    unsafe fn buffer_from_raw(
        &self,
        memory: *mut c_void,
        bytes: usize,
        alignment: usize,
    ) -> Result<Box<dyn interface::Buffer>> {
        if memory.addr() % alignment != 0 {
            return Err(argument(format!(
                "the address {memory:?} is not a multiple of {alignment} bytes: pass an aligned address, and give the rest as the problem's offset"
            )));
        }
        let address = memory.addr() as CUdeviceptr;
        let facts = self.context.bind_to_thread().and_then(|()| Facts::of(address));
        self.check(address, bytes, &facts.map_err(|e| failed("ask for an address", e))?)?;
        Ok(Box::new(Buffer { address, memory: None }))
    }

    fn pinned(&self, bytes: usize) -> Result<Box<dyn interface::Pinned>> {
        let allocate = || {
            self.context.bind_to_thread()?;
            // SAFETY: filled with zeros before it is read.
            let pointer = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE) }?.cast::<u8>();
            // SAFETY: so many bytes were allocated.
            unsafe { pointer.write_bytes(0, bytes) };
            Ok(pointer)
        };
        let pointer = allocate().map_err(|e| failed(&format!("pin {bytes} bytes of the host's memory"), e))?;
        let pointer = NonNull::new(pointer).expect("memory has an address");
        let pages = Pages { pointer, context: Arc::clone(&self.context) };
        Ok(Box::new(Pinned { pointer, bytes, pages: Some(pages), releases: Arc::clone(&self.releases) }))
    }

    /// cuMemAlloc's alignment.
    fn alignment(&self) -> usize {
        256
    }

    fn free_bytes(&self) -> Option<u64> {
        self.context.bind_to_thread().and_then(|()| result::mem_get_info()).ok().map(|(free, _)| free as u64)
    }
}

impl Context {
    /// The error of an allocation.
    fn full(&self, bytes: usize, error: DriverError) -> fourfold::Error {
        match result::mem_get_info() {
            Ok((free, total)) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => unavailable(format!(
                "{bytes} bytes are needed on {} ({}), of whose {total} bytes {free} are free",
                self.info.id, self.info.name
            )),
            _ => failed(&format!("allocate {bytes} bytes"), error),
        }
    }

    /// An error if an address is not that of so many bytes that this device can use.
    fn check(&self, address: CUdeviceptr, bytes: usize, facts: &Facts) -> Result<()> {
        let id = self.info.id;
        let wrong = |what: String| Err(argument(format!("{address:#x} is {what}")));
        if facts.kind == 0 {
            return wrong("no address of CUDA's memory".into());
        }
        // Pinned memory of the host can be read by all devices.
        if facts.kind != CUmemorytype::CU_MEMORYTYPE_DEVICE as u64 {
            return Ok(());
        }
        if facts.ordinal != id.number as u64 {
            return wrong(format!("memory of cuda:{}, not of {id}", facts.ordinal));
        }
        // Memory of pools has no context.
        if ![0, self.context.cu_ctx().addr() as u64].contains(&facts.context) {
            return wrong(format!("memory of another context than {id}'s primary one"));
        }
        // Only of cuMemAlloc is the range what was allocated: elsewhere, one array may be made of
        // several.
        let there = (facts.start + facts.size).saturating_sub(address);
        if facts.of_mem_alloc && there < bytes as u64 {
            return wrong(format!("the address of {there} bytes, not of {bytes}"));
        }
        Ok(())
    }
}

/// What the driver knows of an address; 0 where it knows nothing.
struct Facts {
    kind: u64,
    ordinal: u64,
    context: u64,
    start: u64,
    size: u64,
    of_mem_alloc: bool,
}

impl Facts {
    fn of(address: CUdeviceptr) -> Driver<Facts> {
        let mut asked = [
            Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            Attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
            Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
            Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
            Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        ];
        // Answers have up to 8 bytes; hosts with CUDA are little-endian.
        let mut answers = [0u64; 6];
        let mut places = answers.each_mut().map(|answer| ptr::from_mut(answer).cast::<c_void>());
        // SAFETY: there is room for each answer.
        unsafe { sys::cuPointerGetAttributes(6, asked.as_mut_ptr(), places.as_mut_ptr(), address) }.result()?;
        let [kind, ordinal, context, start, size, ipc] = answers;
        Ok(Facts { kind, ordinal, context, start, size, of_mem_alloc: ipc != 0 })
    }
}

impl interface::Buffer for Buffer {
    fn part(&self, offset: usize, _: usize) -> Result<Box<dyn interface::Buffer>> {
        Ok(Box::new(Buffer { address: self.address + offset as u64, memory: self.memory.clone() }))
    }

    fn share(&self) -> Result<Box<dyn interface::Buffer>> {
        self.part(0, 0)
    }

    fn raw(&self) -> *mut c_void {
        ptr::without_provenance_mut(self.address as usize)
    }
}

/// Host memory that stays where it is.
pub(crate) struct Pinned {
    pointer: NonNull<u8>,
    bytes: usize,
    pages: Option<Pages>,
    releases: Arc<Releases>,
}

struct Pages {
    pointer: NonNull<u8>,
    context: Arc<CudaContext>,
}

// SAFETY: it is memory, and owned.
unsafe impl Send for Pages {}

// SAFETY: it is memory, and owned.
unsafe impl Send for Pinned {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Pinned {}

impl interface::Pinned for Pinned {
    fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with so many bytes, and filled.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.releases.release(self.pages.take());
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: was allocated, and is freed once. After a failure nothing is left to do.
        let _ =
            bind_to_release(&self.context).and_then(|()| unsafe { result::free_host(self.pointer.as_ptr().cast()) });
    }
}

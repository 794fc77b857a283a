//! Memory of devices, and pinned memory of the host.

use super::{Driver, Runtime, failed};
use crate::runtime::{argument, unavailable};
use cudarc::driver::sys::{self, CUdeviceptr, CUmemorytype, CUpointer_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, DriverError, result};
use fourfold::Result;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Device memory, or a part of it.
pub(crate) struct Buffer {
    pub(super) address: CUdeviceptr,
    /// Absent if it is the caller's.
    memory: Option<Arc<Memory>>,
}

/// Of `cuMemAlloc`: every stream can use it at once, and freeing it waits for all of them.
struct Memory {
    address: CUdeviceptr,
    context: Arc<CudaContext>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: was allocated, and is freed once. After a failure nothing is left to do.
        let _ = self.context.bind_to_thread().and_then(|()| unsafe { result::free_sync(self.address) });
    }
}

impl Runtime {
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Buffer> {
        // SAFETY: plain bytes; what is read was written before.
        let allocate = || unsafe { result::malloc_sync(bytes) };
        let address = self.context.bind_to_thread().and_then(|()| allocate()).map_err(|e| self.full(bytes, e))?;
        let memory = Arc::new(Memory { address, context: Arc::clone(&self.context) });
        Ok(Buffer { address, memory: Some(memory) })
    }

    fn full(&self, bytes: usize, error: DriverError) -> fourfold::Error {
        match result::mem_get_info() {
            Ok((free, total)) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => unavailable(format!(
                "{bytes} bytes are needed on {} ({}), of whose {total} bytes {free} are free",
                self.info.id, self.info.name
            )),
            _ => failed(&format!("allocate {bytes} bytes"), error),
        }
    }

    /// The caller's memory.
    ///
    /// # Safety
    /// It must outlive the buffer.
    pub(crate) unsafe fn buffer_from_raw(&self, memory: *mut c_void) -> Result<Buffer> {
        let address = memory.addr() as CUdeviceptr;
        self.context.bind_to_thread().map_err(|e| failed("use the device", e))?;
        self.check_address(address)?;
        Ok(Buffer { address, memory: None })
    }

    fn check_address(&self, address: CUdeviceptr) -> Result<()> {
        let (mut kind, mut ordinal, mut context) = (0u32, 0i32, ptr::null_mut::<c_void>());
        let kind_of = ask(&mut kind, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
        let ordinal_of = ask(&mut ordinal, Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
        if kind_of.and(ordinal_of).is_err() {
            return Err(argument(format!("{address:#x} is no address of CUDA's memory")));
        }
        // Pinned memory of the host can be read by all devices.
        if kind != CUmemorytype::CU_MEMORYTYPE_DEVICE as u32 {
            return Ok(());
        }
        let id = self.info.id;
        if ordinal as usize != id.number {
            return Err(argument(format!("{address:#x} is memory of cuda:{ordinal}, not of {id}")));
        }
        // Memory of pools has no context.
        let known = ask(&mut context, Attribute::CU_POINTER_ATTRIBUTE_CONTEXT, address).is_ok() && !context.is_null();
        if known && context != self.context.cu_ctx().cast() {
            return Err(argument(format!("{address:#x} is memory of another context than {id}'s primary one")));
        }
        Ok(())
    }

    pub(crate) fn pinned(&self, bytes: usize) -> Result<Pinned> {
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
        Ok(Pinned { pointer, bytes, context: Arc::clone(&self.context) })
    }
}

/// One answer about an address.
fn ask<T>(answer: &mut T, attribute: Attribute, address: CUdeviceptr) -> Driver<()> {
    // SAFETY: the answers that are asked for have these types.
    unsafe { sys::cuPointerGetAttribute(ptr::from_mut(answer).cast(), attribute, address) }.result()
}

impl Buffer {
    pub(crate) fn raw(&self) -> *mut c_void {
        ptr::without_provenance_mut(self.address as usize)
    }

    /// What begins at a byte of it.
    pub(crate) fn part(&self, offset: usize) -> Buffer {
        Buffer { address: self.address + offset as u64, memory: self.memory.clone() }
    }
}

/// Host memory that stays where it is.
pub(crate) struct Pinned {
    pointer: NonNull<u8>,
    bytes: usize,
    context: Arc<CudaContext>,
}

// SAFETY: it is memory, and owned.
unsafe impl Send for Pinned {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with so many bytes, and filled.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.bytes) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: was allocated, and is freed once. After a failure nothing is left to do.
        let _ = self.context.bind_to_thread().and_then(|()| unsafe { result::free_host(self.pointer.as_ptr().cast()) });
    }
}

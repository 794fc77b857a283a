//! Coefficients in memory of our own: libjpeg asks its memory manager for arrays of blocks, and for
//! rows of them when it fills them. The manager is a table of functions; these stand in it.
//!
//! Files with one scan, in which libjpeg fills every row of blocks once and in order, need no more
//! memory than for the row that is being filled: whoever waits for rows gets it before the next.

use crate::ffi::{Failure, sys};
use crate::memory::zeros;
use fourfold::Result;
use std::ffi::{c_int, c_uint};

/// A component's blocks: all, or those of a row of groups.
#[derive(Default)]
pub(crate) struct Array {
    pub(crate) blocks: Vec<[i16; 64]>,
    /// Blocks in a row of the array: whole groups.
    pub(crate) across: usize,
    /// Rows of the array, and of a group.
    down: usize,
    group: usize,
    /// Where the rows are that libjpeg has asked for last.
    pointers: Vec<*mut [i16; 64]>,
}

// SAFETY: the pointers are for libjpeg, which asks for them anew whenever it needs them; they own
// nothing.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}

impl Array {
    /// One of the same size, without coefficients.
    pub(crate) fn empty(&self) -> Result<Array> {
        let Array { ref blocks, across, down, group, .. } = *self;
        Ok(Array { blocks: zeros(blocks.len(), COEFFICIENTS)?, across, down, group, pointers: Vec::new() })
    }
}

/// What there may be no memory for.
const COEFFICIENTS: &str = "coefficients";

/// Does something with the blocks of a row of groups, and leaves zeros.
pub(crate) type Sink<'a> = dyn FnMut(usize, &mut [Array]) -> Result<()> + 'a;

/// The arrays of a file.
#[derive(Default)]
pub(crate) struct Arrays {
    pub(crate) all: Vec<Array>,
    /// Who takes rows as they are filled. Its lifetime is that of the call of libjpeg during which
    /// it is here.
    sink: Option<*mut Sink<'static>>,
    /// The row of groups that is being filled.
    present: usize,
}

impl Arrays {
    /// Hands what has been filled to the sink.
    fn flush(&mut self) {
        if let Some(sink) = self.sink {
            // SAFETY: `with_sink` takes the pointer away before its borrow ends.
            Failure::unwind_on_error(unsafe { (*sink)(self.present, &mut self.all) });
        }
    }
}

/// Calls `fill`, during which the arrays of `info` go to the sink, row by row.
///
/// # Safety
/// `info` has been given to [`install`].
pub(crate) unsafe fn with_sink<T>(info: *mut sys::jpeg_common_struct, sink: &mut Sink, fill: impl FnOnce() -> T) -> T {
    /// Takes the pointer away, also when unwinding.
    struct Away(*mut Arrays);
    impl Drop for Away {
        fn drop(&mut self) {
            // SAFETY: the arrays outlive the call.
            unsafe { (*self.0).sink = None };
        }
    }
    // SAFETY: the caller's; only the lifetime changes, and the pointer is gone when it ends.
    unsafe {
        let arrays: *mut Arrays = arrays(info);
        (*arrays).sink = Some(std::mem::transmute::<*mut Sink<'_>, *mut Sink<'static>>(sink));
        let _away = Away(arrays);
        let done = fill();
        (*arrays).flush();
        done
    }
}

/// Puts our functions into the table of a decompressor whose client's data are a
/// [`Client`](crate::ffi::Client).
///
/// # Safety
/// It has been created.
pub(crate) unsafe fn install(info: &mut sys::jpeg_decompress_struct) {
    // SAFETY: the caller's.
    let memory = unsafe { &mut *info.common.mem };
    memory.request_virt_barray = Some(request);
    memory.realize_virt_arrays = Some(realize);
    memory.access_virt_barray = Some(access);
}

/// The arrays of a decompressor.
///
/// # Safety
/// Its client's data are a [`Client`](crate::ffi::Client), which nobody else uses meanwhile.
unsafe fn arrays<'a>(info: *mut sys::jpeg_common_struct) -> &'a mut Arrays {
    // SAFETY: the caller's.
    unsafe { &mut (*(*info).client_data.cast::<crate::ffi::Client>()).arrays }
}

/// A new array; what stands for it is its number, from 1.
unsafe extern "C-unwind" fn request(
    info: &mut sys::jpeg_common_struct,
    _pool: c_int,
    _zero: c_int,
    across: c_uint,
    down: c_uint,
    group: c_uint,
) -> *mut sys::jvirt_barray_control {
    // SAFETY: `install` is for decompressors with a client.
    let all = unsafe { &mut arrays(info).all };
    let [across, down, group] = [across, down, group].map(|size| size as usize);
    all.push(Array { across, down, group, ..Array::default() });
    std::ptr::without_provenance_mut(all.len())
}

/// Memory for all that have been asked for.
unsafe extern "C-unwind" fn realize(info: &mut sys::jpeg_common_struct) {
    // SAFETY: as above.
    let Arrays { all, sink, .. } = unsafe { arrays(info) };
    for array in all {
        let rows = if sink.is_some() { array.group } else { array.down };
        array.blocks = Failure::unwind_on_error(zeros(array.across * rows, COEFFICIENTS));
    }
}

/// Pointers to rows that libjpeg will fill.
unsafe extern "C-unwind" fn access(
    info: &mut sys::jpeg_common_struct,
    number: *mut sys::jvirt_barray_control,
    start: c_uint,
    count: c_uint,
    _writable: c_int,
) -> sys::JBLOCKARRAY {
    // SAFETY: as above.
    let arrays = unsafe { arrays(info) };
    let (index, start, count) = (number.addr() - 1, start as usize, count as usize);
    let row = start / arrays.all[index].group;
    if arrays.sink.is_some() && row != arrays.present {
        arrays.flush();
        arrays.present = row;
    }
    let first = if arrays.sink.is_some() { 0 } else { start };
    let Array { blocks, across, pointers, .. } = &mut arrays.all[index];
    let rows = blocks[first * *across..(first + count) * *across].chunks_exact_mut(*across);
    pointers.clear();
    pointers.extend(rows.map(<[_]>::as_mut_ptr));
    pointers.as_mut_ptr()
}

//! Coefficients in our memory. libjpeg requests arrays of blocks from its memory manager, and then
//! rows of them to fill. The manager is a table of functions, which the functions here replace.
//!
//! In a file with one scan, libjpeg fills every row of blocks once and in order. Then only one MCU
//! row is kept in memory, and passed on before the next is filled.
//!
//! An *MCU row* is a row of minimum coded units (ITU-T T.81, A.2) of all components: V rows of
//! blocks of a component whose vertical sampling factor is V. libjpeg calls it an iMCU row.

use crate::ffi::error::unwind_on_error;
use crate::memory::zeros;
use fourfold::Result;
use mozjpeg_sys as sys;
use std::ffi::{c_int, c_uint};

/// The blocks of a component: all, or those of one MCU row.
#[derive(Default)]
pub(crate) struct Array {
    pub(crate) blocks: Vec<[i16; 64]>,
    /// Blocks in a row of the array, padded to whole MCUs.
    pub(crate) across: usize,
    /// Rows of blocks in the image, and in an MCU row.
    down: usize,
    mcu_rows: usize,
    /// The rows that libjpeg has requested last.
    pointers: Vec<*mut [i16; 64]>,
}

// SAFETY: the pointers own nothing, and only libjpeg reads them, which requests them anew each time.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}

impl Array {
    /// An array of the same size, filled with zeros.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn zeros_like(&self) -> Result<Array> {
        let Array { ref blocks, across, down, mcu_rows, .. } = *self;
        Ok(Array { blocks: zeros(blocks.len(), COEFFICIENTS)?, across, down, mcu_rows, pointers: Vec::new() })
    }
}

/// The word for errors.
const COEFFICIENTS: &str = "coefficients";

/// A function that takes the index and the blocks of an MCU row. It must leave zeros.
pub(crate) type Sink<'a> = dyn FnMut(usize, &mut [Array]) -> Result<()> + 'a;

/// The arrays of a file.
#[derive(Default)]
pub(crate) struct Arrays {
    pub(crate) all: Vec<Array>,
    /// The function that takes MCU rows, during a call of [`with_sink`].
    sink: Option<*mut Sink<'static>>,
    /// The index of the MCU row that is being filled.
    row: usize,
}

impl Arrays {
    /// Passes the current MCU row to the sink.
    fn flush(&mut self) {
        if let Some(sink) = self.sink {
            // SAFETY: `with_sink` removes the pointer before its borrow ends.
            unwind_on_error(unsafe { (*sink)(self.row, &mut self.all) });
        }
    }
}

/// Calls `fill`, during which MCU rows of `info` are passed to the sink.
///
/// # Safety
/// [`install`] has been called for `info`.
pub(crate) unsafe fn with_sink<T>(info: *mut sys::jpeg_common_struct, sink: &mut Sink, fill: impl FnOnce() -> T) -> T {
    /// Removes the pointer, also when unwinding.
    struct RemoveSink(*mut Arrays);
    impl Drop for RemoveSink {
        fn drop(&mut self) {
            // SAFETY: the arrays outlive the call.
            unsafe { (*self.0).sink = None };
        }
    }
    // SAFETY: the caller's; only the lifetime changes, and the pointer is gone when it ends.
    unsafe {
        let arrays: *mut Arrays = arrays(info);
        (*arrays).sink = Some(std::mem::transmute::<*mut Sink<'_>, *mut Sink<'static>>(sink));
        let _guard = RemoveSink(arrays);
        let result = fill();
        (*arrays).flush();
        result
    }
}

/// Replaces functions of a decompressor's memory manager by those below, which fill `arrays`.
///
/// # Safety
/// The decompressor has been created. `arrays` is valid while it is used, and nothing else uses it
/// during a call of libjpeg.
pub(crate) unsafe fn install(info: &mut sys::jpeg_decompress_struct, arrays: *mut Arrays) {
    info.common.client_data = arrays.cast();
    // SAFETY: the caller's.
    let memory = unsafe { &mut *info.common.mem };
    memory.request_virt_barray = Some(request);
    memory.realize_virt_arrays = Some(realize);
    memory.access_virt_barray = Some(access);
}

/// The arrays of a decompressor.
///
/// # Safety
/// [`install`] has been called for it, and nothing else uses the arrays meanwhile.
unsafe fn arrays<'a>(info: *mut sys::jpeg_common_struct) -> &'a mut Arrays {
    // SAFETY: the caller's.
    unsafe { &mut *(*info).client_data.cast() }
}

/// Describes a new array. The handle is its number, from 1.
unsafe extern "C-unwind" fn request(
    info: &mut sys::jpeg_common_struct,
    _pool: c_int,
    _zero: c_int,
    across: c_uint,
    down: c_uint,
    mcu_rows: c_uint,
) -> *mut sys::jvirt_barray_control {
    // SAFETY: `install` has put this function into the table.
    let all = unsafe { &mut arrays(info).all };
    let [across, down, mcu_rows] = [across, down, mcu_rows].map(|size| size as usize);
    all.push(Array { across, down, mcu_rows, ..Array::default() });
    std::ptr::without_provenance_mut(all.len())
}

/// Allocates the requested arrays: one MCU row if there is a sink, else all rows.
unsafe extern "C-unwind" fn realize(info: &mut sys::jpeg_common_struct) {
    // SAFETY: as above.
    let Arrays { all, sink, .. } = unsafe { arrays(info) };
    for array in all {
        let rows = if sink.is_some() { array.mcu_rows } else { array.down };
        array.blocks = unwind_on_error(zeros(array.across * rows, COEFFICIENTS));
    }
}

/// Returns pointers to rows of blocks, which libjpeg then fills.
unsafe extern "C-unwind" fn access(
    info: &mut sys::jpeg_common_struct,
    handle: *mut sys::jvirt_barray_control,
    start: c_uint,
    count: c_uint,
    _writable: c_int,
) -> sys::JBLOCKARRAY {
    // SAFETY: as above.
    let arrays = unsafe { arrays(info) };
    let (index, start, count) = (handle.addr() - 1, start as usize, count as usize);
    let row = start / arrays.all[index].mcu_rows;
    if arrays.sink.is_some() && row != arrays.row {
        arrays.flush();
        arrays.row = row;
    }
    let first = if arrays.sink.is_some() { 0 } else { start };
    let Array { blocks, across, pointers, .. } = &mut arrays.all[index];
    let rows = blocks[first * *across..(first + count) * *across].chunks_exact_mut(*across);
    pointers.clear();
    pointers.extend(rows.map(<[_]>::as_mut_ptr));
    pointers.as_mut_ptr()
}

//! Errors and warnings of libjpeg.
//!
//! libjpeg reports an error by calling a function that may not return. Ours unwinds through libjpeg,
//! which is compiled with unwind tables, and [`catch_errors`] catches it before it leaves `ffi/`.
//! Every call of libjpeg that can fail is inside [`catch_errors`].

use crate::error::invalid_file;
use fourfold::{Error, Result};
use mozjpeg_sys as sys;
use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The payload of the unwinding.
struct Failure(Error);

/// The value, or unwinds with the error. For functions that libjpeg calls.
pub(crate) fn unwind_on_error<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| resume_unwind(Box::new(Failure(error))))
}

/// Calls libjpeg.
///
/// # Errors
/// Those that libjpeg, or a function of ours that it calls, reports.
pub(crate) fn catch_errors<T>(call: impl FnOnce() -> T) -> Result<T> {
    // libjpeg's unfinished work is in its own structures, which are only destroyed afterwards.
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| match panic.downcast::<Failure>() {
        Ok(failure) => failure.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// Warnings of libjpeg. A damaged file can cause one every few bytes, so only the first are kept.
#[derive(Default)]
pub(crate) struct Warnings {
    kept: Vec<String>,
    count: usize,
}

impl Warnings {
    const MOST_KEPT: usize = 10;

    fn add(&mut self, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < Self::MOST_KEPT {
            self.kept.push(message());
        }
    }

    /// The warnings that were kept, and the number of the others.
    pub(crate) fn all(&self) -> Vec<String> {
        let more = self.count - self.kept.len();
        let rest = (more > 0).then(|| format!("and {more} more"));
        self.kept.iter().cloned().chain(rest).collect()
    }
}

/// libjpeg's error manager with our functions in it. The manager comes first, so that a pointer to
/// it is a pointer to all.
#[repr(C)]
pub(crate) struct ErrorManager {
    manager: sys::jpeg_error_mgr,
    pub(crate) warnings: Warnings,
}

impl ErrorManager {
    pub(crate) fn new() -> ErrorManager {
        // SAFETY: a structure of pointers, numbers and optional functions, which may all be zero;
        // the call fills it in.
        let mut manager: sys::jpeg_error_mgr = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is valid.
        unsafe { sys::jpeg_std_error(&mut manager) };
        manager.error_exit = Some(fail);
        manager.emit_message = Some(warn);
        ErrorManager { manager, warnings: Warnings::default() }
    }

    /// The pointer to store in a structure of libjpeg.
    pub(crate) fn as_ptr(&mut self) -> *mut sys::jpeg_error_mgr {
        std::ptr::from_mut(self).cast()
    }
}

/// Unwinds with libjpeg's message.
unsafe extern "C-unwind" fn fail(info: &mut sys::jpeg_common_struct) {
    // SAFETY: libjpeg's own structure, whose error manager is the one above.
    let (message, code) = unsafe { (message(info), (*info.err).msg_code) };
    resume_unwind(Box::new(Failure(invalid_file(explain(code, message)))));
}

/// Keeps warnings, which have level −1, and drops traces.
unsafe extern "C-unwind" fn warn(info: &mut sys::jpeg_common_struct, level: c_int) {
    if level >= 0 {
        return;
    }
    let manager: *mut ErrorManager = info.err.cast();
    // SAFETY: `as_ptr` has made the pointer, and nothing else uses the warnings during a call of
    // libjpeg.
    unsafe { (*manager).warnings.add(|| message(info)) };
}

/// libjpeg's current message.
///
/// # Safety
/// The structure has an error manager that `jpeg_std_error` has filled in.
unsafe fn message(info: &mut sys::jpeg_common_struct) -> String {
    type Format = unsafe extern "C-unwind" fn(*mut sys::jpeg_common_struct, *mut u8);
    let mut buffer = [0u8; 80];
    // SAFETY: the function writes at most 80 bytes, JMSG_LENGTH_MAX, the last a zero. The binding
    // declares the buffer as read-only, so the type is corrected first; in C, both have the same
    // calling convention.
    unsafe {
        let format = (*info.err).format_message.expect("jpeg_std_error sets it");
        std::mem::transmute::<*const (), Format>(format as *const ())(info, buffer.as_mut_ptr());
    }
    CStr::from_bytes_until_nul(&buffer).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
}

/// libjpeg's message, or a clearer one for files of kinds that are not read.
fn explain(code: c_int, message: String) -> String {
    use sys::*;
    let is = |known: J_MESSAGE_CODE| code == known as c_int;
    if is(JERR_ARITH_NOTIMPL) {
        "it is arithmetic-coded; Huffman coding is read".into()
    } else if is(JERR_BAD_PRECISION) {
        format!("its samples do not have 8 bits ({message})")
    } else if is(JERR_SOF_UNSUPPORTED) {
        format!("it is lossless or hierarchical; baseline, extended and progressive files are read ({message})")
    } else if is(JERR_NO_SOI) {
        "it is no JPEG file".into()
    } else if is(JERR_EMPTY_IMAGE) {
        "it has no pixels".into()
    } else {
        message
    }
}

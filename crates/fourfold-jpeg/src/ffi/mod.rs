//! Entropy coding, by libjpeg: the only place that calls C.
//!
//! libjpeg reports a failure by calling a function that may not return. Ours unwinds, through C
//! code that is compiled with tables for that, and [`guarded`] catches it before it leaves this
//! module. Every call of libjpeg that can fail stands inside [`guarded`].

pub(crate) mod arrays;
pub(crate) mod read;
pub(crate) mod write;

use mozjpeg_sys as sys;
use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::codec::{Warnings, damaged};
use fourfold::{Error, Result};

/// What our functions find again.
#[derive(Default)]
struct Client {
    warnings: Warnings,
    arrays: arrays::Arrays,
}

/// What a failure unwinds with.
struct Failure(Error);

impl Failure {
    fn unwind_on_error<T>(result: Result<T>) -> T {
        result.unwrap_or_else(|error| resume_unwind(Box::new(Failure(error))))
    }
}

/// Does what calls libjpeg.
///
/// # Errors
/// What libjpeg reports.
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T> {
    // All that libjpeg has half done stays in its own structures, which are only destroyed
    // afterwards.
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| match panic.downcast::<Failure>() {
        Ok(failure) => failure.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// libjpeg's error handler with our functions in it.
fn handler() -> sys::jpeg_error_mgr {
    // SAFETY: a structure of pointers, numbers and functions that may be absent, all of which may
    // be zero; the call fills it in.
    unsafe {
        let mut handler: sys::jpeg_error_mgr = std::mem::zeroed();
        sys::jpeg_std_error(&mut handler);
        handler.error_exit = Some(fail);
        handler.emit_message = Some(warn);
        handler
    }
}

/// Unwinds with libjpeg's message.
unsafe extern "C-unwind" fn fail(info: &mut sys::jpeg_common_struct) {
    // SAFETY: the structure is libjpeg's own, with the handler above.
    let (message, code) = unsafe { (message(info), (*info.err).msg_code) };
    resume_unwind(Box::new(Failure(damaged(in_plain_words(code, message)))));
}

/// Keeps warnings (level −1), drops what tells of progress.
unsafe extern "C-unwind" fn warn(info: &mut sys::jpeg_common_struct, level: c_int) {
    if level >= 0 {
        return;
    }
    let client: *mut Client = info.client_data.cast();
    if client.is_null() {
        return;
    }
    // SAFETY: it is a client, whose warnings nobody else uses during a call; the message as in
    // `fail`.
    unsafe { (*client).warnings.add(|| message(info)) };
}

/// libjpeg's present message.
///
/// # Safety
/// The structure has an error handler of libjpeg's.
unsafe fn message(info: &mut sys::jpeg_common_struct) -> String {
    type Format = unsafe extern "C-unwind" fn(*mut sys::jpeg_common_struct, *mut u8);
    let mut buffer = [0u8; 80];
    // SAFETY: the function writes at most 80 bytes, JMSG_LENGTH_MAX, the last a zero. The binding
    // takes it for one that only reads them, so that its type is set right first; C has the same
    // calling convention for both.
    unsafe {
        let format = (*info.err).format_message.expect("libjpeg fills this in");
        std::mem::transmute::<*const (), Format>(format as *const ())(info, buffer.as_mut_ptr());
    }
    CStr::from_bytes_until_nul(&buffer).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
}

/// What a user can do something with, for files of kinds that are not read.
fn in_plain_words(code: c_int, message: String) -> String {
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

//! Calls of MPI's functions.

use fourfold::{Error, ErrorKind, Result};
use mpi::ffi;
use std::ffi::{c_char, c_int};

/// More characters than a message of an MPI library has.
const LONGEST: usize = 4096;

/// The result of a call that returned `code`.
pub(crate) fn checked(name: &str, code: c_int) -> Result<()> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let mut text = [0 as c_char; LONGEST];
    let mut len = 0;
    // SAFETY: the array has room for the longest message.
    let known = unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr(), &mut len) };
    let len = if known == ffi::MPI_SUCCESS as c_int { len.max(0) as usize } else { 0 };
    let text: String = text[..len].iter().map(|c| *c as u8 as char).collect();
    Err(Error::new(ErrorKind::Unavailable, format!("{name} failed: {text} ({code})")))
}

/// A number as MPI takes it.
pub(crate) fn int(n: usize) -> Result<c_int> {
    let message = || format!("{n}: MPI counts to 2^31 − 1; use more ranks");
    c_int::try_from(n).map_err(|_| Error::new(ErrorKind::Unavailable, message()))
}

/// Whether MPI is running, so that its objects can be freed.
pub(crate) fn is_running() -> bool {
    mpi::environment::is_initialized() && !mpi::environment::is_finalized()
}

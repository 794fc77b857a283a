//! What the MPI library says of itself.

use crate::rank::call::checked;
use fourfold::Result;
use libloading::os::unix::Library;
use mpi::ffi;
use std::ffi::{c_char, c_int};

/// The kind of GPUs of which MPICH is asked: `MPIX_GPU_SUPPORT_CUDA`.
const CUDA: c_int = 0;

/// The library's name and version, as it writes them.
///
/// # Errors
/// If MPI refuses.
pub fn library_version() -> Result<String> {
    let mut text = vec![0 as c_char; ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize];
    let mut len = 0;
    // SAFETY: the list has room for the longest version.
    checked("MPI_Get_library_version", unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr(), &mut len) })?;
    Ok(text[..len.max(0) as usize].iter().map(|c| *c as u8 as char).take_while(|c| *c != '\0').collect())
}

/// Whether the library takes addresses of CUDA's memory, as it says at run time. Those that have no
/// function to ask do not count as such.
pub fn takes_device_memory() -> bool {
    let program = Library::this();
    // SAFETY: Open MPI and those that follow it declare `int MPIX_Query_cuda_support(void)`.
    if let Ok(query) = unsafe { program.get::<unsafe extern "C" fn() -> c_int>(b"MPIX_Query_cuda_support\0") } {
        // SAFETY: as above.
        return unsafe { query() } == 1;
    }
    type Query = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
    let mut supported = 0;
    // SAFETY: MPICH declares `int MPIX_GPU_query_support(int, int *)`, which writes a number.
    let answered = unsafe {
        program.get::<Query>(b"MPIX_GPU_query_support\0").is_ok_and(|query| query(CUDA, &mut supported) == 0)
    };
    answered && supported == 1
}

//! NVRTC, loaded when it is first used. It needs no device.

use crate::error::unavailable;
use cudarc::nvrtc::{result as nvrtc, sys};
use fourfold::Result;
use std::ffi::CString;

/// What the compiler says of a kernel on an architecture such as `sm_90`: its registers, and how
/// much of them is spilled to memory.
pub(crate) fn resources(source: &str, architecture: &str) -> Result<String> {
    check_presence()?;
    Ok(compile(source, architecture, &["--ptxas-options=-v"])?.1)
}

/// Machine code for an architecture such as `sm_90`, and what the compiler says: PTX would be
/// compiled again by the driver.
pub(crate) fn compile(source: &str, architecture: &str, more: &[&str]) -> Result<(Vec<u8>, String)> {
    let text = CString::new(source).expect("kernels have no zero bytes");
    let program = nvrtc::create_program(&text, None).map_err(|e| unavailable(format!("NVRTC: {e:?}")))?;
    let options: Vec<String> =
        options(architecture).into_iter().chain(more.iter().map(|option| (*option).into())).collect();
    // SAFETY: the program exists until it is destroyed; the image has the size that was asked for.
    unsafe {
        let image = nvrtc::compile_program(program, &options).and_then(|()| {
            let mut size = 0;
            sys::nvrtcGetCUBINSize(program, &mut size).result()?;
            let mut image = vec![0u8; size];
            sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result()?;
            Ok(image)
        });
        let log = nvrtc::get_program_log(program).unwrap_or_default();
        let log: String = log.iter().map(|c| *c as u8 as char).take_while(|c| *c != '\0').collect();
        let _ = nvrtc::destroy_program(program);
        match image {
            Ok(image) => Ok((image, log)),
            Err(e) => Err(unavailable(format!("NVRTC refuses a kernel ({e:?}):\n{log}"))),
        }
    }
}

/// The options of all kernels. These use nothing of CUDA's headers, and each is compiled 5 ms
/// faster without them.
pub(crate) fn options(architecture: &str) -> [String; 3] {
    [format!("--gpu-architecture={architecture}"), "--std=c++17".into(), "--minimal".into()]
}

/// The oldest NVRTC, that of the oldest driver. The bindings panic where a library lacks a function,
/// as older ones lack `nvrtcGetCUBIN`.
const OLDEST: [i32; 2] = [11, 8];

/// An error if the library cannot be loaded, or is too old.
pub(crate) fn check_presence() -> Result<()> {
    let message = "no CUDA kernel compiler on this machine (libnvrtc cannot be loaded): install CUDA 13's NVRTC";
    // SAFETY: only tries to load the library.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(unavailable(message.into()));
    }
    let [mut major, mut minor] = [0; 2];
    // SAFETY: every NVRTC has the function, which writes to what lives until it returns.
    let asked = unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result();
    asked.map_err(|e| unavailable(format!("NVRTC does not say its version: {e:?}")))?;
    check_version([major, minor])
}

fn check_version([major, minor]: [i32; 2]) -> Result<()> {
    let [oldest, oldest_minor] = OLDEST;
    let message =
        || unavailable(format!("the NVRTC here is {major}.{minor}: expected {oldest}.{oldest_minor} or later"));
    if [major, minor] < OLDEST { Err(message()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_compilers_are_refused_by_their_version() {
        assert!(check_version([11, 8]).is_ok() && check_version([13, 0]).is_ok());
        let message = check_version([11, 0]).unwrap_err().to_string();
        assert!(message.contains("11.0: expected 11.8"), "{message}");
    }
}

//! Platforms: those that the loader shows, and NVIDIA's where the loader does not know of it.

use crate::backend::opencl::errors::failed;
use crate::error::unavailable;
use fourfold::Result;
use libloading::Library;
use opencl3::device::CL_DEVICE_TYPE_ALL;
use opencl3::error_codes::{CL_DEVICE_NOT_FOUND, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::platform::{Platform, get_platforms};
use opencl3::types::{cl_device_id, cl_platform_id};
use std::ffi::{c_char, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::OnceLock;

/// NVIDIA's OpenCL. It comes with the driver, but in containers and beside a distribution's loader
/// the file that names it in /etc/OpenCL/vendors is often missing.
const NVIDIA: &str = "libnvidia-opencl.so.1";

/// The devices of all platforms; there is at least one.
pub(crate) fn devices() -> Result<Vec<cl_device_id>> {
    let mut platforms = match get_platforms() {
        Err(e) if e.0 == DLOPEN_RUNTIME_LOAD_FAILED => {
            let message = "no OpenCL on this machine (libOpenCL cannot be loaded): install a loader and a driver";
            return Err(unavailable(message.into()));
        }
        platforms => platforms.unwrap_or_default(),
    };
    if !platforms.iter().any(|platform| platform.vendor().is_ok_and(|vendor| vendor.contains("NVIDIA"))) {
        platforms.extend(nvidia().iter().map(|id| Platform::new(*id as cl_platform_id)));
    }
    let (ids, failures): (Vec<_>, Vec<_>) = platforms.iter().map(devices_of).partition(Result::is_ok);
    let ids: Vec<_> = ids.into_iter().flatten().flatten().collect();
    let none = || unavailable("the OpenCL loader shows no device: install the driver (ICD) of one".into());
    let why = failures.into_iter().find_map(Result::err).unwrap_or_else(none);
    if ids.is_empty() { Err(why) } else { Ok(ids) }
}

/// The devices of a platform, which may have none.
fn devices_of(platform: &Platform) -> Result<Vec<cl_device_id>> {
    match platform.get_devices(CL_DEVICE_TYPE_ALL) {
        Err(e) if e.0 == CL_DEVICE_NOT_FOUND => Ok(vec![]),
        devices => devices.map_err(failed(&format!("list the devices of {}", platform.name().unwrap_or_default()))),
    }
}

/// The addresses of the platforms of NVIDIA's driver, if it is there.
fn nvidia() -> &'static [usize] {
    static FOUND: OnceLock<Vec<usize>> = OnceLock::new();
    FOUND.get_or_init(|| of_driver(NVIDIA).unwrap_or_default())
}

/// Asks a driver for its platforms as loaders do (cl_khr_icd). Every object of a driver begins with
/// the table of its functions, which is all that a loader looks at: it takes them though it did not
/// find the driver itself.
fn of_driver(name: &str) -> Option<Vec<usize>> {
    type Address = unsafe extern "C" fn(*const c_char) -> *mut c_void;
    type Platforms = unsafe extern "C" fn(u32, *mut cl_platform_id, *mut u32) -> i32;
    // SAFETY: drivers are made to be loaded; this one stays.
    let driver = Box::leak(Box::new(unsafe { Library::new(name) }.ok()?));
    // SAFETY: the function that every driver has, by its type in OpenCL.
    let address = unsafe { driver.get::<Address>(b"clGetExtensionFunctionAddress\0") }.ok()?;
    // SAFETY: takes the name of a function.
    let found = unsafe { address(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    if found.is_null() {
        return None;
    }
    // SAFETY: the function of that name has this type.
    let platforms = unsafe { transmute::<*mut c_void, Platforms>(found) };
    let mut count = 0;
    // SAFETY: asks for the number only.
    let asked = unsafe { platforms(0, ptr::null_mut(), &mut count) };
    let mut ids = vec![ptr::null_mut(); count as usize];
    // SAFETY: there is room for so many.
    let listed = asked == 0 && count > 0 && unsafe { platforms(count, ids.as_mut_ptr(), ptr::null_mut()) } == 0;
    listed.then(|| ids.into_iter().map(|id: cl_platform_id| id.addr()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::opencl::context::OPENING;

    /// PoCL's driver stands for NVIDIA's.
    #[test]
    fn a_driver_that_no_loader_knows_shows_its_platforms() {
        let _alone = OPENING.lock().unwrap();
        let Some(ids) = of_driver("libpocl.so.2") else {
            assert!(std::env::var_os("CI").is_none(), "PoCL is not there");
            return eprintln!("NOT TESTED: libpocl.so.2 cannot be loaded");
        };
        let platform = Platform::new(ids[0] as cl_platform_id);
        assert_eq!(platform.name().unwrap(), "Portable Computing Language");
        assert!(!platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap().is_empty());
        assert_eq!(of_driver("libno-such-driver.so"), None);
    }
}

//! Platforms: those that the loader shows.

use super::unavailable;
use fourfold::Result;
use opencl3::device::CL_DEVICE_TYPE_ALL;
use opencl3::error_codes::DLOPEN_RUNTIME_LOAD_FAILED;
use opencl3::platform::get_platforms;
use opencl3::types::cl_device_id;

/// The devices of all platforms; there is at least one.
pub(super) fn devices() -> Result<Vec<cl_device_id>> {
    let platforms = match get_platforms() {
        Err(e) if e.0 == DLOPEN_RUNTIME_LOAD_FAILED => {
            let message = "no OpenCL on this machine (libOpenCL cannot be loaded): install a loader and a driver";
            return Err(unavailable(message.into()));
        }
        platforms => platforms.unwrap_or_default(),
    };
    let ids: Vec<_> = platforms.iter().flat_map(|p| p.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default()).collect();
    let none = || unavailable("the OpenCL loader shows no device: install the driver (ICD) of one".into());
    if ids.is_empty() { Err(none()) } else { Ok(ids) }
}

//! CUDA: the driver and NVRTC, loaded when a device is opened.

use crate::attributes::DeviceAttributes;
use crate::backend::cuda::limits::{asked, limits_of, models, typical};
use crate::backend::cuda::nvrtc;
use crate::backend::cuda::releases::Releases;
use crate::backend::interface;
use crate::backend::interface::Backend;
use crate::backend::types::numbered;
use crate::error::unavailable;
use crate::limits::{Api, DeviceId, DeviceInfo, Limits};
use crate::print::cuda::CUDA;
use crate::print::printer::Dialect;
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, DriverError, result, sys as driver_sys};
use fourfold::{Error, Result};
use std::sync::Arc;

/// NVIDIA's CUDA.
pub(crate) struct Cuda;

/// A device with its primary context.
pub(crate) struct Context {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) releases: Arc<Releases>,
    pub(crate) info: DeviceInfo,
    pub(crate) limits: Limits,
    /// Such as `sm_90`.
    pub(crate) architecture: String,
}

pub(crate) type Driver<T> = std::result::Result<T, DriverError>;

pub(crate) fn failed(what: &str, error: DriverError) -> Error {
    unavailable(message(what, &error.to_string(), error.0))
}

pub(crate) fn message(what: &str, error: &str, code: CUresult) -> String {
    let lost =
        if loses_device(code) { "; the device is lost to this process, and a new one must be started" } else { "" };
    format!("CUDA cannot {what}: {error}{lost}")
}

/// Whether a context is of no use after the error (CUDA driver API, `CUresult`: "must be terminated
/// and relaunched").
pub(crate) fn loses_device(error: CUresult) -> bool {
    use CUresult::*;
    matches!(
        error,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_DEVICE_UNAVAILABLE
    )
}

/// The oldest driver: `cuLaunchKernelEx` came with CUDA 11.8, and the bindings panic where the
/// driver lacks a function.
const OLDEST_DRIVER: i32 = 11080;

/// An error if a driver of this version (1000 times the major plus 10 times the minor one, as
/// `cuDriverGetVersion` has it) lacks functions that are called here.
fn check_driver(version: i32) -> Result<()> {
    let (has, needs) = (version_number(version), version_number(OLDEST_DRIVER));
    let message = || unavailable(format!("the driver supports CUDA {has}: expected one that supports CUDA {needs}"));
    if version < OLDEST_DRIVER { Err(message()) } else { Ok(()) }
}

/// CUDA's version as it is written, of the number that its libraries return.
pub(crate) fn version_number(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// An error if there is no driver, or none that can be used.
pub(crate) fn check_presence() -> Result<()> {
    // SAFETY: only tries to load the library.
    let driver = unsafe { driver_sys::is_culib_present() };
    if !driver {
        return Err(unavailable("no CUDA driver on this machine (libcuda cannot be loaded)".into()));
    }
    let mut version = 0;
    // SAFETY: every driver has the function, which writes to what lives until it returns.
    let asked = unsafe { driver_sys::cuDriverGetVersion(&mut version) }.result();
    asked.map_err(|e| failed("ask for the driver's version", e))?;
    check_driver(version)
}

/// The devices that the driver shows.
pub(crate) fn devices() -> Result<Vec<Result<DeviceInfo>>> {
    check_presence()?;
    nvrtc::check_presence()?;
    let named = |number| info(number).map_err(|e| failed(&format!("ask what cuda:{number} is"), e));
    let all = result::init().and_then(|()| Ok((0..result::device::get_count()?).map(named).collect::<Vec<_>>()));
    let none =
        |why: String| unavailable(format!("the CUDA driver shows no device{why}; CUDA_VISIBLE_DEVICES may hide it"));
    match all {
        Ok(all) if all.is_empty() => Err(none(String::new())),
        all => all.map_err(|e| none(format!(" ({e})"))),
    }
}

pub(crate) fn info(number: i32) -> Driver<DeviceInfo> {
    let device = result::device::get(number)?;
    // SAFETY: the driver has just named the device.
    let get = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let major = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(DeviceInfo {
        id: DeviceId { api: Api::Cuda, number: number as usize },
        name: result::device::get_name(device)?,
        version: format!("compute capability {major}.{minor}"),
        // SAFETY: as above.
        memory: unsafe { result::device::total_mem(device) }? as u64,
        is_cpu: false,
        attributes: asked(get)?,
    })
}

impl Backend for Cuda {
    fn devices(&self) -> Result<Vec<Result<DeviceInfo>>> {
        devices()
    }

    fn open(&self, number: usize) -> Result<Arc<dyn interface::Context>> {
        let info = numbered(devices()?, DeviceId { api: Api::Cuda, number })?;
        let open = || -> Driver<Context> {
            let context = CudaContext::new(number)?;
            // SAFETY: arrays and scratch belong to a queue each, and what changes queues waits for
            // the one that it leaves.
            unsafe { context.disable_event_tracking() };
            let (major, minor) = context.compute_capability()?;
            let architecture = format!("sm_{major}{minor}");
            let limits = Limits::new(&info.name, info.attributes.clone());
            let releases = Releases::new(Arc::clone(&context));
            Ok(Context { context, releases, info, limits, architecture })
        };
        Ok(Arc::new(open().map_err(|e| failed(&format!("open device {number}"), e))?))
    }

    fn dialect(&self, _: &DeviceAttributes) -> &'static Dialect {
        &CUDA
    }

    fn typical(&self) -> Limits {
        typical()
    }

    fn known(&self, name: &str) -> Result<Limits> {
        limits_of(name)
    }

    fn models(&self) -> Vec<&'static str> {
        models()
    }
}

impl interface::Context for Context {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_drivers_are_refused_by_their_version() {
        for version in [10020, 11040, 11070] {
            let message = check_driver(version).unwrap_err().to_string();
            assert!(message.contains(&format!("{}.{}", version / 1000, version % 100 / 10)), "{message}");
            assert!(message.contains("expected one that supports CUDA 11.8"), "{message}");
        }
        assert!([11080, 12000, 13010].into_iter().all(|version| check_driver(version).is_ok()));
    }

    #[test]
    fn codes_of_lost_devices_say_so() {
        use CUresult::*;
        let lost = |code: CUresult| message("launch a kernel", "", code).contains("lost to this process");
        // "An illegal memory access was encountered", and a launch that failed or took too long,
        // leave the process in an inconsistent state.
        assert!(
            [CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_TIMEOUT].into_iter().all(lost)
        );
        assert!(lost(CUDA_ERROR_ECC_UNCORRECTABLE) && lost(CUDA_ERROR_DEVICE_UNAVAILABLE));
        let kept = [CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES];
        assert!(!kept.into_iter().any(lost));
    }
}

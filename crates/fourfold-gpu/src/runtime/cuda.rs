//! CUDA: the driver and NVRTC, loaded when a device is opened.

use super::{Arguments, Grid, Limits, numbered, unavailable};
use crate::{Api, DeviceId, DeviceInfo};
use cudarc::driver::sys::{self as driver_sys, CUdevice_attribute as Attribute, CUfunction_attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig, PushKernelArg, result,
};
use cudarc::nvrtc::{Ptx, result as nvrtc, sys as nvrtc_sys};
use fourfold::{Error, Result};
use std::ffi::CString;
use std::sync::Arc;

pub(crate) struct Runtime {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    info: DeviceInfo,
    limits: Limits,
    /// Such as `sm_90`.
    architecture: String,
}

pub(crate) type Buffer = CudaSlice<u8>;
pub(crate) type Kernel = CudaFunction;
type Driver<T> = std::result::Result<T, DriverError>;

fn failed(what: &str, error: DriverError) -> Error {
    unavailable(format!("CUDA cannot {what}: {error}"))
}

/// The devices that the driver shows.
pub(crate) fn devices() -> Result<Vec<DeviceInfo>> {
    // SAFETY: only tries to load the libraries.
    let (driver, compiler) = unsafe { (driver_sys::is_culib_present(), nvrtc_sys::is_culib_present()) };
    if !driver {
        return Err(unavailable("no CUDA driver on this machine (libcuda cannot be loaded)".into()));
    }
    if !compiler {
        let message = "no CUDA kernel compiler on this machine (libnvrtc cannot be loaded): install CUDA 13's NVRTC";
        return Err(unavailable(message.into()));
    }
    let all = result::init().and_then(|()| (0..result::device::get_count()?).map(info).collect::<Driver<Vec<_>>>());
    let none =
        |why: String| unavailable(format!("the CUDA driver shows no device{why}; CUDA_VISIBLE_DEVICES may hide it"));
    match all {
        Ok(all) if all.is_empty() => Err(none(String::new())),
        all => all.map_err(|e| none(format!(" ({e})"))),
    }
}

fn info(number: i32) -> Driver<DeviceInfo> {
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
        local_memory: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as usize,
        double: true,
    })
}

impl Runtime {
    pub(crate) fn new(number: usize) -> Result<Runtime> {
        let info = numbered(devices()?, number)?;
        let open = || -> Driver<Runtime> {
            let context = CudaContext::new(number)?;
            // SAFETY: all work runs on one stream, in order.
            unsafe { context.disable_event_tracking() };
            let (major, minor) = context.compute_capability()?;
            let threads = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as usize;
            let limits = Limits::new(&info, threads);
            Ok(Runtime {
                stream: context.new_stream()?,
                context,
                info,
                limits,
                architecture: format!("sm_{major}{minor}"),
            })
        };
        open().map_err(|e| failed(&format!("open device {number}"), e))
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.info
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn versions(&self) -> String {
        let (mut driver, mut major, mut minor) = (0, 0, 0);
        // SAFETY: both libraries are loaded, and write to what lives until they return.
        unsafe {
            let _ = driver_sys::cuDriverGetVersion(&mut driver);
            let _ = nvrtc_sys::nvrtcVersion(&mut major, &mut minor);
        }
        format!("{}, driver {driver}, NVRTC {major}.{minor}", self.architecture)
    }

    pub(crate) fn compile(&self, source: &str, local_bytes: usize) -> Result<(Kernel, Vec<u8>)> {
        let code = self.cubin(source)?;
        Ok((self.load(&code, local_bytes)?, code))
    }

    pub(crate) fn load(&self, code: &[u8], local_bytes: usize) -> Result<Kernel> {
        let load = || -> Driver<Kernel> {
            let module = self.context.load_module(Ptx::from_binary(code.to_vec()))?;
            let kernel = module.load_function(crate::dialect::NAME)?;
            let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            kernel.set_attribute(most, local_bytes as i32)?;
            Ok(kernel)
        };
        load().map_err(|e| failed("load a kernel", e))
    }

    /// Machine code for the device itself: PTX would be compiled again by the driver.
    fn cubin(&self, source: &str) -> Result<Vec<u8>> {
        let text = CString::new(source).expect("kernels have no zero bytes");
        let program = nvrtc::create_program(&text, None).map_err(|e| unavailable(format!("NVRTC: {e:?}")))?;
        let options = [format!("--gpu-architecture={}", self.architecture), "--std=c++17".into()];
        // SAFETY: the program exists until it is destroyed; the image has the size that was asked for.
        unsafe {
            let image = nvrtc::compile_program(program, &options).and_then(|()| {
                let mut size = 0;
                nvrtc_sys::nvrtcGetCUBINSize(program, &mut size).result()?;
                let mut image = vec![0u8; size];
                nvrtc_sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result()?;
                Ok(image)
            });
            let image = image.map_err(|e| {
                let log = nvrtc::get_program_log(program).unwrap_or_default();
                let log: String = log.iter().map(|c| *c as u8 as char).collect();
                unavailable(format!("NVRTC refuses a kernel ({e:?}):\n{log}"))
            });
            let _ = nvrtc::destroy_program(program);
            image
        }
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<Buffer> {
        // SAFETY: plain bytes; what is read was written before.
        unsafe { self.stream.alloc(bytes) }.map_err(|e| failed(&format!("allocate {bytes} bytes"), e))
    }

    pub(crate) fn upload(&self, data: &[u8], to: &mut Buffer) -> Result<()> {
        self.stream.memcpy_htod(data, to).and_then(|()| self.stream.synchronize()).map_err(|e| failed("upload", e))
    }

    pub(crate) fn download(&self, from: &Buffer, data: &mut [u8]) -> Result<()> {
        let part = from.slice(0..data.len());
        let copied = self.stream.memcpy_dtoh(&part, data).and_then(|()| self.stream.synchronize());
        copied.map_err(|e| failed("download", e))
    }

    pub(crate) fn copy(&self, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        let copied = self.stream.memcpy_dtod(&from.slice(0..bytes), &mut to.slice_mut(0..bytes));
        copied.map_err(|e| failed("copy", e))
    }

    pub(crate) fn launch(&self, kernel: &Kernel, grid: Grid, arguments: Arguments<'_>) -> Result<()> {
        let address = |buffer: &super::Buffer| match buffer {
            super::Buffer::Cuda(buffer) => Ok(buffer.device_ptr(&self.stream).0),
            super::Buffer::OpenCl(_) => Err(super::foreign()),
        };
        let addresses = arguments.iter().map(|buffer| address(buffer)).collect::<Result<Vec<_>>>()?;
        let config = LaunchConfig {
            grid_dim: (grid.groups as u32, 1, 1),
            block_dim: (grid.threads as u32, 1, 1),
            shared_mem_bytes: grid.local_bytes as u32,
        };
        let mut launch = self.stream.launch_builder(kernel);
        addresses.iter().for_each(|address| {
            launch.arg(address);
        });
        // SAFETY: the kernel takes five pointers, and stays within the arrays that its spec describes.
        unsafe { launch.launch(config) }.map(|_| ()).map_err(|e| failed("launch a kernel", e))
    }

    pub(crate) fn finish(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| failed("finish", e))
    }
}

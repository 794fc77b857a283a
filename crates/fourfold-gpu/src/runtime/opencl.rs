//! OpenCL, its loader opened when a device is.

use super::{Arguments, Grid, Limits, numbered, unavailable};
use crate::{Api, DeviceId, DeviceInfo};
use fourfold::Result;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::error_codes::ClError;
use opencl3::memory::{Buffer as Memory, CL_MEM_READ_WRITE};
use opencl3::platform::{Platform, get_platforms};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_device_id};
use std::ptr;
use std::sync::{Mutex, PoisonError};

pub(crate) struct Runtime {
    context: Context,
    queue: CommandQueue,
    info: DeviceInfo,
    limits: Limits,
}

pub(crate) type Buffer = Memory<u8>;
/// Arguments are part of a kernel's state: one launch at a time.
pub(crate) type Kernel = Mutex<opencl3::kernel::Kernel>;

fn failed(what: &str) -> impl Fn(ClError) -> fourfold::Error + '_ {
    move |error| unavailable(format!("OpenCL cannot {what}: {error}"))
}

/// Loaders and drivers set themselves up when they are first called, and not all of them bear two threads then.
static OPENING: Mutex<()> = Mutex::new(());

type Driver<T> = std::result::Result<T, ClError>;

/// The devices of all platforms.
pub(crate) fn devices() -> Result<Vec<DeviceInfo>> {
    let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = ids()?.into_iter().enumerate().map(|(number, id)| info(number, id));
    all.collect::<Driver<_>>().map_err(failed("ask for its devices"))
}

fn ids() -> Result<Vec<cl_device_id>> {
    let platforms = get_platforms()
        .map_err(|e| unavailable(format!("no OpenCL on this machine ({e}): install an OpenCL loader and a driver")))?;
    let ids: Vec<_> = platforms.iter().flat_map(|p| p.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default()).collect();
    let none = || unavailable("the OpenCL loader shows no device: install the driver (ICD) of one".into());
    if ids.is_empty() { Err(none()) } else { Ok(ids) }
}

fn info(number: usize, id: cl_device_id) -> Driver<DeviceInfo> {
    let device = Device::new(id);
    Ok(DeviceInfo {
        id: DeviceId { api: Api::OpenCl, number },
        name: device.name()?,
        version: device.version()?,
        memory: device.global_mem_size()?,
        local_memory: device.local_mem_size()? as usize,
        double: device.double_fp_config().is_ok_and(|config| config != 0),
    })
}

fn kernel(program: &Program) -> Result<Kernel> {
    let kernel = opencl3::kernel::Kernel::create(program, crate::dialect::NAME);
    kernel.map(Mutex::new).map_err(failed("create a kernel"))
}

impl Runtime {
    pub(crate) fn new(number: usize) -> Result<Runtime> {
        let info = numbered(devices()?, number)?;
        let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let id = ids()?[number];
        let open = || -> Driver<Runtime> {
            let device = Device::new(id);
            let context = Context::from_device(&device)?;
            let queue = CommandQueue::create_default_with_properties(&context, 0, 0)?;
            let threads = device.max_work_group_size()?;
            let limits = Limits::new(&info, threads);
            Ok(Runtime { context, queue, info, limits })
        };
        open().map_err(failed(&format!("open device {number}")))
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.info
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn versions(&self) -> String {
        let device = Device::new(self.context.default_device());
        let platform = device.platform().and_then(|platform| Platform::new(platform).version());
        let driver = device.driver_version();
        format!("{}, driver {}", platform.unwrap_or_default(), driver.unwrap_or_default())
    }

    pub(crate) fn compile(&self, source: &str) -> Result<(Kernel, Vec<u8>)> {
        let refused = |log: String| unavailable(format!("OpenCL refuses a kernel:\n{log}"));
        let program = Program::create_and_build_from_source(&self.context, source, "").map_err(refused)?;
        let code = program.get_binaries().map_err(failed("return a kernel's machine code"))?.concat();
        Ok((kernel(&program)?, code))
    }

    pub(crate) fn load(&self, code: &[u8]) -> Result<Kernel> {
        let program = Program::create_and_build_from_binary(&self.context, &[code], "");
        kernel(&program.map_err(failed("load a kernel"))?)
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<Buffer> {
        // SAFETY: no host memory is given.
        let buffer = unsafe { Memory::create(&self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut()) };
        buffer.map_err(failed(&format!("allocate {bytes} bytes")))
    }

    pub(crate) fn upload(&self, data: &[u8], to: &mut Buffer) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_write_buffer(to, CL_BLOCKING, 0, data, &[]) };
        copied.map(|_| ()).map_err(failed("upload"))
    }

    pub(crate) fn download(&self, from: &Buffer, data: &mut [u8]) -> Result<()> {
        // SAFETY: blocks until the copy is done.
        let copied = unsafe { self.queue.enqueue_read_buffer(from, CL_BLOCKING, 0, data, &[]) };
        copied.map(|_| ()).map_err(failed("download"))
    }

    pub(crate) fn copy(&self, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        // SAFETY: OpenCL checks the sizes.
        let copied = unsafe { self.queue.enqueue_copy_buffer(from, to, 0, 0, bytes, &[]) };
        copied.map(|_| ()).map_err(failed("copy"))
    }

    pub(crate) fn launch(&self, kernel: &Kernel, grid: Grid, arguments: Arguments<'_>) -> Result<()> {
        let kernel = kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, buffer) in arguments.iter().enumerate() {
            let super::Buffer::OpenCl(buffer) = buffer else { return Err(super::foreign()) };
            // SAFETY: the kernel takes five pointers.
            unsafe { kernel.set_arg(i as u32, buffer) }.map_err(failed("set an argument"))?;
        }
        let (local, global) = ([grid.threads], [grid.groups * grid.threads]);
        // SAFETY: the kernel stays within the arrays that its spec describes; the sizes live until the call returns.
        let launched = unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            self.queue.enqueue_nd_range_kernel(kernel.get(), 1, ptr::null(), global, local, &[])
        };
        launched.map(|_| ()).map_err(failed("launch a kernel"))
    }

    pub(crate) fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(failed("finish"))
    }
}

//! OpenCL: its loader and drivers, loaded when a device is opened.

use crate::attributes::DeviceAttributes;
use crate::backend::interface;
use crate::backend::interface::{Backend, Teams, VendorFfts};
use crate::backend::opencl::errors::{Driver, failed};
use crate::backend::opencl::known::{limits_of, models};
use crate::backend::opencl::limits::{asked, subgroup, typical, version_of};
use crate::backend::opencl::owned::Owned;
use crate::backend::opencl::platforms;
use crate::backend::types::numbered;
use crate::error::{argument, unavailable};
use crate::limits::{Api, DeviceId, DeviceInfo, Limits};
use crate::print::opencl::{OPENCL, OPENCL_PTX, OPENCL_SUBGROUPS};
use crate::print::printer::Dialect;
use fourfold::Result;
use opencl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROPERTIES, CommandQueue,
    create_command_queue, get_command_queue_info,
};
use opencl3::context::Context as CommandContext;
use opencl3::context::context::retain_context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device};
use opencl3::types::{cl_context, cl_device_id};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// OpenCL, of any maker.
pub(crate) struct OpenCl;

/// A device with a context of it alone.
pub(crate) struct Context {
    pub(crate) context: Owned<CommandContext>,
    pub(crate) info: DeviceInfo,
    pub(crate) limits: Limits,
    /// Whether work items exchange registers by OpenCL's functions.
    pub(crate) shuffles: bool,
}

/// Dimensions of work that every device has at least.
pub(crate) const DIMENSIONS: u32 = 3;

/// Loaders and drivers initialise themselves when they are first called, and some fail if two
/// threads do that.
pub(crate) static OPENING: Mutex<()> = Mutex::new(());

/// The devices of all platforms.
pub(crate) fn devices() -> Result<Vec<Result<DeviceInfo>>> {
    let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = platforms::devices()?.into_iter().enumerate();
    let what = |number| format!("ask what opencl:{number} is");
    Ok(all.map(|(number, id)| info(number, id).map_err(failed(&what(number)))).collect())
}

pub(crate) fn info(number: usize, id: cl_device_id) -> Driver<DeviceInfo> {
    let device = Device::new(id);
    Ok(DeviceInfo {
        id: DeviceId { api: Api::OpenCl, number },
        name: device.name()?,
        version: device.version()?,
        memory: device.global_mem_size()?,
        is_cpu: device.dev_type()? & CL_DEVICE_TYPE_CPU != 0,
        attributes: asked(&device)?,
    })
}

/// An error if the device cannot be used, or not with kernels in OpenCL C. Before 1.2, it lacks functions that are
/// called here without asking.
pub(crate) fn check_use(number: usize, device: &Device) -> Result<()> {
    let facts = || -> Driver<_> { Ok((device.available()?, device.compiler_available()?, device.version()?)) };
    let (available, compiler, version) = facts().map_err(failed(&format!("ask what device {number} can do")))?;
    let why = match (available, compiler) {
        _ if version_of(&version).is_some_and(|version| version < [1, 2]) => "has a version of OpenCL before 1.2",
        (true, true) => return Ok(()),
        (false, _) => "says that it is not available: another program may have it",
        (_, false) => "has no compiler for OpenCL C",
    };
    Err(unavailable(format!("opencl:{number} ({}) {why}", device.name().unwrap_or_default())))
}

impl Backend for OpenCl {
    fn devices(&self) -> Result<Vec<Result<DeviceInfo>>> {
        devices()
    }

    fn open(&self, number: usize) -> Result<Arc<dyn interface::Context>> {
        numbered(devices()?, DeviceId { api: Api::OpenCl, number })?;
        let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = || unavailable(format!("opencl:{number} is not there any more"));
        let id = platforms::devices()?.get(number).copied().ok_or_else(gone)?;
        check_use(number, &Device::new(id))?;
        let context = CommandContext::from_device(&Device::new(id)).map(Owned::new);
        let open = |context| Context::new(context, number, id);
        Ok(Arc::new(context.and_then(open).map_err(failed(&format!("open device {number}")))?))
    }

    fn dialect(&self, attributes: &DeviceAttributes) -> &'static Dialect {
        if attributes.exchanges_registers { &OPENCL_SUBGROUPS } else { &OPENCL }
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

    fn dialect(&self) -> Option<&'static Dialect> {
        let by_ptx = self.limits.attributes.exchanges_registers && !self.shuffles;
        by_ptx.then_some(&OPENCL_PTX)
    }
}

impl VendorFfts for Context {}

impl Teams for Context {}

impl Context {
    fn new(context: Owned<CommandContext>, number: usize, id: cl_device_id) -> Driver<Context> {
        let info = info(number, id)?;
        let limits = Limits::new(&info.name, info.attributes.clone());
        Ok(Context { context, info, limits, shuffles: subgroup(&Device::new(id)).is_some() })
    }

    /// The device and the context of the caller's queue.
    ///
    /// # Safety
    /// It must be a `cl_command_queue`.
    pub(crate) unsafe fn of_queue(queue: *mut c_void) -> Result<Context> {
        let ends = ends(queue).map_err(failed("ask for the queue's device"))?;
        let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let all = platforms::devices()?;
        let number = all.iter().position(|id| *id == ends.device);
        let number = number.ok_or_else(|| argument("the queue's device is none of any platform".into()))?;
        // SAFETY: the queue's context; it is released when the context is dropped.
        unsafe { retain_context(ends.context) }.map_err(|e| failed("keep a context")(e.into()))?;
        let context = Owned::new(CommandContext::new(ends.context, &[ends.device]));
        Context::new(context, number, ends.device).map_err(failed("use the queue's device"))
    }

    /// A queue that runs in order, by the function that all versions have: drivers of OpenCL 1.x
    /// lack `clCreateCommandQueueWithProperties`, and a newer loader calls whatever stands in its
    /// place.
    pub(crate) fn new_queue(&self) -> Driver<Owned<CommandQueue>> {
        // SAFETY: the device is the context's.
        let queue = unsafe { create_command_queue(self.context.get(), self.context.default_device(), 0) }?;
        Ok(Owned::new(CommandQueue::new(queue, DIMENSIONS)))
    }

    /// The device itself.
    pub(crate) fn device(&self) -> Device {
        Device::new(self.context.default_device())
    }
}

/// The context and the device of a queue, and how it runs.
pub(crate) struct Ends {
    pub(crate) context: cl_context,
    pub(crate) device: cl_device_id,
    pub(crate) in_order: bool,
}

/// Asks a queue for them.
pub(crate) fn ends(queue: *mut c_void) -> Driver<Ends> {
    let context = isize::from(get_command_queue_info(queue, CL_QUEUE_CONTEXT)?);
    let device = isize::from(get_command_queue_info(queue, CL_QUEUE_DEVICE)?);
    let properties = u64::from(get_command_queue_info(queue, CL_QUEUE_PROPERTIES)?);
    let in_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
    Ok(Ends { context: context as cl_context, device: device as cl_device_id, in_order })
}

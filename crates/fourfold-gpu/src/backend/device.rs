//! Devices and their names.

use crate::backend::registry::backend;
use crate::backend::runtime::{Queue, Runtime};
use crate::backend::types::usable;
use crate::error::elsewhere;
use crate::limits::{Api, DeviceId, DeviceInfo};
use fourfold::Result;
use std::fmt;
use std::sync::Arc;

/// A GPU, or another device of CUDA or OpenCL, with a queue (in CUDA's terms, a stream) on which
/// what is enqueued runs in order.
///
/// Clones have the same queue. [`Device::new_queue`] is the same device with another queue, and the
/// two run beside each other. Plans run on any queue; arrays belong to one and can be moved.
///
/// ```no_run
/// use fourfold_gpu::{Device, GpuPlanner};
/// let device = Device::open("cuda:0")?;
/// let plan = GpuPlanner::new(device.clone()).plan(&"dct2 f32 512x512".parse()?)?;
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| -> fourfold::Result<()> {
///             let queue = device.new_queue()?;
///             let mut scratch = plan.scratch(&queue)?;
///             let (x, mut y) = (queue.upload(&vec![1.0f32; 512 * 512])?, queue.array::<f32>(512 * 512)?);
///             plan.execute_on_with(&x, &mut y, &mut scratch)?;
///             queue.finish()
///         });
///     }
/// });
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    pub(crate) runtime: Runtime,
    pub(crate) queue: Arc<Queue>,
}

impl Device {
    /// The device of a name such as `cuda`, `cuda:1` or `opencl:0`.
    ///
    /// # Errors
    /// [`Notation`](fourfold::ErrorKind::Notation) if it is no such name; else as
    /// [`Device::cuda`] or [`Device::opencl`].
    pub fn open(name: &str) -> Result<Device> {
        let id: DeviceId = name.parse()?;
        Device::of(Runtime::open(id.api, id.number)?)
    }

    /// NVIDIA GPU number `number`.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) without driver, NVRTC (of CUDA 13) or such
    /// a device, or if driver or NVRTC are older than those of CUDA 11.8.
    pub fn cuda(number: usize) -> Result<Device> {
        Device::of(Runtime::open(Api::Cuda, number)?)
    }

    /// OpenCL device number `number`, counted over all platforms.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) without an OpenCL loader or such a device, or
    /// if the device has a version before 1.2.
    pub fn opencl(number: usize) -> Result<Device> {
        Device::of(Runtime::open(Api::OpenCl, number)?)
    }

    fn of(runtime: Runtime) -> Result<Device> {
        let queue = Arc::new(runtime.queue()?);
        Ok(Device { runtime, queue })
    }

    /// The same device with another queue.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new_queue(&self) -> Result<Device> {
        Device::of(self.runtime.clone())
    }

    /// What is enqueued here from now on begins when all that was enqueued on `other`'s queue is
    /// done.
    ///
    /// # Errors
    /// [`Argument`](fourfold::ErrorKind::Argument) if it is another device.
    pub fn wait_for(&self, other: &Device) -> Result<()> {
        if !self.runtime.same(&other.runtime) {
            return Err(elsewhere());
        }
        if self.same_queue(other) { Ok(()) } else { self.queue.wait_for(&other.queue) }
    }

    pub(crate) fn same_queue(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.queue, &other.queue)
    }

    /// The devices that this machine has and that answer; there is at least one. A device's number
    /// is in its [`id`](DeviceInfo::id): others before it may not answer.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) if there is none; the message says why.
    pub fn list(api: Api) -> Result<Vec<DeviceInfo>> {
        usable(backend(api).devices()?)
    }

    /// The devices that this machine has, by number: what each is, or why it does not say so.
    ///
    /// # Errors
    /// As [`Device::list`], if there is none.
    pub fn list_all(api: Api) -> Result<Vec<Result<DeviceInfo>>> {
        backend(api).devices()
    }

    /// Bytes of the device's memory that are free now, if its API says so, as CUDA does.
    pub fn free_memory(&self) -> Option<u64> {
        self.runtime.free_bytes()
    }

    /// The device's name, version and limits.
    pub fn info(&self) -> &DeviceInfo {
        self.runtime.info()
    }

    /// The name that the vendor gives the device.
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// The driver, the compiler of kernels and, if it is there, the vendor's library of FFTs, each
    /// with its version as the software writes it.
    pub fn software(&self) -> String {
        self.runtime.software()
    }

    /// Waits for all that was enqueued on its queue.
    ///
    /// # Errors
    /// If something that was enqueued failed.
    pub fn finish(&self) -> Result<()> {
        self.queue.finish()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}, {})", self.info().id, self.name())
    }
}

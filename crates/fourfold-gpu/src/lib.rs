#![doc = include_str!("../README.md")]

mod array;
mod chain;
mod dialect;
mod engine;
mod fit;
mod kernels;
mod lines;
mod outline;
mod plan;
mod runtime;
mod spec;
mod trace;

pub use array::GpuArray;
pub use outline::{Launch, Outline, Target};
pub use plan::{GpuPlan, GpuPlanner};

use fourfold::{Element, Result};
use runtime::Runtime;

/// A GPU, or whatever else CUDA or OpenCL has.
///
/// What is enqueued on a device runs in order. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    runtime: Runtime,
}

impl Device {
    /// NVIDIA GPU number `number`.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) without driver, NVRTC (of CUDA 13) or such a device.
    pub fn cuda(number: usize) -> Result<Device> {
        Ok(Device { runtime: Runtime::cuda(number)? })
    }

    /// OpenCL device number `number`, counted over all platforms.
    ///
    /// # Errors
    /// [`Unavailable`](fourfold::ErrorKind::Unavailable) without an OpenCL loader or such a device.
    pub fn opencl(number: usize) -> Result<Device> {
        Ok(Device { runtime: Runtime::opencl(number)? })
    }

    /// What its maker calls it.
    pub fn name(&self) -> &str {
        &self.runtime.limits().name
    }

    /// An array of `len` elements, with any values.
    ///
    /// # Errors
    /// If the device has not so much memory.
    pub fn array<T: Element>(&self, len: usize) -> Result<GpuArray<T>> {
        GpuArray::new(self.clone(), len)
    }

    /// A copy of `data` on the device.
    ///
    /// # Errors
    /// If the device has not so much memory.
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<GpuArray<T>> {
        let mut array = self.array(data.len())?;
        array.upload(data)?;
        Ok(array)
    }

    /// Waits for all that was enqueued.
    ///
    /// # Errors
    /// If something that was enqueued failed.
    pub fn finish(&self) -> Result<()> {
        self.runtime.finish()
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

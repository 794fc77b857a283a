//! Coefficients and samples of JPEG's blocks in a device's memory.

use crate::backend::device::Device;
use crate::backend::runtime::Buffer;
use crate::backend::types::Raw;
use crate::error::argument;
use crate::ir::narrow::Narrow;
use fourfold::Result;

/// Samples on a device: `u8`, or of the inverse `i16`.
#[expect(private_bounds, reason = "nobody else's types can be stored")]
pub trait BlockSample: Bytes {}
impl BlockSample for u8 {}
impl BlockSample for i16 {}

pub(crate) trait Bytes: Copy {
    const NARROW: Narrow;
    fn upload(device: &Device, data: &[Self], to: &mut Buffer) -> Result<()>;
    fn download(device: &Device, from: &Buffer, data: &mut [Self]) -> Result<()>;
}

macro_rules! bytes {
    ($type:ty, $narrow:ident) => {
        impl Bytes for $type {
            const NARROW: Narrow = Narrow::$narrow;
            fn upload(device: &Device, data: &[Self], to: &mut Buffer) -> Result<()> {
                device.queue.upload(Raw::slice(data), to)
            }
            fn download(device: &Device, from: &Buffer, data: &mut [Self]) -> Result<()> {
                device.queue.download(from, Raw::slice_mut(data))
            }
        }
    };
}
bytes!(u8, Byte);
bytes!(i16, Short);

/// Coefficients and samples of components in a device's memory.
pub struct BlockArrays {
    pub(crate) device: Device,
    pub(crate) narrow: Narrow,
    pub(crate) components: Vec<ComponentArrays>,
}

pub(crate) struct ComponentArrays {
    pub(crate) blocks: usize,
    pub(crate) samples: usize,
    pub(crate) coefficients_at: Buffer,
    pub(crate) samples_at: Buffer,
}

impl BlockArrays {
    /// Copies coefficients of a component, 64 a block, to the device.
    ///
    /// # Errors
    /// If there is no such component, or more coefficients than it has; or the device fails.
    pub fn upload_coefficients(&mut self, component: usize, coefficients: &[i16]) -> Result<()> {
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(coefficients.len(), 64 * arrays.blocks)?;
        device.queue.upload(Raw::slice(coefficients), &mut arrays.coefficients_at)
    }

    /// Copies samples of a component, as its layout has them, to the device.
    ///
    /// # Errors
    /// As above, or if the plan's samples have another type.
    pub fn upload_samples<T: BlockSample>(&mut self, component: usize, samples: &[T]) -> Result<()> {
        self.check_type::<T>()?;
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(samples.len(), arrays.samples)?;
        T::upload(&device, samples, &mut arrays.samples_at)
    }

    /// Waits for all that was enqueued, and fills `coefficients`.
    ///
    /// # Errors
    /// As of [`BlockArrays::upload_coefficients`].
    pub fn download_coefficients(&mut self, component: usize, coefficients: &mut [i16]) -> Result<()> {
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(coefficients.len(), 64 * arrays.blocks)?;
        device.queue.download(&arrays.coefficients_at, Raw::slice_mut(coefficients))
    }

    /// Waits for all that was enqueued, and fills `samples`.
    ///
    /// # Errors
    /// As of [`BlockArrays::upload_samples`].
    pub fn download_samples<T: BlockSample>(&mut self, component: usize, samples: &mut [T]) -> Result<()> {
        self.check_type::<T>()?;
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(samples.len(), arrays.samples)?;
        T::download(&device, &arrays.samples_at, samples)
    }

    fn component(&mut self, component: usize) -> Result<&mut ComponentArrays> {
        let count = self.components.len();
        let message = || argument(format!("component {component}: there are {count}, from 0"));
        self.components.get_mut(component).ok_or_else(message)
    }

    fn check_type<T: BlockSample>(&self) -> Result<()> {
        if T::NARROW == self.narrow {
            return Ok(());
        }
        let bits = |narrow: Narrow| 32 / narrow.per_word();
        Err(argument(format!("samples of {} bits, where the plan's have {}", bits(T::NARROW), bits(self.narrow))))
    }
}

fn fits(len: usize, room: usize) -> Result<()> {
    if len > room {
        return Err(argument(format!("{len} elements for an array of {room}")));
    }
    Ok(())
}

//! Arrays on a device.

use crate::api::pinned::{Pending, PinnedArray, bytes};
use crate::backend::device::Device;
use crate::backend::runtime::Buffer;
use crate::error::argument;
use fourfold::{Element, Result};
use std::marker::PhantomData;

/// An array in the memory of a [`Device`]. It belongs to the device's queue: all that is done with
/// it is enqueued there, in order.
pub struct GpuArray<T> {
    pub(crate) device: Device,
    pub(crate) buffer: Buffer,
    len: usize,
    element: PhantomData<T>,
}

/// Memory that a plan uses while it runs
/// ([`GpuPlan::scratch`](crate::api::plan::GpuPlan::scratch)). Any plan can use it that needs no
/// more bytes. It belongs to a queue, as an array does.
pub struct GpuScratch {
    pub(crate) device: Device,
    pub(crate) buffer: Buffer,
    pub(crate) bytes: usize,
}

impl Device {
    /// An array of `len` elements, with any values.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn array<T: Element>(&self, len: usize) -> Result<GpuArray<T>> {
        GpuArray::new(self.clone(), len)
    }

    /// A copy of `data` on the device.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<GpuArray<T>> {
        let mut array = self.array(data.len())?;
        array.upload(data)?;
        Ok(array)
    }
}

impl<T: Element> GpuArray<T> {
    pub(crate) fn new(device: Device, len: usize) -> Result<Self> {
        let buffer = device.runtime.allocate(bytes::<T>(len)?)?;
        Ok(GpuArray::of(device, buffer, len))
    }

    pub(crate) fn of(device: Device, buffer: Buffer, len: usize) -> Self {
        GpuArray { device, buffer, len, element: PhantomData }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device and the queue that it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same array on the queue of `device`: what is enqueued there from now on begins when what
    /// was enqueued here is done.
    ///
    /// # Errors
    /// [`Argument`](fourfold::ErrorKind::Argument) if it is another device.
    pub fn move_to(mut self, device: &Device) -> Result<Self> {
        device.wait_for(&self.device)?;
        self.device = device.clone();
        Ok(self)
    }

    /// Copies `data`, which is at most as long as the array, to the device. Waits until that is
    /// done.
    ///
    /// # Errors
    /// If `data` is longer than the array, or the device fails.
    pub fn upload(&mut self, data: &[T]) -> Result<()> {
        self.check(data.len())?;
        self.device.queue.upload(data, &mut self.buffer)
    }

    /// Waits for all that was enqueued, and fills `data`.
    ///
    /// # Errors
    /// If `data` is longer than the array, or the device fails.
    pub fn download(&self, data: &mut [T]) -> Result<()> {
        self.check(data.len())?;
        self.device.queue.download(&self.buffer, data)
    }

    /// Enqueues a copy of `data`, which comes back when the copy is done.
    ///
    /// ```no_run
    /// use fourfold_gpu::Device;
    /// let device = Device::open("cuda")?;
    /// let (mut host, mut array) = (device.pinned::<f32>(1 << 20)?, device.array::<f32>(1 << 20)?);
    /// host[0] = 1.0;
    /// let sent = array.upload_async(host)?; // and do something else
    /// let host = sent.wait()?;
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `data` is longer than the array or of a device of the other
    /// [`Api`](crate::limits::Api), or the device fails.
    pub fn upload_async(&mut self, data: PinnedArray<T>) -> Result<Pending<T>> {
        self.check(data.len())?;
        data.send(&self.device, &mut self.buffer)
    }

    /// Enqueues a copy to `data`, which comes back when it is filled.
    ///
    /// # Errors
    /// As [`GpuArray::upload_async`].
    pub fn download_async(&self, data: PinnedArray<T>) -> Result<Pending<T>> {
        self.check(data.len())?;
        data.receive(&self.device, &self.buffer)
    }

    /// Enqueues a copy of `from`, which has as many elements and belongs to the same queue.
    ///
    /// # Errors
    /// If lengths or queues differ.
    pub fn copy_from(&mut self, from: &GpuArray<T>) -> Result<()> {
        one_queue(&self.device, &from.device)?;
        if self.len != from.len {
            return Err(argument(format!("cannot copy {} elements to an array of {}", from.len, self.len)));
        }
        self.device.queue.copy(&from.buffer, &mut self.buffer, self.len * size_of::<T>())
    }

    fn check(&self, len: usize) -> Result<()> {
        let message = || format!("{len} elements do not fit an array of {} on the device", self.len);
        if len > self.len { Err(argument(message())) } else { Ok(()) }
    }
}

impl GpuScratch {
    pub(crate) fn new(device: &Device, bytes: usize) -> Result<Self> {
        Ok(GpuScratch { buffer: device.runtime.allocate(bytes)?, device: device.clone(), bytes })
    }

    /// The device and the queue that it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same memory on the queue of `device`: see [`GpuArray::move_to`].
    ///
    /// # Errors
    /// [`Argument`](fourfold::ErrorKind::Argument) if it is another device.
    pub fn move_to(mut self, device: &Device) -> Result<Self> {
        device.wait_for(&self.device)?;
        self.device = device.clone();
        Ok(self)
    }
}

/// An error if these are not the same device with the same queue.
pub(crate) fn one_queue(a: &Device, b: &Device) -> Result<()> {
    if !a.runtime.same(&b.runtime) {
        return Err(crate::error::elsewhere());
    }
    let message = "arrays and scratch belong to different queues of the device: `move_to` takes them to one";
    if a.same_queue(b) { Ok(()) } else { Err(argument(message.into())) }
}

impl<T> std::fmt::Debug for GpuArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuArray({} elements on {})", self.len, self.device.name())
    }
}

impl std::fmt::Debug for GpuScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuScratch({} bytes on {})", self.bytes, self.device.name())
    }
}

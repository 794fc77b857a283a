//! Arrays on a device.

use crate::Device;
use crate::runtime::{Buffer, foreign};
use fourfold::{Element, Error, ErrorKind, Result};
use std::marker::PhantomData;

/// An array in the memory of a [`Device`].
pub struct GpuArray<T> {
    pub(crate) device: Device,
    pub(crate) buffer: Buffer,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> GpuArray<T> {
    pub(crate) fn new(device: Device, len: usize) -> Result<Self> {
        let buffer = device.runtime.allocate(len * size_of::<T>())?;
        Ok(GpuArray { device, buffer, len, element: PhantomData })
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies `data`, as many elements as it has at most, to the device.
    ///
    /// # Errors
    /// If `data` is longer than the array, or the device fails.
    pub fn upload(&mut self, data: &[T]) -> Result<()> {
        self.check(data.len())?;
        self.device.runtime.upload(data, &mut self.buffer)
    }

    /// Waits for all that was enqueued, and fills `data`.
    ///
    /// # Errors
    /// If `data` is longer than the array, or the device fails.
    pub fn download(&self, data: &mut [T]) -> Result<()> {
        self.check(data.len())?;
        if data.is_empty() { Ok(()) } else { self.device.runtime.download(&self.buffer, data) }
    }

    /// Enqueues a copy of `from`, which has as many elements.
    ///
    /// # Errors
    /// If lengths or devices differ.
    pub fn copy_from(&mut self, from: &GpuArray<T>) -> Result<()> {
        if !self.device.runtime.same(&from.device.runtime) {
            return Err(foreign());
        }
        if self.len != from.len {
            let message = format!("cannot copy {} elements to an array of {}", from.len, self.len);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.device.runtime.copy(&from.buffer, &mut self.buffer, self.len * size_of::<T>())
    }

    fn check(&self, len: usize) -> Result<()> {
        let message = || format!("{len} elements do not fit an array of {} on the device", self.len);
        if len > self.len { Err(Error::new(ErrorKind::Argument, message())) } else { Ok(()) }
    }
}

impl<T> std::fmt::Debug for GpuArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuArray({} elements on {})", self.len, self.device.name())
    }
}

//! Arrays in pinned memory of the host, and copies that have begun.

use crate::backend::device::Device;
use crate::backend::runtime::Buffer;
use crate::backend::transfer::{Pinned, Transfer};
use crate::error::argument;
use fourfold::{Element, Result};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A slice in memory of the host that is pinned for a [`Device`] (CUDA) or allocated by its driver
/// (OpenCL).
pub struct PinnedArray<T> {
    memory: Pinned,
    len: usize,
    element: PhantomData<T>,
}

/// A copy between a [`PinnedArray`] and a [`GpuArray`](crate::api::array::GpuArray) that was
/// enqueued. Dropping it waits until the copy is done.
#[must_use = "dropping it waits until the copy is done"]
pub struct Pending<T> {
    transfer: Transfer,
    len: usize,
    element: PhantomData<T>,
}

impl Device {
    /// An array of `len` zeros in pinned memory of the host, from and to which copies are fastest
    /// and do not keep the host waiting.
    ///
    /// # Errors
    /// If the host does not have that much memory that can be pinned.
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedArray<T>> {
        PinnedArray::new(self, len)
    }
}

impl<T: Element> PinnedArray<T> {
    pub(crate) fn new(device: &Device, len: usize) -> Result<Self> {
        let memory = Pinned::new(&device.runtime, bytes::<T>(len)?)?;
        Ok(PinnedArray { memory, len, element: PhantomData })
    }

    pub(crate) fn send(self, device: &Device, to: &mut Buffer) -> Result<Pending<T>> {
        let transfer = Transfer::to_device(&device.queue, self.memory, self.len * size_of::<T>(), to)?;
        Ok(Pending { transfer, len: self.len, element: PhantomData })
    }

    pub(crate) fn receive(self, device: &Device, from: &Buffer) -> Result<Pending<T>> {
        let transfer = Transfer::to_host(&device.queue, from, self.memory, self.len * size_of::<T>())?;
        Ok(Pending { transfer, len: self.len, element: PhantomData })
    }
}

impl<T: Element> Pending<T> {
    /// Whether the copy is done.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn is_done(&self) -> Result<bool> {
        self.transfer.is_done()
    }

    /// Waits until the copy is done, and gives the host's array back.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn wait(self) -> Result<PinnedArray<T>> {
        Ok(PinnedArray { memory: self.transfer.wait()?, len: self.len, element: PhantomData })
    }
}

impl<T: Element> Deref for PinnedArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.memory.slice(self.len)
    }
}

impl<T: Element> DerefMut for PinnedArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.memory.slice_mut(self.len)
    }
}

impl<T> std::fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PinnedArray({} elements)", self.len)
    }
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pending({} elements)", self.len)
    }
}

/// Bytes of an array.
pub(crate) fn bytes<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
    bytes.ok_or_else(|| argument(format!("no memory holds an array of {len} elements")))
}

//! Copies between pinned memory and a device, while the host does something else.

use crate::backend::interface;
use crate::backend::interface::Event;
use crate::backend::runtime::{Buffer, Queue, Runtime};
use crate::backend::types::Plain;
use fourfold::Result;
use std::mem::align_of;

/// Host memory that stays where it is, aligned to a page.
pub(crate) struct Pinned(Box<dyn interface::Pinned>);

/// A copy that was enqueued. It owns the host's side until it is done.
pub(crate) struct Transfer {
    host: Option<Pinned>,
    event: Box<dyn Event>,
}

impl Pinned {
    /// Pinned memory of `bytes` bytes, all zero, and at least one real.
    pub(crate) fn new(runtime: &Runtime, bytes: usize) -> Result<Pinned> {
        runtime.pinned(bytes).map(Pinned)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut()
    }

    /// The first numbers of it.
    pub(crate) fn slice<T: Plain>(&self, len: usize) -> &[T] {
        let bytes = self.0.bytes();
        assert!(len * size_of::<T>() <= bytes.len() && bytes.as_ptr().addr() % align_of::<T>() == 0);
        // SAFETY: so long, aligned, and any bytes are valid.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), len) }
    }

    /// The first numbers of it.
    pub(crate) fn slice_mut<T: Plain>(&mut self, len: usize) -> &mut [T] {
        let bytes = self.0.bytes_mut();
        assert!(len * size_of::<T>() <= bytes.len() && bytes.as_ptr().addr() % align_of::<T>() == 0);
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), len) }
    }
}

impl Transfer {
    /// Begins to copy the first bytes of `host` to `device`.
    pub(crate) fn to_device(queue: &Queue, host: Pinned, bytes: usize, device: &mut Buffer) -> Result<Transfer> {
        // SAFETY: nothing but the transfer has `host`, which it neither touches nor frees before
        // the event has come.
        let event = unsafe { queue.0.send(&*host.0, bytes, &mut *device.0) };
        Ok(Transfer { event: event?, host: Some(host) })
    }

    /// Begins to fill the first bytes of `host` from `device`.
    pub(crate) fn to_host(queue: &Queue, device: &Buffer, mut host: Pinned, bytes: usize) -> Result<Transfer> {
        // SAFETY: as above.
        let event = unsafe { queue.0.receive(&*device.0, &mut *host.0, bytes) };
        Ok(Transfer { event: event?, host: Some(host) })
    }

    pub(crate) fn is_done(&self) -> Result<bool> {
        self.event.is_done()
    }

    /// Waits until it is done, and returns the host's side.
    pub(crate) fn wait(mut self) -> Result<Pinned> {
        self.event.wait()?;
        Ok(self.host.take().expect("only this function takes it"))
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if self.host.is_some() {
            // A device that fails has stopped copying.
            let _ = self.event.wait();
        }
    }
}

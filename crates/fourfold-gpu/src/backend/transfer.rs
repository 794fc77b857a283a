//! Copies between pinned memory and a device, while the host does something else.

use crate::backend::runtime::{Buffer, Queue, Runtime};
use crate::backend::types::Plain;
use crate::backend::{cuda, opencl};
use crate::error::elsewhere;
use fourfold::Result;
use std::mem::align_of;

/// Host memory that stays where it is, aligned to a page.
pub(crate) enum Pinned {
    Cuda(cuda::Pinned),
    OpenCl(opencl::Pinned),
}

enum Event {
    Cuda(cuda::Event),
    OpenCl(opencl::Event),
}

/// A copy that was enqueued: owns the host's side until it is done.
pub(crate) struct Transfer {
    host: Option<Pinned>,
    event: Event,
}

impl Runtime {
    /// Pinned memory of `bytes` bytes, all zero, and at least one real.
    pub(crate) fn pinned(&self, bytes: usize) -> Result<Pinned> {
        let bytes = bytes.max(8);
        match self {
            Runtime::Cuda(device) => device.pinned(bytes).map(Pinned::Cuda),
            Runtime::OpenCl(device) => device.pinned(bytes).map(Pinned::OpenCl),
        }
    }
}

impl Queue {
    /// Begins to copy the first bytes of `host` to `device`.
    pub(crate) fn send(&self, host: Pinned, bytes: usize, device: &mut Buffer) -> Result<Transfer> {
        // SAFETY: nothing but the transfer has `host`, which it neither touches nor frees before
        // the event has come.
        let event = unsafe {
            match (self, &host, device) {
                (Queue::Cuda(queue), Pinned::Cuda(host), Buffer::Cuda(to)) => {
                    queue.send(host, bytes, to).map(Event::Cuda)
                }
                (Queue::OpenCl(queue), Pinned::OpenCl(host), Buffer::OpenCl(to)) => {
                    queue.send(host, bytes, to).map(Event::OpenCl)
                }
                _ => Err(elsewhere()),
            }
        };
        Ok(Transfer { event: event?, host: Some(host) })
    }

    /// Begins to fill the first bytes of `host` from `device`.
    pub(crate) fn receive(&self, device: &Buffer, mut host: Pinned, bytes: usize) -> Result<Transfer> {
        // SAFETY: as above.
        let event = unsafe {
            match (self, device, &mut host) {
                (Queue::Cuda(queue), Buffer::Cuda(from), Pinned::Cuda(host)) => {
                    queue.receive(from, host, bytes).map(Event::Cuda)
                }
                (Queue::OpenCl(queue), Buffer::OpenCl(from), Pinned::OpenCl(host)) => {
                    queue.receive(from, host, bytes).map(Event::OpenCl)
                }
                _ => Err(elsewhere()),
            }
        };
        Ok(Transfer { event: event?, host: Some(host) })
    }
}

impl Pinned {
    /// The first numbers of it.
    pub(crate) fn slice<T: Plain>(&self, len: usize) -> &[T] {
        let bytes = match self {
            Pinned::Cuda(memory) => memory.bytes(),
            Pinned::OpenCl(memory) => memory.bytes(),
        };
        assert!(len * size_of::<T>() <= bytes.len() && bytes.as_ptr().addr() % align_of::<T>() == 0);
        // SAFETY: so long, aligned, and any bytes are valid.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), len) }
    }

    /// The first numbers of it.
    pub(crate) fn slice_mut<T: Plain>(&mut self, len: usize) -> &mut [T] {
        let bytes = match self {
            Pinned::Cuda(memory) => memory.bytes_mut(),
            Pinned::OpenCl(memory) => memory.bytes_mut(),
        };
        assert!(len * size_of::<T>() <= bytes.len() && bytes.as_ptr().addr() % align_of::<T>() == 0);
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), len) }
    }
}

impl Transfer {
    pub(crate) fn is_done(&self) -> Result<bool> {
        match &self.event {
            Event::Cuda(event) => event.is_done(),
            Event::OpenCl(event) => event.is_done(),
        }
    }

    /// Waits until it is done, and returns the host's side.
    pub(crate) fn wait(mut self) -> Result<Pinned> {
        self.join()?;
        Ok(self.host.take().expect("only this function takes it"))
    }

    fn join(&self) -> Result<()> {
        match &self.event {
            Event::Cuda(event) => event.wait(),
            Event::OpenCl(event) => event.wait(),
        }
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if self.host.is_some() {
            // A device that fails has stopped copying.
            let _ = self.join();
        }
    }
}

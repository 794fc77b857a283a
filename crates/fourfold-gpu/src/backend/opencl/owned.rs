//! Objects of OpenCL's that are released without a panic.

use crate::backend::opencl::errors::Driver;
use opencl3::command_queue::{CommandQueue, release_command_queue};
use opencl3::context::Context;
use opencl3::context::context::release_context;
use opencl3::event::{Event, release_event};
use opencl3::kernel::{Kernel, release_kernel};
use opencl3::memory::{Buffer, ClMem, release_mem_object};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// An object of opencl3's, which would panic as it is dropped if the driver does not release it. A
/// driver whose device is lost may refuse that, and nothing is left to do then. The list of devices
/// that a context keeps stays allocated: eight bytes for each opened device.
pub(crate) struct Owned<T: Release>(ManuallyDrop<T>);

/// An object with a count of references.
pub(crate) trait Release {
    /// Gives back a reference.
    ///
    /// # Safety
    /// The object must not be used afterwards.
    unsafe fn release(&self) -> Driver<()>;
}

impl<T: Release> Owned<T> {
    pub(crate) fn new(object: T) -> Owned<T> {
        Owned(ManuallyDrop::new(object))
    }
}

impl<T: Release> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Release> DerefMut for Owned<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Release> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: nobody has the object any more.
        let _ = unsafe { self.0.release() };
    }
}

/// The outcome of something that was enqueued, for whose end nobody waits.
pub(crate) fn enqueued(event: Driver<Event>) -> Driver<()> {
    event.map(Owned::new).map(drop)
}

macro_rules! released {
    ($($type:ty: $release:ident),*) => { $(
        impl Release for $type {
            unsafe fn release(&self) -> Driver<()> {
                // SAFETY: the object exists, and as the caller ensures.
                Ok(unsafe { $release(self.get()) }?)
            }
        }
    )* };
}
released!(
    CommandQueue: release_command_queue,
    Context: release_context,
    Event: release_event,
    Kernel: release_kernel,
    Buffer<u8>: release_mem_object
);

#[cfg(test)]
mod tests {
    use super::*;
    use opencl3::error_codes::ClError;
    use std::cell::Cell;

    /// An object that the driver does not release.
    struct Lost<'a>(&'a Cell<usize>);

    impl Release for Lost<'_> {
        unsafe fn release(&self) -> Driver<()> {
            self.0.set(self.0.get() + 1);
            Err(ClError(-5))
        }
    }

    impl Drop for Lost<'_> {
        fn drop(&mut self) {
            panic!("opencl3 drops it");
        }
    }

    #[test]
    fn what_a_driver_does_not_release_is_dropped_without_a_panic() {
        let released = Cell::new(0);
        drop(Owned::new(Lost(&released)));
        assert_eq!(released.get(), 1);
    }
}

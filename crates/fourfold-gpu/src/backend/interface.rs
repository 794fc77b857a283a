//! What a backend implements. The rest of the crate sees devices through these traits only, so that
//! a further API (HIP, Metal) needs a folder here and a line in [`registry`](crate::backend).
//!
//! A backend's types meet each other as trait objects: a launch gets a kernel and five buffers, and
//! looks with [`own`] for the types that it knows. That costs six comparisons of type identifiers a
//! launch, some nanoseconds of the microseconds that a driver takes.

use crate::attributes::DeviceAttributes;
use crate::backend::types::{BlockSize, BoxCopy, Grid, Message};
use crate::error::{elsewhere, unavailable};
use crate::limits::{DeviceInfo, Limits};
use crate::print::printer::Dialect;
use fourfold::{Error, Problem, Result};
use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

/// An API through which devices are used.
pub(crate) trait Backend: Sync {
    /// The devices that this machine has, by number; there is at least one. Those that do not say
    /// what they are have an error.
    fn devices(&self) -> Result<Vec<Result<DeviceInfo>>>;

    fn open(&self, number: usize) -> Result<Arc<dyn Context>>;

    /// The language of kernels for devices with these attributes.
    fn dialect(&self, attributes: &DeviceAttributes) -> &'static Dialect;

    /// The limits of a typical device, for planning without one.
    fn typical(&self) -> Limits;

    /// Those of a model, which is known by name.
    fn known(&self, name: &str) -> Result<Limits>;

    /// The names of all models.
    fn models(&self) -> Vec<&'static str>;
}

/// An opened device.
pub(crate) trait Context: Compile + Allocate + Enqueue + VendorFfts + Teams + Send + Sync {
    fn info(&self) -> &DeviceInfo;

    fn limits(&self) -> &Limits;

    /// The language of kernels, if it is not that of all devices of the API.
    fn dialect(&self) -> Option<&'static Dialect> {
        None
    }
}

/// A device's compiler.
pub(crate) trait Compile {
    /// The driver and the compiler, with their versions.
    fn software(&self) -> String;

    /// The compiler's options: with the software and a kernel's source, they determine its machine
    /// code.
    fn options(&self) -> String;

    /// A kernel and its machine code. The error has the compiler's log.
    fn compile(&self, source: &str, shared_bytes: usize) -> Result<(Box<dyn Kernel>, Vec<u8>)>;

    /// The kernel of machine code that [`Compile::compile`] returned.
    fn load(&self, code: &[u8], shared_bytes: usize) -> Result<Box<dyn Kernel>>;
}

/// A device's memory, and memory of the host that it copies fast from and to.
pub(crate) trait Allocate {
    /// Memory for `bytes` bytes, more than 0.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Buffer>>;

    /// The caller's memory. If it is given by its address, that must be a multiple of `alignment`.
    ///
    /// # Safety
    /// It must be what the API calls memory: a `CUdeviceptr` (as a pointer) or a `cl_mem`. Unless
    /// the API counts references, it must outlive the buffer.
    unsafe fn buffer_from_raw(&self, memory: *mut c_void, bytes: usize, alignment: usize) -> Result<Box<dyn Buffer>>;

    /// Memory of the host: `bytes` bytes, more than 0, all of them zero.
    fn pinned(&self, bytes: usize) -> Result<Box<dyn Pinned>>;

    /// Bytes to which the parts of a buffer are aligned.
    fn alignment(&self) -> usize;

    /// Bytes of the device's memory that are free, if the API says so.
    fn free_bytes(&self) -> Option<u64> {
        None
    }
}

/// A device's queues.
pub(crate) trait Enqueue {
    fn queue(&self) -> Result<Box<dyn Queue>>;

    /// The caller's queue, which must run in order and belong to this context.
    ///
    /// # Safety
    /// It must be what the API calls a queue: a `CUstream` or a `cl_command_queue`. Unless the API
    /// counts references, it must outlive the result.
    unsafe fn queue_from_raw(&self, queue: *mut c_void) -> Result<Box<dyn Queue>>;
}

/// FFTs of a library of the device's maker.
pub(crate) trait VendorFfts {
    /// A real FFT over the last axes of an array in C order, if there is such a library.
    fn vendor_fft(&self, _: &Problem) -> Result<Option<Box<dyn VendorFft>>> {
        Ok(None)
    }

    /// The library with its version, if it is there.
    fn vendor_library(&self) -> Option<String> {
        None
    }
}

/// The identifier of a team of devices.
pub type TeamId = [u64; 16];

/// Messages between devices by a library of the device's maker.
pub(crate) trait Teams {
    /// The identifier of a new team.
    fn new_team(&self) -> Result<TeamId> {
        Err(no_teams())
    }

    /// Joins a team, when all its members do.
    fn join_team(&self, _: TeamId, _ranks: usize, _rank: usize) -> Result<Box<dyn Member>> {
        Err(no_teams())
    }
}

fn no_teams() -> Error {
    unavailable("NCCL connects devices of CUDA only".into())
}

/// A device in a team.
pub(crate) trait Member: Send + Sync {
    /// Enqueues messages to and from other members. Sizes are the caller's to check.
    fn exchange(
        &self,
        queue: &dyn Queue,
        sends: &[Message],
        from: &dyn Buffer,
        receives: &[Message],
        to: &mut dyn Buffer,
    ) -> Result<()>;
}

/// A compiled kernel. It stays loaded as long as something that was enqueued runs it.
pub(crate) trait Kernel: Any + Send + Sync {
    /// The most threads of a block. A kernel may need more registers or memory than a block of the
    /// device's largest size has.
    fn threads(&self) -> usize;

    /// The bytes of shared memory that a block takes, if the API says so: those that the kernel was
    /// written for, and what the compiler adds.
    fn shared_bytes(&self) -> Option<usize> {
        None
    }

    /// The threads of a sub-group with which the device runs the kernel's blocks, 0 if the driver does not say.
    /// `None` where all kernels have the warps of the device.
    fn subgroup(&self) -> Option<usize> {
        None
    }

    /// Clusters of so many blocks of a size that the device holds at once, if the API says so.
    fn clusters(&self, _: usize, _: BlockSize) -> Option<usize> {
        None
    }
}

/// Device memory, or a part of it. It stays as long as something that was enqueued uses it.
pub(crate) trait Buffer: Any + Send + Sync {
    /// `bytes` bytes of it from byte `offset` on.
    fn part(&self, offset: usize, bytes: usize) -> Result<Box<dyn Buffer>>;

    /// The same memory, to be written by one who holds it while others do.
    fn share(&self) -> Result<Box<dyn Buffer>>;

    /// What the API calls it.
    fn raw(&self) -> *mut c_void;
}

/// Memory of the host that stays where it is, aligned to a page.
pub(crate) trait Pinned: Any + Send + Sync {
    fn bytes(&self) -> &[u8];

    fn bytes_mut(&mut self) -> &mut [u8];
}

/// The end of a copy that was enqueued.
pub(crate) trait Event: Send + Sync {
    fn wait(&self) -> Result<()>;

    fn is_done(&self) -> Result<bool>;
}

/// Copies in the order of a queue. Sizes are the caller's to check.
pub(crate) trait Copies {
    /// Copies, and waits until all that was enqueued is done.
    fn upload(&self, data: &[u8], to: &mut dyn Buffer) -> Result<()>;

    /// Copies, and waits until all that was enqueued is done.
    fn download(&self, from: &dyn Buffer, data: &mut [u8]) -> Result<()>;

    fn copy(&self, from: &dyn Buffer, to: &mut dyn Buffer, bytes: usize) -> Result<()>;

    /// Enqueues a copy of runs of bytes. `from` may be another device's, if the API can copy from it.
    fn copy_box(&self, from: &dyn Buffer, to: &mut dyn Buffer, copy: &BoxCopy) -> Result<()>;

    /// Enqueues a copy of the first bytes of `from`.
    ///
    /// # Safety
    /// `from` must stay as it is until the event has come.
    unsafe fn send(&self, from: &dyn Pinned, bytes: usize, to: &mut dyn Buffer) -> Result<Box<dyn Event>>;

    /// Enqueues a copy to the first bytes of `to`.
    ///
    /// # Safety
    /// `to` must stay where it is, and not be touched, until the event has come.
    unsafe fn receive(&self, from: &dyn Buffer, to: &mut dyn Pinned, bytes: usize) -> Result<Box<dyn Event>>;

    /// When all that was enqueued is done, calls `work` with the first bytes of `from`, to be read,
    /// and those of `to`, to be written, mapped into the host's memory. Returns false, without a
    /// call, where the API maps no memory of devices.
    fn map(&self, _: &dyn Buffer, _: &mut dyn Buffer, _: usize, _: &mut dyn FnMut(&[u8], &mut [u8])) -> Result<bool> {
        Ok(false)
    }
}

/// A queue: what is enqueued runs in order.
pub(crate) trait Queue: Copies + Any + Send + Sync {
    /// Enqueues a kernel with input, output, table, indices and scratch.
    fn launch(&self, kernel: &dyn Kernel, grid: Grid, arguments: [&dyn Buffer; 5]) -> Result<()>;

    /// Waits for all that was enqueued.
    fn finish(&self) -> Result<()>;

    /// What is enqueued from now on begins when all that `other` has is done.
    fn wait_for(&self, other: &dyn Queue) -> Result<()>;

    /// Whether a graph records what is enqueued.
    fn is_capturing(&self) -> bool {
        false
    }

    /// What the API calls it.
    fn raw(&self) -> *mut c_void;
}

/// A plan of a library of the device's maker.
pub(crate) trait VendorFft: Send + Sync {
    /// Bytes of scratch.
    fn scratch_bytes(&self) -> usize;

    /// Whether it does a length by Bluestein's algorithm, which costs about a digit.
    fn has_large_primes(&self) -> bool;

    /// Enqueues the FFT, which may overwrite what it reads.
    fn enqueue(&self, queue: &dyn Queue, ends: [&dyn Buffer; 2], scratch: &dyn Buffer) -> Result<()>;
}

/// A backend's type behind a trait object; an error if it is another backend's.
pub(crate) fn own<T: Any>(object: &dyn Any) -> Result<&T> {
    object.downcast_ref().ok_or_else(elsewhere)
}

/// The same, to be changed.
pub(crate) fn own_mut<T: Any>(object: &mut dyn Any) -> Result<&mut T> {
    object.downcast_mut().ok_or_else(elsewhere)
}

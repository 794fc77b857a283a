//! Devices, their memory and their kernels. [`cuda`] and [`opencl`] have the same shape; nothing
//! else knows either.

use crate::backend::types::{Grid, Plain, bytes, bytes_mut};
use crate::backend::{cuda, opencl};
use crate::error::elsewhere;
use crate::limits::{DeviceInfo, Limits};
use crate::print::cuda::CUDA;
use crate::print::opencl::OPENCL;
use crate::print::printer::Dialect;
use fourfold::{Problem, Result};
use std::sync::Arc;

/// A device of either sort.
#[derive(Clone)]
pub(crate) enum Runtime {
    Cuda(Arc<cuda::Runtime>),
    OpenCl(Arc<opencl::Runtime>),
}

/// What is enqueued runs in order.
pub(crate) enum Queue {
    Cuda(cuda::Queue),
    OpenCl(opencl::Queue),
}

/// Device memory. It stays as long as something that was enqueued uses it.
pub(crate) enum Buffer {
    Cuda(cuda::Buffer),
    OpenCl(opencl::Buffer),
}

/// A plan of a library of the device's maker.
pub(crate) struct VendorFft(cuda::VendorFft);

/// A compiled kernel.
pub(crate) enum Kernel {
    Cuda(cuda::Kernel),
    OpenCl(opencl::Kernel),
}

/// Input, output, table, indices, scratch.
pub(crate) type Arguments<'a> = [&'a Buffer; 5];

impl Runtime {
    pub(crate) fn cuda(number: usize) -> Result<Runtime> {
        Ok(Runtime::Cuda(Arc::new(cuda::Runtime::new(number)?)))
    }

    pub(crate) fn opencl(number: usize) -> Result<Runtime> {
        Ok(Runtime::OpenCl(Arc::new(opencl::Runtime::new(number)?)))
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        match self {
            Runtime::Cuda(device) => device.info(),
            Runtime::OpenCl(device) => device.info(),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        match self {
            Runtime::Cuda(device) => device.limits(),
            Runtime::OpenCl(device) => device.limits(),
        }
    }

    pub(crate) fn dialect(&self) -> &'static Dialect {
        match self {
            Runtime::Cuda(_) => &CUDA,
            Runtime::OpenCl(_) => &OPENCL,
        }
    }

    /// One line that says, with a kernel's source, which machine code it becomes: ours, the device,
    /// the driver, the compiler.
    pub(crate) fn target(&self) -> String {
        let (api, name) = (self.info().id.api, &self.info().name);
        let versions = match self {
            Runtime::Cuda(device) => device.versions(),
            Runtime::OpenCl(device) => device.versions(),
        };
        format!("fourfold {} {api} {name}, {versions}", env!("CARGO_PKG_VERSION")).replace('\n', " ")
    }

    /// A kernel and its machine code. The error has the compiler's log.
    pub(crate) fn compile(&self, source: &str, shared_bytes: usize) -> Result<(Kernel, Vec<u8>)> {
        match self {
            Runtime::Cuda(device) => device.compile(source, shared_bytes).map(|(k, code)| (Kernel::Cuda(k), code)),
            Runtime::OpenCl(device) => device.compile(source).map(|(k, code)| (Kernel::OpenCl(k), code)),
        }
    }

    /// The kernel of machine code that [`Runtime::compile`] returned.
    pub(crate) fn load(&self, code: &[u8], shared_bytes: usize) -> Result<Kernel> {
        match self {
            Runtime::Cuda(device) => device.load(code, shared_bytes).map(Kernel::Cuda),
            Runtime::OpenCl(device) => device.load(code).map(Kernel::OpenCl),
        }
    }

    pub(crate) fn queue(&self) -> Result<Queue> {
        match self {
            Runtime::Cuda(device) => device.queue().map(Queue::Cuda),
            Runtime::OpenCl(device) => device.queue().map(Queue::OpenCl),
        }
    }

    /// Memory for `bytes` bytes, and at least one real.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Buffer> {
        let bytes = bytes.max(8);
        match self {
            Runtime::Cuda(device) => device.allocate(bytes).map(Buffer::Cuda),
            Runtime::OpenCl(device) => device.allocate(bytes).map(Buffer::OpenCl),
        }
    }

    /// Bytes to which the parts of a buffer are aligned.
    pub(crate) fn alignment(&self) -> usize {
        match self {
            // cuMemAlloc's own.
            Runtime::Cuda(_) => 256,
            Runtime::OpenCl(device) => device.alignment(),
        }
    }

    /// The maker's own real FFT over the last axes of an array in C order, if there is one.
    pub(crate) fn vendor_fft(&self, problem: &Problem) -> Result<Option<VendorFft>> {
        match self {
            Runtime::Cuda(device) => Ok(device.fft(problem)?.map(VendorFft)),
            Runtime::OpenCl(_) => Ok(None),
        }
    }

    pub(crate) fn same(&self, other: &Runtime) -> bool {
        match (self, other) {
            (Runtime::Cuda(a), Runtime::Cuda(b)) => Arc::ptr_eq(a, b),
            (Runtime::OpenCl(a), Runtime::OpenCl(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl VendorFft {
    /// Bytes of scratch.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.0.scratch_bytes()
    }

    /// Whether it does a length by Bluestein's algorithm, which costs about a digit.
    pub(crate) fn has_large_primes(&self) -> bool {
        self.0.has_large_primes()
    }

    /// Enqueues the FFT, which may overwrite what it reads.
    pub(crate) fn run(&self, queue: &Queue, ends: [&Buffer; 2], scratch: &Buffer) -> Result<()> {
        match (queue, ends.map(Buffer::cuda), scratch.cuda()) {
            (Queue::Cuda(queue), [Some(from), Some(to)], Some(scratch)) => self.0.run(queue, [from, to], scratch),
            _ => Err(elsewhere()),
        }
    }
}

/// Sizes are the caller's to check.
impl Queue {
    /// Waits for all that was enqueued, and copies.
    pub(crate) fn upload<T: Plain>(&self, data: &[T], to: &mut Buffer) -> Result<()> {
        match (self, to) {
            _ if data.is_empty() => Ok(()),
            (Queue::Cuda(queue), Buffer::Cuda(to)) => queue.upload(bytes(data), to),
            (Queue::OpenCl(queue), Buffer::OpenCl(to)) => queue.upload(bytes(data), to),
            _ => Err(elsewhere()),
        }
    }

    /// Waits for all that was enqueued, and copies.
    pub(crate) fn download<T: Plain>(&self, from: &Buffer, data: &mut [T]) -> Result<()> {
        match (self, from) {
            _ if data.is_empty() => Ok(()),
            (Queue::Cuda(queue), Buffer::Cuda(from)) => queue.download(from, bytes_mut(data)),
            (Queue::OpenCl(queue), Buffer::OpenCl(from)) => queue.download(from, bytes_mut(data)),
            _ => Err(elsewhere()),
        }
    }

    pub(crate) fn copy(&self, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        match (self, from, to) {
            _ if bytes == 0 => Ok(()),
            (Queue::Cuda(queue), Buffer::Cuda(from), Buffer::Cuda(to)) => queue.copy(from, to, bytes),
            (Queue::OpenCl(queue), Buffer::OpenCl(from), Buffer::OpenCl(to)) => queue.copy(from, to, bytes),
            _ => Err(elsewhere()),
        }
    }

    /// Enqueues a kernel.
    pub(crate) fn launch(&self, kernel: &Kernel, grid: Grid, arguments: Arguments<'_>) -> Result<()> {
        match (self, kernel) {
            (Queue::Cuda(queue), Kernel::Cuda(kernel)) => queue.launch(kernel, grid, all(arguments, Buffer::cuda)?),
            (Queue::OpenCl(queue), Kernel::OpenCl(kernel)) => {
                queue.launch(kernel, grid, all(arguments, Buffer::opencl)?)
            }
            _ => Err(elsewhere()),
        }
    }

    /// Waits for all that was enqueued.
    pub(crate) fn finish(&self) -> Result<()> {
        match self {
            Queue::Cuda(queue) => queue.finish(),
            Queue::OpenCl(queue) => queue.finish(),
        }
    }

    /// Whether a graph records what is enqueued.
    pub(crate) fn is_capturing(&self) -> bool {
        match self {
            Queue::Cuda(queue) => queue.is_capturing(),
            Queue::OpenCl(_) => false,
        }
    }

    /// What is enqueued from now on begins when all that `other` has is done.
    pub(crate) fn wait_for(&self, other: &Queue) -> Result<()> {
        match (self, other) {
            (Queue::Cuda(queue), Queue::Cuda(other)) => queue.wait_for(other),
            (Queue::OpenCl(queue), Queue::OpenCl(other)) => queue.wait_for(other),
            _ => Err(elsewhere()),
        }
    }
}

impl Buffer {
    /// `bytes` bytes of it from byte `offset` on, a multiple of the runtime's alignment.
    pub(crate) fn part(&self, offset: usize, bytes: usize) -> Result<Buffer> {
        match self {
            Buffer::Cuda(buffer) => Ok(Buffer::Cuda(buffer.part(offset))),
            Buffer::OpenCl(buffer) => buffer.part(offset, bytes).map(Buffer::OpenCl),
        }
    }

    /// The same memory, for who writes it while others hold it.
    pub(crate) fn again(&self) -> Result<Buffer> {
        match self {
            Buffer::Cuda(buffer) => Ok(Buffer::Cuda(buffer.part(0))),
            Buffer::OpenCl(buffer) => buffer.again().map(Buffer::OpenCl),
        }
    }

    pub(crate) fn cuda(&self) -> Option<&cuda::Buffer> {
        if let Buffer::Cuda(buffer) = self { Some(buffer) } else { None }
    }

    pub(crate) fn opencl(&self) -> Option<&opencl::Buffer> {
        if let Buffer::OpenCl(buffer) = self { Some(buffer) } else { None }
    }
}

pub(crate) fn all<'a, B>(arguments: Arguments<'a>, of: fn(&'a Buffer) -> Option<&'a B>) -> Result<[&'a B; 5]> {
    let [a, b, c, d, e] = arguments.map(of);
    let all = || Some([a?, b?, c?, d?, e?]);
    all().ok_or_else(elsewhere)
}

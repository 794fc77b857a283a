//! Devices, their queues, memory and kernels, of any backend: handles that own what a backend made.

use crate::backend::interface;
use crate::backend::interface::{Context, Member, TeamId};
use crate::backend::registry::backend;
use crate::backend::types::{BlockSize, BoxCopy, Grid, Plain, bytes, bytes_mut};
use crate::limits::{Api, DeviceInfo, Limits};
use crate::print::printer::Dialect;
use fourfold::{Problem, Result};
use std::ffi::c_void;
use std::sync::Arc;

/// An opened device.
#[derive(Clone)]
pub(crate) struct Runtime(Arc<dyn Context>);

/// A queue: what is enqueued runs in order.
pub(crate) struct Queue(pub(crate) Box<dyn interface::Queue>);

/// Device memory. It stays as long as something that was enqueued uses it.
pub(crate) struct Buffer(pub(crate) Box<dyn interface::Buffer>);

/// A compiled kernel.
pub(crate) struct Kernel(Box<dyn interface::Kernel>);

/// A plan of a library of the device's maker.
pub(crate) struct VendorFft(Box<dyn interface::VendorFft>);

/// Input, output, table, indices, scratch.
pub(crate) type Arguments<'a> = [&'a Buffer; 5];

impl Runtime {
    pub(crate) fn open(api: Api, number: usize) -> Result<Runtime> {
        backend(api).open(number).map(Runtime)
    }

    pub(crate) fn of(context: impl Context + 'static) -> Runtime {
        Runtime(Arc::new(context))
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        self.0.info()
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.0.limits()
    }

    /// The language of its kernels.
    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.0.dialect().unwrap_or_else(|| backend(self.info().id.api).dialect(&self.limits().attributes))
    }

    /// One line that says, with a kernel's source, which machine code it becomes: the version of
    /// this crate, the device, the driver, the compiler.
    pub(crate) fn target(&self) -> String {
        let (api, name) = (self.info().id.api, &self.info().name);
        let (software, options) = (self.0.software(), self.0.options());
        format!("fourfold {} {api} {name}, {software} {options}", env!("CARGO_PKG_VERSION")).replace('\n', " ")
    }

    /// The driver, the compiler, and the maker's library of FFTs if it is there.
    pub(crate) fn software(&self) -> String {
        [self.0.software()].into_iter().chain(self.0.vendor_library()).collect::<Vec<_>>().join(", ")
    }

    /// A kernel and its machine code. The error has the compiler's log.
    pub(crate) fn compile(&self, source: &str, shared_bytes: usize) -> Result<(Kernel, Vec<u8>)> {
        self.0.compile(source, shared_bytes).map(|(kernel, code)| (Kernel(kernel), code))
    }

    /// The kernel of machine code that [`Runtime::compile`] returned.
    pub(crate) fn load(&self, code: &[u8], shared_bytes: usize) -> Result<Kernel> {
        self.0.load(code, shared_bytes).map(Kernel)
    }

    pub(crate) fn queue(&self) -> Result<Queue> {
        self.0.queue().map(Queue)
    }

    /// The caller's queue.
    ///
    /// # Safety
    /// As [`interface::Enqueue::queue_from_raw`].
    pub(crate) unsafe fn queue_from_raw(&self, queue: *mut c_void) -> Result<Queue> {
        // SAFETY: the caller ensures the same.
        unsafe { self.0.queue_from_raw(queue) }.map(Queue)
    }

    /// Memory for `bytes` bytes, and at least one real.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Buffer> {
        self.0.allocate(bytes.max(8)).map(Buffer)
    }

    /// The caller's memory.
    ///
    /// # Safety
    /// As [`interface::Allocate::buffer_from_raw`].
    pub(crate) unsafe fn buffer_from_raw(&self, memory: *mut c_void, bytes: usize, alignment: usize) -> Result<Buffer> {
        // SAFETY: the caller ensures the same.
        unsafe { self.0.buffer_from_raw(memory, bytes, alignment) }.map(Buffer)
    }

    /// Memory of the host for `bytes` bytes, and at least one real.
    pub(crate) fn pinned(&self, bytes: usize) -> Result<Box<dyn interface::Pinned>> {
        self.0.pinned(bytes.max(8))
    }

    /// Bytes to which the parts of a buffer are aligned.
    pub(crate) fn alignment(&self) -> usize {
        self.0.alignment()
    }

    /// Bytes of the device's memory that are free, if the API says so.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
        self.0.free_bytes()
    }

    /// The maker's own real FFT over the last axes of an array in C order, if there is one.
    pub(crate) fn vendor_fft(&self, problem: &Problem) -> Result<Option<VendorFft>> {
        Ok(self.0.vendor_fft(problem)?.map(VendorFft))
    }

    /// The identifier of a new team.
    pub(crate) fn new_team(&self) -> Result<TeamId> {
        self.0.new_team()
    }

    /// Joins a team, when all its members do.
    pub(crate) fn join_team(&self, id: TeamId, ranks: usize, rank: usize) -> Result<Box<dyn Member>> {
        self.0.join_team(id, ranks, rank)
    }

    /// Whether they are one device, opened once.
    pub(crate) fn same(&self, other: &Runtime) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Kernel {
    /// The threads of a sub-group with which it runs, where that is not every kernel's.
    pub(crate) fn subgroup(&self) -> Option<usize> {
        self.0.subgroup()
    }

    /// The most threads of a block that runs it.
    pub(crate) fn threads(&self) -> usize {
        self.0.threads()
    }

    /// Bytes of shared memory that a block takes, if the API says so.
    pub(crate) fn shared_bytes(&self) -> Option<usize> {
        self.0.shared_bytes()
    }

    /// Clusters of so many blocks that the device holds at once, if the API says so.
    pub(crate) fn clusters(&self, blocks: usize, size: BlockSize) -> Option<usize> {
        self.0.clusters(blocks, size)
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
    pub(crate) fn enqueue(&self, queue: &Queue, ends: [&Buffer; 2], scratch: &Buffer) -> Result<()> {
        self.0.enqueue(&*queue.0, ends.map(|end| &*end.0), &*scratch.0)
    }
}

/// Sizes are the caller's to check.
impl Queue {
    /// Copies, and waits until all that was enqueued is done.
    pub(crate) fn upload<T: Plain>(&self, data: &[T], to: &mut Buffer) -> Result<()> {
        if data.is_empty() { Ok(()) } else { self.0.upload(bytes(data), &mut *to.0) }
    }

    /// Copies, and waits until all that was enqueued is done.
    pub(crate) fn download<T: Plain>(&self, from: &Buffer, data: &mut [T]) -> Result<()> {
        if data.is_empty() { Ok(()) } else { self.0.download(&*from.0, bytes_mut(data)) }
    }

    /// The first bytes of two arrays in the host's memory, if the API maps them: see
    /// [`interface::Copies::map`].
    pub(crate) fn map(
        &self,
        from: &Buffer,
        to: &mut Buffer,
        bytes: usize,
        work: &mut dyn FnMut(&[u8], &mut [u8]),
    ) -> Result<bool> {
        self.0.map(&*from.0, &mut *to.0, bytes, work)
    }

    pub(crate) fn copy(&self, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        if bytes == 0 { Ok(()) } else { self.0.copy(&*from.0, &mut *to.0, bytes) }
    }

    /// Enqueues a copy of runs of bytes.
    pub(crate) fn copy_box(&self, from: &Buffer, to: &mut Buffer, copy: &BoxCopy) -> Result<()> {
        self.0.copy_box(&*from.0, &mut *to.0, copy)
    }

    /// Enqueues a kernel.
    pub(crate) fn launch(&self, kernel: &Kernel, grid: Grid, arguments: Arguments<'_>) -> Result<()> {
        self.0.launch(&*kernel.0, grid, arguments.map(|buffer| &*buffer.0))
    }

    /// Waits for all that was enqueued.
    pub(crate) fn finish(&self) -> Result<()> {
        self.0.finish()
    }

    /// What is enqueued from now on begins when all that `other` has is done.
    pub(crate) fn wait_for(&self, other: &Queue) -> Result<()> {
        self.0.wait_for(&*other.0)
    }

    /// Whether a graph records what is enqueued.
    pub(crate) fn is_capturing(&self) -> bool {
        self.0.is_capturing()
    }

    /// What the API calls it.
    pub(crate) fn raw(&self) -> *mut c_void {
        self.0.raw()
    }
}

impl Buffer {
    /// `bytes` bytes of it from byte `offset` on, a multiple of the runtime's alignment.
    pub(crate) fn part(&self, offset: usize, bytes: usize) -> Result<Buffer> {
        self.0.part(offset, bytes).map(Buffer)
    }

    /// The same memory, to be written by one who holds it while others do.
    pub(crate) fn share(&self) -> Result<Buffer> {
        self.0.share().map(Buffer)
    }

    /// What the API calls it.
    pub(crate) fn raw(&self) -> *mut c_void {
        self.0.raw()
    }
}

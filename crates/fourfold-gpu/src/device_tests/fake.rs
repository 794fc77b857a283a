//! A device that computes nothing, whose driver refuses a call when it is told to, and knows what
//! it holds.

use crate::attributes::DeviceAttributes;
use crate::backend::device::Device;
use crate::backend::interface;
use crate::backend::interface::{Allocate, Compile, Copies, Enqueue, Teams, VendorFfts, own};
use crate::backend::runtime::Runtime;
use crate::backend::types::{BoxCopy, Grid};
use crate::error::unavailable;
use crate::limits::{Api, DeviceId, DeviceInfo, Limits};
use fourfold::timing::Clock;
use fourfold::{Problem, Result};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the driver was asked, and what it holds.
#[derive(Default)]
pub(crate) struct Driver {
    calls: AtomicUsize,
    /// The number of the call that is refused, from 1; 0 for none.
    refused: AtomicUsize,
    held: AtomicUsize,
    /// The sources of kernels that take a tenth of the time of others.
    fast: Mutex<Vec<String>>,
    /// Microseconds that kernels have taken, as its clock says.
    elapsed: AtomicU64,
}

/// Microseconds of a kernel that is not fast.
const SLOW: u64 = 1000;

/// How the device differs from a typical one.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Threads of a block.
    pub(crate) threads: usize,
    /// Threads of a block that runs a compiled kernel.
    pub(crate) kernel_threads: usize,
    /// Bytes of shared memory that its compiler adds.
    pub(crate) added_bytes: usize,
    /// Bytes of shared memory with which its compiler takes a kernel.
    pub(crate) granted_bytes: usize,
    /// Whether there is a library of FFTs.
    pub(crate) vendor_ffts: bool,
    /// Work items of the sub-groups of compiled kernels, if the device says that those of 32 exchange registers. If
    /// there are 0, its compiler refuses kernels that do.
    pub(crate) subgroup: Option<usize>,
}

/// A typical device.
pub(crate) const TYPICAL: Options = Options {
    threads: 256,
    kernel_threads: 256,
    added_bytes: 0,
    granted_bytes: 48 << 10,
    vendor_ffts: false,
    subgroup: None,
};

impl Driver {
    /// Refuses call number `call` from now on.
    pub(crate) fn refuse(&self, call: usize) {
        self.calls.store(0, Ordering::SeqCst);
        self.refused.store(call, Ordering::SeqCst);
    }

    /// Calls since then.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Kernels, memory, queues, events and plans that were not given back.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::SeqCst)
    }

    /// From now on, kernels that are compiled from these sources are fast.
    pub(crate) fn speed_up(&self, sources: Vec<String>) {
        *self.fast.lock().unwrap() = sources;
    }

    /// Microseconds of a kernel with this source.
    fn time(&self, source: &str) -> u64 {
        if self.fast.lock().unwrap().iter().any(|fast| fast == source) { SLOW / 10 } else { SLOW }
    }

    fn call(&self, what: &str) -> Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let refused = number == self.refused.load(Ordering::SeqCst);
        if refused { Err(unavailable(format!("call {number}, to {what}, was refused"))) } else { Ok(()) }
    }
}

impl Clock for Driver {
    fn now(&self) -> Duration {
        Duration::from_micros(self.elapsed.load(Ordering::SeqCst))
    }
}

/// Something that the driver holds.
struct Handle(Arc<Driver>);

impl Handle {
    fn new(driver: &Arc<Driver>, what: &str) -> Result<Handle> {
        driver.call(what)?;
        driver.held.fetch_add(1, Ordering::SeqCst);
        Ok(Handle(Arc::clone(driver)))
    }

    fn call(&self, what: &str) -> Result<()> {
        self.0.call(what)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Context {
    driver: Arc<Driver>,
    info: DeviceInfo,
    limits: Limits,
    options: Options,
}

/// The device, and its driver.
pub(crate) fn device(options: Options) -> (Device, Arc<Driver>) {
    let attributes = DeviceAttributes {
        sms: 16,
        threads_per_block: options.threads,
        shared_per_block: 48 << 10,
        shared_granted: Some(options.granted_bytes),
        shared_per_sm: 48 << 10,
        double: true,
        exchanges_registers: options.subgroup.is_some(),
        ..DeviceAttributes::least()
    };
    device_with(Api::OpenCl, attributes, options)
}

/// The same with these attributes.
pub(crate) fn device_with(api: Api, attributes: DeviceAttributes, options: Options) -> (Device, Arc<Driver>) {
    let driver = Arc::new(Driver::default());
    let info = DeviceInfo {
        id: DeviceId { api, number: 0 },
        name: "a device that computes nothing".into(),
        version: "OpenCL 3.0".into(),
        memory: 1 << 40,
        is_cpu: false,
        attributes,
    };
    let limits = Limits::new(&info.name, info.attributes.clone());
    let runtime = Runtime::of(Context { driver: Arc::clone(&driver), info, limits, options });
    let queue = Arc::new(runtime.queue().expect("nothing is refused yet"));
    (Device { runtime, queue }, driver)
}

impl interface::Context for Context {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }
}

struct Kernel {
    threads: usize,
    shared_bytes: usize,
    subgroup: Option<usize>,
    time: u64,
    _handle: Handle,
}

impl interface::Kernel for Kernel {
    fn threads(&self) -> usize {
        self.threads
    }

    fn shared_bytes(&self) -> Option<usize> {
        Some(self.shared_bytes)
    }

    fn subgroup(&self) -> Option<usize> {
        self.subgroup
    }
}

impl Compile for Context {
    fn software(&self) -> String {
        "no driver".into()
    }

    fn options(&self) -> String {
        String::new()
    }

    fn compile(&self, source: &str, shared_bytes: usize) -> Result<(Box<dyn interface::Kernel>, Vec<u8>)> {
        let handle = Handle::new(&self.driver, "compile a kernel")?;
        if shared_bytes > self.options.granted_bytes {
            return Err(unavailable(format!("{shared_bytes} bytes of shared memory are refused")));
        }
        if self.options.subgroup == Some(0) && source.contains("sub_group_shuffle_xor(") {
            return Err(unavailable("there is no `sub_group_shuffle_xor`".into()));
        }
        let time = self.driver.time(source);
        Ok((Box::new(Kernel { time, ..self.kernel(shared_bytes, handle) }), vec![1]))
    }

    fn load(&self, _: &[u8], shared_bytes: usize) -> Result<Box<dyn interface::Kernel>> {
        let handle = Handle::new(&self.driver, "load a kernel")?;
        Ok(Box::new(self.kernel(shared_bytes, handle)))
    }
}

impl Context {
    fn kernel(&self, shared_bytes: usize, handle: Handle) -> Kernel {
        let Options { kernel_threads: threads, added_bytes, subgroup, .. } = self.options;
        Kernel { threads, shared_bytes: shared_bytes + added_bytes, subgroup, time: SLOW, _handle: handle }
    }
}

struct Buffer(Handle);

impl interface::Buffer for Buffer {
    fn part(&self, _: usize, _: usize) -> Result<Box<dyn interface::Buffer>> {
        Ok(Box::new(Buffer(Handle::new(&self.0.0, "take a part of memory")?)))
    }

    fn share(&self) -> Result<Box<dyn interface::Buffer>> {
        Ok(Box::new(Buffer(Handle::new(&self.0.0, "share memory")?)))
    }

    fn raw(&self) -> *mut c_void {
        ptr::null_mut()
    }
}

struct Pinned {
    bytes: Vec<u8>,
    _handle: Handle,
}

impl interface::Pinned for Pinned {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Allocate for Context {
    fn allocate(&self, _: usize) -> Result<Box<dyn interface::Buffer>> {
        Ok(Box::new(Buffer(Handle::new(&self.driver, "allocate memory")?)))
    }

    unsafe fn buffer_from_raw(&self, _: *mut c_void, _: usize, _: usize) -> Result<Box<dyn interface::Buffer>> {
        self.allocate(0)
    }

    fn pinned(&self, bytes: usize) -> Result<Box<dyn interface::Pinned>> {
        let handle = Handle::new(&self.driver, "pin memory")?;
        Ok(Box::new(Pinned { bytes: vec![0; bytes], _handle: handle }))
    }

    fn alignment(&self) -> usize {
        256
    }
}

struct Queue(Handle);

impl Enqueue for Context {
    fn queue(&self) -> Result<Box<dyn interface::Queue>> {
        Ok(Box::new(Queue(Handle::new(&self.driver, "make a queue")?)))
    }

    unsafe fn queue_from_raw(&self, _: *mut c_void) -> Result<Box<dyn interface::Queue>> {
        self.queue()
    }
}

struct Event(Handle);

impl interface::Event for Event {
    fn wait(&self) -> Result<()> {
        self.0.call("wait for a copy")
    }

    fn is_done(&self) -> Result<bool> {
        self.0.call("ask for a copy").map(|()| true)
    }
}

impl Queue {
    fn event(&self, what: &str) -> Result<Box<dyn interface::Event>> {
        Ok(Box::new(Event(Handle::new(&self.0.0, what)?)))
    }
}

impl Copies for Queue {
    fn upload(&self, _: &[u8], _: &mut dyn interface::Buffer) -> Result<()> {
        self.0.call("upload")
    }

    fn download(&self, _: &dyn interface::Buffer, _: &mut [u8]) -> Result<()> {
        self.0.call("download")
    }

    fn copy(&self, _: &dyn interface::Buffer, _: &mut dyn interface::Buffer, _: usize) -> Result<()> {
        self.0.call("copy")
    }

    fn copy_box(&self, _: &dyn interface::Buffer, _: &mut dyn interface::Buffer, _: &BoxCopy) -> Result<()> {
        self.0.call("copy a box")
    }

    unsafe fn send(
        &self,
        _: &dyn interface::Pinned,
        _: usize,
        _: &mut dyn interface::Buffer,
    ) -> Result<Box<dyn interface::Event>> {
        self.event("begin an upload")
    }

    unsafe fn receive(
        &self,
        _: &dyn interface::Buffer,
        _: &mut dyn interface::Pinned,
        _: usize,
    ) -> Result<Box<dyn interface::Event>> {
        self.event("begin a download")
    }
}

impl interface::Queue for Queue {
    /// Drivers refuse launches with more threads than a kernel can have.
    fn launch(&self, kernel: &dyn interface::Kernel, grid: Grid, _: [&dyn interface::Buffer; 5]) -> Result<()> {
        let kernel: &Kernel = own(kernel)?;
        if grid.size().threads > kernel.threads {
            return Err(unavailable("an invalid work group size".into()));
        }
        self.0.0.elapsed.fetch_add(kernel.time, Ordering::SeqCst);
        self.0.call("launch a kernel")
    }

    fn finish(&self) -> Result<()> {
        self.0.call("finish")
    }

    fn wait_for(&self, _: &dyn interface::Queue) -> Result<()> {
        self.0.call("wait for a queue")
    }

    fn raw(&self) -> *mut c_void {
        ptr::null_mut()
    }
}

impl Teams for Context {}

struct VendorFft(Handle);

impl interface::VendorFft for VendorFft {
    fn scratch_bytes(&self) -> usize {
        1000
    }

    fn has_large_primes(&self) -> bool {
        false
    }

    fn enqueue(
        &self,
        _: &dyn interface::Queue,
        _: [&dyn interface::Buffer; 2],
        _: &dyn interface::Buffer,
    ) -> Result<()> {
        self.0.call("run an FFT")
    }
}

impl VendorFfts for Context {
    fn vendor_fft(&self, _: &Problem) -> Result<Option<Box<dyn interface::VendorFft>>> {
        if !self.options.vendor_ffts {
            return Ok(None);
        }
        Ok(Some(Box::new(VendorFft(Handle::new(&self.driver, "plan an FFT")?))))
    }
}

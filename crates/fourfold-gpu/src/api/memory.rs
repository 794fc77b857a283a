//! Memory of devices as bytes: what exchanges between ranks move.

use crate::api::array::{GpuArray, GpuScratch, one_queue};
use crate::api::plan::GpuPlan;
use crate::backend::device::Device;
use crate::backend::runtime::Buffer;
use crate::backend::types::BoxCopy;
use crate::error::{argument, elsewhere};
use fourfold::{Domain, Element, Result};
use std::ffi::c_void;

/// Memory of a [`Device`] as bytes, which plans see as the elements that they need. It belongs to a
/// queue, as an array does. It can be the memory of an array, or be [shared](GpuMemory::share).
pub struct GpuMemory {
    pub(crate) device: Device,
    pub(crate) buffer: Buffer,
    bytes: usize,
}

impl Device {
    /// Scratch of `bytes` bytes, for any plan that needs no more.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn scratch(&self, bytes: usize) -> Result<GpuScratch> {
        GpuScratch::new(self, bytes)
    }

    /// Memory of `bytes` bytes, with any values.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn memory(&self, bytes: usize) -> Result<GpuMemory> {
        Ok(GpuMemory { buffer: self.runtime.allocate(bytes)?, device: self.clone(), bytes })
    }
}

impl<T: Element> GpuArray<T> {
    /// The array's memory, which lives as long as the array or the result.
    ///
    /// # Errors
    /// If the device fails.
    pub fn memory(&self) -> Result<GpuMemory> {
        let bytes = self.len() * size_of::<T>();
        Ok(GpuMemory { device: self.device.clone(), buffer: self.buffer.share()?, bytes })
    }
}

impl GpuMemory {
    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The device and the queue that it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same memory, for one who reads it while others hold it.
    ///
    /// # Errors
    /// If the device fails.
    pub fn share(&self) -> Result<GpuMemory> {
        Ok(GpuMemory { device: self.device.clone(), buffer: self.buffer.share()?, bytes: self.bytes })
    }

    /// The first elements of the same memory as an array.
    ///
    /// # Errors
    /// If the memory is shorter, or if the device fails.
    pub fn array<T: Element>(&self, len: usize) -> Result<GpuArray<T>> {
        if len > self.bytes / size_of::<T>() {
            return Err(argument(format!("an array of {len} elements in memory of {} bytes", self.bytes)));
        }
        Ok(GpuArray::of(self.device.clone(), self.buffer.share()?, len))
    }

    /// `bytes` bytes of the same memory from byte `offset` on, a multiple of 256.
    ///
    /// # Errors
    /// If the memory ends before, if the offset is no such multiple, or if the device fails.
    pub fn part(&self, offset: usize, bytes: usize) -> Result<GpuMemory> {
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        if !fits || offset % 256 != 0 {
            let message = format!("{bytes} bytes from byte {offset} on of {}: expected a multiple of 256", self.bytes);
            return Err(argument(message));
        }
        // The beginning is the memory itself, which an API may not call a part.
        let buffer = if offset == 0 { self.buffer.share() } else { self.buffer.part(offset, bytes) };
        Ok(GpuMemory { device: self.device.clone(), buffer: buffer?, bytes })
    }

    /// What the API calls it: a `CUdeviceptr` (as a pointer) or a `cl_mem`. It lives as long as the
    /// memory, and what was enqueued with it.
    pub fn raw(&self) -> *mut c_void {
        self.buffer.raw()
    }

    /// The same memory on the queue of `device`, which does not wait for this one.
    ///
    /// # Errors
    /// If it is another device, or if the device fails.
    pub fn seen_from(&self, device: &Device) -> Result<GpuMemory> {
        if !self.device.runtime.same(&device.runtime) {
            return Err(elsewhere());
        }
        Ok(GpuMemory { device: device.clone(), ..self.share()? })
    }

    /// Enqueues a copy of runs of bytes, on the queue of this memory. What `from` has must be there
    /// when the queue comes to the copy: it may belong to another queue, and to another device of
    /// CUDA.
    ///
    /// # Errors
    /// If it leaves one of both memories, or if the devices cannot copy to each other.
    pub fn copy_box(&mut self, from: &GpuMemory, copy: &BoxCopy) -> Result<()> {
        let [source, target] = copy.ends();
        if source > from.bytes || target > self.bytes {
            let message = format!(
                "a copy of bytes up to {source} to bytes up to {target}: the memory has {} and {}",
                from.bytes, self.bytes
            );
            return Err(argument(message));
        }
        self.device.queue.copy_box(&from.buffer, &mut self.buffer, copy)
    }
}

impl GpuPlan {
    /// [`GpuPlan::both_parts`] as a plan that is on its own, for memory of complex elements.
    ///
    /// # Errors
    /// Those of [`GpuPlan::both_parts`].
    pub fn into_both_parts(self) -> Result<GpuPlan> {
        if self.parts {
            return Ok(self);
        }
        self.both_parts()?;
        Ok(*self.both_parts.into_inner().expect("just made"))
    }

    /// The reals of an element of the input and of the output.
    fn reals(&self) -> [usize; 2] {
        let domains = [self.problem().input_domain(), self.end().output_domain()];
        domains.map(|domain| if self.parts { Domain::Complex.reals() } else { domain.reals() })
    }

    /// [`GpuPlan::execute_on_with`] on memory: without an input, in place. The elements are those of
    /// the problem, or complex ones for a plan for [both parts](GpuPlan::into_both_parts).
    ///
    /// # Errors
    /// If a memory is too short or another device's, or if they and the scratch belong to several queues.
    pub fn execute_memory_with(
        &self,
        input: Option<&GpuMemory>,
        output: &mut GpuMemory,
        scratch: &mut GpuScratch,
    ) -> Result<()> {
        let precision = self.problem().precision().bytes();
        let [input_element, output_element] = self.reals().map(|reals| precision * reals);
        if let Some(input) = input {
            one_queue(&input.device, &output.device)?;
        }
        let input = input.map(|input| (&input.device, &input.buffer, input.bytes / input_element));
        let output = (&output.device, &output.buffer, output.bytes / output_element);
        self.enqueue_buffers(self.all(), input, output, Some(scratch))
    }
}

impl std::fmt::Debug for GpuMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuMemory({} bytes on {})", self.bytes, self.device.name())
    }
}

//! JPEG's 8×8 blocks on a device.

use crate::dialect::print;
use crate::kernels::blocks::{self, COEFFICIENTS, SAMPLES, THREADS};
use crate::library::compiled;
use crate::runtime::{Buffer, Grid, Kernel, Place, Raw, argument};
use crate::{Cache, Device, Target};
use fourfold::Result;
use fourfold::engine::SCALES;

pub use crate::kernels::blocks::BlockWork;

/// A quantisation table and a number of blocks, ready to be transformed any number of times.
///
/// The transforms are those of `fourfold_jpeg::Transform` in its fast mode: the DCT-II of 8×8 samples in orthonormal scale, coefficients in
/// raster order.
///
/// ```no_run
/// use fourfold_gpu::{BlockPlan, BlockWork, Cache, Device};
/// let plan = BlockPlan::new(&Device::open("cuda")?, BlockWork::Inverse, &[16; 64], 1000, Cache::standard()?)?;
/// let mut arrays = plan.arrays()?;
/// arrays.upload_coefficients(&vec![0; 64_000])?;
/// plan.enqueue(&mut arrays)?;
/// let mut samples = vec![0; 64_000];
/// arrays.download_samples(&mut samples)?;
/// assert_eq!(samples, [128; 64_000]);
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct BlockPlan {
    device: Device,
    work: BlockWork,
    blocks: usize,
    kernel: Kernel,
    factors: Buffer,
    /// Their number, for the kernel.
    count: Buffer,
    nothing: Buffer,
}

/// Coefficients and samples of a number of blocks in a device's memory.
pub struct BlockArrays {
    device: Device,
    blocks: usize,
    coefficients: Buffer,
    samples: Buffer,
}

/// Indices of sixteen bytes have 31 bits.
const MOST_BLOCKS: usize = 1 << 27;

impl BlockPlan {
    /// A plan for `blocks` blocks and a quantisation table in raster order.
    ///
    /// # Errors
    /// If there are none or more than 2^27, the table has a zero and the work is forward, or the device fails or its compiler refuses the kernel.
    pub fn new(
        device: &Device,
        work: BlockWork,
        table: &[u16; 64],
        blocks: usize,
        cache: Option<Cache>,
    ) -> Result<BlockPlan> {
        if !(1..=MOST_BLOCKS).contains(&blocks) {
            return Err(argument(format!("{blocks} blocks: 1 to {MOST_BLOCKS} can be transformed at once")));
        }
        if work == BlockWork::Forward && table.contains(&0) {
            return Err(argument("a quantisation table has a zero, by which nothing can be divided".into()));
        }
        let source = source(&device.target(), work);
        let kernel = compiled(&device.runtime, cache.as_ref(), &source, local_bytes(work))?;
        let mut factors = device.runtime.allocate(64 * size_of::<f32>())?;
        device.queue.upload(&factors_of(work, table), &mut factors)?;
        let mut count = device.runtime.allocate(size_of::<Place>())?;
        device.queue.upload(&[Place(blocks as u32)], &mut count)?;
        let nothing = device.runtime.allocate(0)?;
        Ok(BlockPlan { device: device.clone(), work, blocks, kernel, factors, count, nothing })
    }

    /// Arrays for its blocks, with any values.
    ///
    /// # Errors
    /// If the device has not so much memory.
    pub fn arrays(&self) -> Result<BlockArrays> {
        Ok(BlockArrays {
            device: self.device.clone(),
            blocks: self.blocks,
            coefficients: self.device.runtime.allocate(self.blocks * 16 * COEFFICIENTS)?,
            samples: self.device.runtime.allocate(self.blocks * 16 * SAMPLES)?,
        })
    }

    /// Enqueues the work on arrays of the plan's device that have as many blocks.
    ///
    /// # Errors
    /// If they are others, or the device fails.
    pub fn enqueue(&self, arrays: &mut BlockArrays) -> Result<()> {
        if arrays.blocks != self.blocks {
            return Err(argument(format!("the arrays have {} blocks, the plan {}", arrays.blocks, self.blocks)));
        }
        crate::array::one_queue(&self.device, &arrays.device)?;
        let (from, to) = match self.work {
            BlockWork::Forward => (&arrays.samples, &arrays.coefficients),
            BlockWork::Inverse | BlockWork::Move => (&arrays.coefficients, &arrays.samples),
        };
        let groups = self.blocks.div_ceil(THREADS);
        let grid = Grid { groups, threads: THREADS, local_bytes: local_bytes(self.work), follows: false };
        self.device.queue.launch(&self.kernel, grid, [from, to, &self.factors, &self.count, &self.nothing])
    }

    /// The device and the queue that it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl BlockArrays {
    /// Copies coefficients to the device: 64 a block.
    ///
    /// # Errors
    /// If there are more than the array has, or the device fails.
    pub fn upload_coefficients(&mut self, coefficients: &[i16]) -> Result<()> {
        self.check(coefficients.len())?;
        self.device.queue.upload(Raw::slice(coefficients), &mut self.coefficients)
    }

    /// Copies samples to the device.
    ///
    /// # Errors
    /// As above.
    pub fn upload_samples(&mut self, samples: &[u8]) -> Result<()> {
        self.check(samples.len())?;
        self.device.queue.upload(Raw::slice(samples), &mut self.samples)
    }

    /// Waits for all that was enqueued, and fills `coefficients`.
    ///
    /// # Errors
    /// As above.
    pub fn download_coefficients(&self, coefficients: &mut [i16]) -> Result<()> {
        self.check(coefficients.len())?;
        self.device.queue.download(&self.coefficients, Raw::slice_mut(coefficients))
    }

    /// Waits for all that was enqueued, and fills `samples`.
    ///
    /// # Errors
    /// As above.
    pub fn download_samples(&self, samples: &mut [u8]) -> Result<()> {
        self.check(samples.len())?;
        self.device.queue.download(&self.samples, Raw::slice_mut(samples))
    }

    fn check(&self, len: usize) -> Result<()> {
        if len > 64 * self.blocks {
            return Err(argument(format!("{len} elements for an array of {}", 64 * self.blocks)));
        }
        Ok(())
    }
}

impl Target {
    /// The kernel for blocks, in CUDA C++ or OpenCL C.
    pub fn block_source(&self, work: BlockWork) -> String {
        source(self, work)
    }
}

fn source(target: &Target, work: BlockWork) -> String {
    print(target.dialect(), &blocks::frame(work), &blocks::kernel(work))
}

fn local_bytes(work: BlockWork) -> usize {
    8 * blocks::frame(work).local_pairs
}

/// With the scales of the eight-point transforms: q s_k s_l to multiply by, or 1/(64 q s_k s_l).
fn factors_of(work: BlockWork, table: &[u16; 64]) -> [f32; 64] {
    std::array::from_fn(|i| {
        let scales = SCALES[i / 8] * SCALES[i % 8];
        let factor = f64::from(table[i]) * scales;
        if work == BlockWork::Forward { (1.0 / (64.0 * factor)) as f32 } else { factor as f32 }
    })
}

//! Plans for JPEG's 8×8 blocks on a device.

use crate::api::array::one_queue;
use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel};
use crate::backend::types::Grid;
use crate::error::argument;
use crate::ir::narrow::Narrow;
use crate::jpeg::arrays::{BlockArrays, ComponentArrays};
use crate::jpeg::kernels::desc::BlockWork;
use crate::jpeg::kernels::program::COEFFICIENTS;
use fourfold::Result;

/// Components with their quantisation tables, ready to be transformed any number of times.
///
/// The transforms are those of `fourfold_jpeg::Transform`: the DCT-II of 8×8 samples in orthonormal
/// scale.
///
/// ```no_run
/// use fourfold::engine::jpeg::{Layout, Table};
/// use fourfold_gpu::{BlockComponent, BlockPlan, BlockWork, Cache, Device};
/// let component = BlockComponent { table: Table::luminance(90)?, blocks: 1000, layout: Layout::Blocks };
/// let plan = BlockPlan::builder(BlockWork::Inverse).component(component).cache(Cache::standard()?);
/// let plan = plan.build(&Device::open("cuda")?)?;
/// let mut arrays = plan.arrays()?;
/// arrays.upload_coefficients(0, &vec![0; 64_000])?;
/// plan.enqueue(&mut arrays)?;
/// let mut samples = vec![0u8; 64_000];
/// arrays.download_samples(0, &mut samples)?;
/// assert_eq!(samples, [128; 64_000]);
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct BlockPlan {
    pub(crate) device: Device,
    pub(crate) work: BlockWork,
    pub(crate) narrow: Narrow,
    pub(crate) kernel: Kernel,
    /// Of a thread block.
    pub(crate) threads: usize,
    pub(crate) shared_bytes: usize,
    pub(crate) blocks: usize,
    pub(crate) components: Vec<ComponentTables>,
    pub(crate) nothing: Buffer,
}

/// A component's tables.
pub(crate) struct ComponentTables {
    pub(crate) blocks: usize,
    /// That its layout spans.
    pub(crate) samples: usize,
    pub(crate) reals: Buffer,
    pub(crate) integers: Buffer,
}

impl BlockPlan {
    /// Arrays for its components, with any values.
    ///
    /// # Errors
    /// If the device does not have that much memory.
    pub fn arrays(&self) -> Result<BlockArrays> {
        let size = if self.narrow == Narrow::Byte { 1 } else { 2 };
        let arrays = |part: &ComponentTables| -> Result<ComponentArrays> {
            Ok(ComponentArrays {
                blocks: part.blocks,
                samples: part.samples,
                coefficients_at: self.device.runtime.allocate(part.blocks * 16 * COEFFICIENTS)?,
                samples_at: self.device.runtime.allocate(part.samples * size)?,
            })
        };
        let components = self.components.iter().map(arrays).collect::<Result<_>>()?;
        Ok(BlockArrays { device: self.device.clone(), narrow: self.narrow, components })
    }

    /// Enqueues the work on arrays of this plan, or of another one of the plan's device with as
    /// many blocks and samples.
    ///
    /// # Errors
    /// If they are others, or the device fails.
    pub fn enqueue(&self, arrays: &mut BlockArrays) -> Result<()> {
        let sizes =
            |arrays: &BlockArrays| -> Vec<_> { arrays.components.iter().map(|a| [a.blocks, a.samples]).collect() };
        let own: Vec<_> = self.components.iter().map(|part| [part.blocks, part.samples]).collect();
        if sizes(arrays) != own || arrays.narrow != self.narrow {
            let message = "the arrays have components of these blocks and samples";
            return Err(argument(format!("{message}: {:?}, the plan: {own:?}", sizes(arrays))));
        }
        one_queue(&self.device, &arrays.device)?;
        for (part, arrays) in self.components.iter().zip(&arrays.components) {
            let (from, to) = match self.work {
                BlockWork::Forward | BlockWork::MoveBack => (&arrays.samples_at, &arrays.coefficients_at),
                BlockWork::Inverse | BlockWork::Move => (&arrays.coefficients_at, &arrays.samples_at),
            };
            let (threads, shared_bytes) = (self.threads, self.shared_bytes);
            let grid =
                Grid { blocks: part.blocks.div_ceil(self.blocks), threads, shared_bytes, follows: false, range: None };
            let arguments = [from, to, &part.reals, &part.integers, &self.nothing];
            self.device.queue.launch(&self.kernel, grid, arguments)?;
        }
        Ok(())
    }

    /// The device and the queue that it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

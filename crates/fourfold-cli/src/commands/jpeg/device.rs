//! Blocks in the memory of a device, to be timed.

use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use fourfold_gpu::{BlockArrays, BlockPlan, BlockWork, Cache, Device};

use super::bench::Source;
use crate::timing::Work;

/// The components of an image on a device.
pub(super) struct DeviceBlocks {
    device: Device,
    components: Vec<(BlockPlan, BlockArrays)>,
}

impl DeviceBlocks {
    /// With the coefficients, and the samples that belong to them.
    pub(super) fn new(device: &Device, work: BlockWork, sources: &Rc<Vec<Source>>) -> Result<DeviceBlocks> {
        let component = |source: &Source| -> Result<_> {
            let rows = source.table.rows();
            let (table, blocks) = (std::array::from_fn(|i| rows[i / 8][i % 8]), source.coefficients.len() / 64);
            let plan = |work| BlockPlan::new(device, work, &table, blocks, Cache::standard()?);
            let (inverse, plan) = (plan(BlockWork::Inverse)?, plan(work)?);
            let mut arrays = plan.arrays()?;
            arrays.upload_coefficients(&source.coefficients)?;
            inverse.enqueue(&mut arrays)?;
            Ok((plan, arrays))
        };
        Ok(DeviceBlocks { device: device.clone(), components: sources.iter().map(component).collect::<Result<_>>()? })
    }

    /// The samples of each component.
    pub(super) fn samples(&self, sources: &[Source]) -> Result<Vec<Vec<u8>>> {
        let download = |((_, arrays), source): (&(_, BlockArrays), &Source)| {
            let mut samples = vec![0; source.coefficients.len()];
            arrays.download_samples(&mut samples)?;
            Ok(samples)
        };
        self.components.iter().zip(sources).map(download).collect()
    }
}

impl Work for DeviceBlocks {
    fn run(&mut self) -> Result<()> {
        Ok(self.components.iter_mut().try_for_each(|(plan, arrays)| plan.enqueue(arrays))?)
    }

    fn finish(&self) -> Result<()> {
        Ok(self.device.finish()?)
    }

    /// Launches and the wait at the end are not to be seen in it.
    fn shortest(&self) -> Duration {
        Duration::from_millis(20)
    }
}

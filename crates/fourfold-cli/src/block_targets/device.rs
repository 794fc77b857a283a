//! Transforms of blocks in a device's memory, to be timed.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Error, Result, ensure};
use fourfold::timing::Work;
use fourfold_gpu::Device;
use fourfold_gpu::blocks::{BlockArrays, BlockComponent, BlockPlan, BlockPlanBuilder, BlockWork};
use fourfold_gpu::cache::Cache;
use fourfold_jpeg::Mode;
use fourfold_jpeg::blocks::Layout;

use crate::array::zeros;
use crate::block_targets::errors;
use crate::block_targets::source::{Direction, Source};
use crate::program::warn_of_cache;

/// The components of an image on a device, for transforms in one direction.
pub struct OnDevice {
    device: Device,
    direction: Direction,
    sources: Rc<Vec<Source>>,
    /// For the inverse transform with coefficients, for the forward one with their samples.
    arrays: Rc<RefCell<BlockArrays>>,
    /// What the forward transform takes; empty for the inverse.
    samples: Vec<Vec<u8>>,
}

/// An algorithm for blocks on a device.
pub struct BlockAlgorithm {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub direction: Direction,
    /// Whether it only moves the bytes.
    pub is_move: bool,
    algorithm: Option<&'static fourfold_gpu::blocks::BlockAlgorithm>,
    builder: BlockPlanBuilder,
}

impl BlockAlgorithm {
    /// All algorithms: first those that only move, then fourfold's modes, then the others.
    pub fn all() -> Vec<BlockAlgorithm> {
        let of = |work| match work {
            BlockWork::Inverse | BlockWork::Move => Direction::Inverse,
            BlockWork::Forward | BlockWork::MoveBack => Direction::Forward,
        };
        let own = |work, mode, name| {
            let is_move = matches!(work, BlockWork::Move | BlockWork::MoveBack);
            let builder = BlockPlan::builder(work).mode(mode);
            BlockAlgorithm { name, direction: of(work), is_move, algorithm: None, builder }
        };
        let mut algorithms = vec![
            own(BlockWork::Move, Mode::Fast, "move"),
            own(BlockWork::MoveBack, Mode::Fast, "move"),
            own(BlockWork::Inverse, Mode::Fast, "fast"),
            own(BlockWork::Inverse, Mode::Exact, "exact"),
            own(BlockWork::Forward, Mode::Fast, "fast"),
            own(BlockWork::Forward, Mode::Exact, "exact"),
        ];
        algorithms.extend(fourfold_gpu::blocks::BlockAlgorithm::ALL.iter().map(|algorithm| {
            let builder = BlockPlan::builder(algorithm.work).algorithm(algorithm);
            let direction = of(algorithm.work);
            BlockAlgorithm { name: algorithm.name, direction, is_move: false, algorithm: Some(algorithm), builder }
        }));
        algorithms
    }

    /// Why a device cannot do it as it is meant; `None` if it can.
    pub fn lacks(&self, device: &Device) -> Option<fourfold::Error> {
        self.algorithm.and_then(|algorithm| algorithm.lacks(&device.target()))
    }
}

impl OnDevice {
    /// The components in the device's memory.
    pub fn new(device: &Device, sources: &Rc<Vec<Source>>, direction: Direction) -> Result<OnDevice> {
        let inverse = plan(device, sources, BlockPlan::builder(BlockWork::Inverse))?;
        let mut arrays = inverse.arrays()?;
        for (number, source) in sources.iter().enumerate() {
            arrays.upload_coefficients(number, &source.coefficients)?;
        }
        let mut samples = Vec::new();
        if direction == Direction::Forward {
            inverse.enqueue(&mut arrays)?;
            samples = download(&mut arrays, sources)?;
        }
        let (sources, arrays) = (Rc::clone(sources), Rc::new(RefCell::new(arrays)));
        Ok(OnDevice { device: device.clone(), direction, sources, arrays, samples })
    }

    /// The work of an algorithm. Runs it once, and measures the error of each component.
    pub fn prepare(&self, algorithm: &BlockAlgorithm) -> Result<(impl Work<Error = Error> + use<>, Vec<Option<f64>>)> {
        ensure!(algorithm.direction == self.direction, "{} is of the other direction", algorithm.name);
        let plan = plan(&self.device, &self.sources, algorithm.builder.clone())?;
        let arrays = Rc::clone(&self.arrays);
        plan.enqueue(&mut arrays.borrow_mut())?;
        let errors = if algorithm.is_move { Vec::new() } else { self.errors(&mut arrays.borrow_mut())? };
        Ok((Enqueued { plan, arrays }, errors))
    }

    fn errors(&self, arrays: &mut BlockArrays) -> Result<Vec<Option<f64>>> {
        if self.direction == Direction::Inverse {
            let all = download(arrays, &self.sources)?;
            let both = self.sources.iter().zip(&all);
            return Ok(both.map(|(source, samples)| errors::of_samples(source, samples)).collect());
        }
        let component = |(number, source): (usize, &Source)| {
            let mut coefficients = zeros(source.coefficients.len())?;
            arrays.download_coefficients(number, &mut coefficients)?;
            Ok(errors::of_coefficients(source, &self.samples[number], &coefficients))
        };
        self.sources.iter().enumerate().map(component).collect()
    }
}

fn plan(device: &Device, sources: &[Source], builder: BlockPlanBuilder) -> Result<BlockPlan> {
    let component = |source: &Source| {
        let blocks = source.coefficients.len() / 64;
        BlockComponent { table: source.table, blocks, layout: Layout::Blocks }
    };
    let builder = sources.iter().map(component).fold(builder, BlockPlanBuilder::component);
    warn_of_cache();
    Ok(builder.cache(Cache::standard()?).build(device)?)
}

/// The samples of each component.
fn download(arrays: &mut BlockArrays, sources: &[Source]) -> Result<Vec<Vec<u8>>> {
    let component = |(number, source): (usize, &Source)| {
        let mut samples = zeros(source.coefficients.len())?;
        arrays.download_samples(number, &mut samples)?;
        Ok(samples)
    };
    sources.iter().enumerate().map(component).collect()
}

/// A plan and its arrays.
struct Enqueued {
    plan: BlockPlan,
    arrays: Rc<RefCell<BlockArrays>>,
}

impl Work for Enqueued {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        Ok(self.plan.enqueue(&mut self.arrays.borrow_mut())?)
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(self.plan.device().finish()?)
    }

    /// Long enough that launches and the wait at the end do not count.
    fn least_batch(&self) -> Duration {
        Duration::from_millis(20)
    }
}

//! Transforms of blocks in a device's memory, to be timed.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Error, Result};
use fourfold::timing::Work;
use fourfold_gpu::Device;
use fourfold_gpu::blocks::{BlockArrays, BlockComponent, BlockPlan, BlockPlanBuilder, BlockWork};
use fourfold_gpu::cache::Cache;
use fourfold_jpeg::Mode;
use fourfold_jpeg::blocks::Layout;

use crate::commands::jpeg::bench::errors;
use crate::commands::jpeg::bench::source::{Direction, Source};

/// The components of an image on a device.
pub(super) struct OnDevice {
    device: Device,
    sources: Rc<Vec<Source>>,
    /// Two sets: the first for the inverse transform, with coefficients, the second for the forward
    /// transform, with the samples of these coefficients.
    arrays: [Rc<RefCell<BlockArrays>>; 2],
    samples: Vec<Vec<u8>>,
}

/// An algorithm for blocks on a device.
pub(super) struct BlockAlgorithm {
    pub(super) name: &'static str,
    pub(super) direction: Direction,
    /// Whether it only moves the bytes.
    pub(super) is_move: bool,
    builder: BlockPlanBuilder,
}

impl BlockAlgorithm {
    /// All algorithms: first those that only move, then fourfold's modes, then the others.
    pub(super) fn all() -> Vec<BlockAlgorithm> {
        let of = |work| match work {
            BlockWork::Inverse | BlockWork::Move => Direction::Inverse,
            BlockWork::Forward | BlockWork::MoveBack => Direction::Forward,
        };
        let own = |work, mode, name| {
            let is_move = matches!(work, BlockWork::Move | BlockWork::MoveBack);
            BlockAlgorithm { name, direction: of(work), is_move, builder: BlockPlan::builder(work).mode(mode) }
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
            BlockAlgorithm { name: algorithm.name, direction: of(algorithm.work), is_move: false, builder }
        }));
        algorithms
    }
}

impl OnDevice {
    pub(super) fn new(device: &Device, sources: &Rc<Vec<Source>>) -> Result<OnDevice> {
        let inverse = plan(device, sources, BlockPlan::builder(BlockWork::Inverse))?;
        let (mut one, mut other) = (inverse.arrays()?, inverse.arrays()?);
        for (number, source) in sources.iter().enumerate() {
            one.upload_coefficients(number, &source.coefficients)?;
        }
        inverse.enqueue(&mut one)?;
        let samples = samples(&mut one, sources)?;
        for (number, samples) in samples.iter().enumerate() {
            other.upload_samples(number, samples)?;
        }
        let arrays = [one, other].map(|arrays| Rc::new(RefCell::new(arrays)));
        Ok(OnDevice { device: device.clone(), sources: Rc::clone(sources), arrays, samples })
    }

    /// The work of an algorithm. Runs it once, and measures the error of each component.
    pub(super) fn prepare(
        &self,
        algorithm: &BlockAlgorithm,
    ) -> Result<(impl Work<Error = Error> + use<>, Vec<Option<f64>>)> {
        let plan = plan(&self.device, &self.sources, algorithm.builder.clone())?;
        let [one, other] = &self.arrays;
        let arrays = Rc::clone(if algorithm.direction == Direction::Inverse { one } else { other });
        plan.enqueue(&mut arrays.borrow_mut())?;
        let errors = if algorithm.is_move { Vec::new() } else { self.errors(algorithm, &mut arrays.borrow_mut())? };
        Ok((Enqueued { plan, arrays }, errors))
    }

    fn errors(&self, algorithm: &BlockAlgorithm, arrays: &mut BlockArrays) -> Result<Vec<Option<f64>>> {
        if algorithm.direction == Direction::Inverse {
            let all = samples(arrays, &self.sources)?;
            return Ok(self
                .sources
                .iter()
                .zip(&all)
                .map(|(source, samples)| errors::of_samples(source, samples))
                .collect());
        }
        let component = |(number, source): (usize, &Source)| {
            let mut coefficients = vec![0; source.coefficients.len()];
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
    Ok(builder.cache(Cache::standard()?).build(device)?)
}

/// The samples of each component.
fn samples(arrays: &mut BlockArrays, sources: &[Source]) -> Result<Vec<Vec<u8>>> {
    let download = |(number, source): (usize, &Source)| {
        let mut samples = vec![0; source.coefficients.len()];
        arrays.download_samples(number, &mut samples)?;
        Ok(samples)
    };
    sources.iter().enumerate().map(download).collect()
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

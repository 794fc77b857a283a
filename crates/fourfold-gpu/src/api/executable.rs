//! What a plan runs: the passes of a recipe, or the stages of a baseline.

use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Queue};
use crate::baseline::staged::StagedExecutable;
use crate::choose::estimate::Choice;
use crate::desc::action::Action;
use crate::desc::geometry::SlabLayout;
use crate::limits::Limits;
use crate::lower::passes::lower_in_slabs;
use crate::print::printer::Dialect;
use crate::run::executable::Executable;
use crate::run::kernel_cache::KernelCache;
use fourfold::Result;
use fourfold::baseline::AnyRecipe;
use std::ops::Range;

/// A recipe of either sort on a device.
pub(crate) enum AnyExecutable {
    Fused(Executable),
    Staged(StagedExecutable),
}

impl AnyExecutable {
    /// Lowers a recipe of passes, as [`lower_in_slabs`] does, and makes it executable; an action,
    /// choices and slabs are for passes.
    pub(crate) fn new(
        device: &Device,
        kernel_cache: &KernelCache,
        recipe: &AnyRecipe,
        parts: bool,
        action: Option<&Action>,
        choices: &[Choice],
        slabs: Option<SlabLayout>,
    ) -> Result<AnyExecutable> {
        Ok(match recipe {
            AnyRecipe::Fused(recipe) => {
                let lower = |limits: &Limits| lower_in_slabs(limits, recipe, parts, action, choices, slabs);
                AnyExecutable::Fused(Executable::fitted(device, kernel_cache, lower)?.0)
            }
            AnyRecipe::Staged(recipe) => {
                AnyExecutable::Staged(StagedExecutable::new(device, kernel_cache, recipe, parts)?)
            }
        })
    }

    /// Runs one stage of a baseline alone from now on.
    pub(crate) fn only(&mut self, stage: usize) {
        if let AnyExecutable::Staged(staged) = self {
            staged.only(stage);
        }
    }

    /// Whether Bluestein's convolution stands somewhere.
    pub(crate) fn uses_bluestein(&self) -> bool {
        match self {
            AnyExecutable::Fused(fused) => fused.uses_bluestein,
            AnyExecutable::Staged(staged) => staged.uses_bluestein(),
        }
    }

    /// Whether FFTs between stages are those of a library of the device's maker.
    pub(crate) fn uses_vendor_fft(&self) -> bool {
        matches!(self, AnyExecutable::Staged(staged) if staged.uses_vendor_fft())
    }

    /// The text of its kernels, in the order in which they run.
    pub(crate) fn sources(&self, dialect: &Dialect) -> Vec<String> {
        match self {
            AnyExecutable::Fused(fused) => fused.sources(dialect),
            AnyExecutable::Staged(staged) => staged.sources(dialect),
        }
    }

    /// Bytes of scratch.
    pub(crate) fn scratch_bytes(&self) -> usize {
        match self {
            AnyExecutable::Fused(fused) => fused.scratch_bytes(),
            AnyExecutable::Staged(staged) => staged.scratch_bytes(),
        }
    }

    /// How many launches there are; of stages, which run together, none.
    pub(crate) fn launches(&self) -> usize {
        match self {
            AnyExecutable::Fused(fused) => fused.launches(),
            AnyExecutable::Staged(_) => 0,
        }
    }

    /// As [`Executable::enqueue`]; stages run all.
    pub(crate) fn enqueue(
        &self,
        launches: Range<usize>,
        queue: &Queue,
        input: Option<&Buffer>,
        output: &Buffer,
        scratch: Option<&Buffer>,
    ) -> Result<()> {
        match self {
            AnyExecutable::Fused(fused) => fused.enqueue(launches, queue, input, output, scratch),
            AnyExecutable::Staged(staged) => staged.enqueue(queue, input, output, scratch),
        }
    }
}

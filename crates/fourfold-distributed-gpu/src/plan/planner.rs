//! Makes plans of ranks.

use crate::boxes::box_copy;
use crate::plan::plan::{PlannedStep, RankPlan, StepAction};
use fourfold::{Multiplier, Result};
use fourfold_distributed::engine::{Factors, PackedAction, PackedStep, RankPasses, agreed, packed_steps};
use fourfold_distributed::{Exchange, Recipe};
use fourfold_gpu::{Device, GpuMemory, GpuPlanner};
use std::ops::Range;
use std::sync::Arc;

/// A planner makes plans for the ranks of a program. Every rank has one, and all make the same plans
/// in the same order.
pub struct RankPlanner<E> {
    core: Arc<GpuPlanner>,
    device: Device,
    exchange: E,
}

impl<E: Exchange<Memory = GpuMemory> + Clone> RankPlanner<E> {
    /// A planner of the rank `exchange`, whose passes are planned by `core`. They run on the queue of
    /// `device`, which is the device of `core`. Ranks with queues of one device can share `core`, which
    /// then keeps their kernels.
    pub fn new(core: impl Into<Arc<GpuPlanner>>, device: Device, exchange: E) -> RankPlanner<E> {
        RankPlanner { core: core.into(), device, exchange }
    }

    /// The rank.
    pub fn exchange(&self) -> &E {
        &self.exchange
    }

    /// Makes a plan. It takes the result of making a recipe, so that a rank without a recipe tells the
    /// others, which would wait for it.
    ///
    /// # Errors
    /// On all ranks: if one of them has no recipe or cannot plan, if their recipes differ, if the
    /// grid has another number of ranks, or if the recipe is that of a filter.
    pub fn plan(&self, recipe: Result<Recipe>) -> Result<RankPlan<E>> {
        self.plan_any(recipe, None)
    }

    /// Makes a plan of a filter. `factors` returns the factors of this rank for the ranges of indices
    /// that it has of the array that is multiplied. It is not called if the rank has nothing of it.
    ///
    /// # Errors
    /// On all ranks: those of [`RankPlanner::plan`], and if the factors of a rank do not fit.
    pub fn plan_filter(
        &self,
        recipe: Result<Recipe>,
        factors: &dyn Fn(&[Range<usize>]) -> Multiplier,
    ) -> Result<RankPlan<E>> {
        self.plan_any(recipe, Some(factors))
    }

    fn plan_any(&self, recipe: Result<Recipe>, factors: Option<Factors<'_>>) -> Result<RankPlan<E>> {
        let plan = recipe.and_then(|recipe| self.prepare(recipe, factors));
        agreed(&self.exchange, plan, |plan| plan.recipe())
    }

    fn prepare(&self, recipe: Recipe, factors: Option<Factors<'_>>) -> Result<RankPlan<E>> {
        let rank = self.exchange.rank();
        recipe.grid().check(self.exchange.ranks())?;
        let passes = RankPasses::new(&recipe, rank, factors)?;
        let packed = packed_steps(&recipe, rank);
        let steps = packed.iter().map(|step| self.step(&passes, step)).collect::<Result<_>>()?;
        RankPlan::new(recipe, self.exchange.clone(), self.device.clone(), steps, &packed)
    }

    fn step(&self, passes: &RankPasses<'_>, step: &PackedStep) -> Result<PlannedStep<E::Route>> {
        let work = match &step.action {
            PackedAction::Copy(copies) => StepAction::Copy(copies.iter().map(box_copy).collect()),
            PackedAction::Exchange(moves) => {
                let bytes_sent = moves.bytes_sent();
                StepAction::Exchange { bytes_sent, route: self.exchange.route(moves.clone())? }
            }
            PackedAction::Pass { steps, strides, slabs: (axis, slabs) } => {
                let pipeline = passes.pipeline(steps.clone(), [Some(&strides[0][..]), Some(&strides[1][..])])?;
                let plan = |pipeline| self.core.plan_in_slabs(pipeline, *axis, *slabs).map(Box::new);
                StepAction::Pass(pipeline.map(plan).transpose()?)
            }
        };
        Ok(PlannedStep { from: step.from, to: step.to, work })
    }
}

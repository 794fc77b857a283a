//! Makes plans of ranks.

use crate::boxes::box_copy;
use crate::plan::plan::{PlannedPart, PlannedStep, RankPlan, StepAction};
use fourfold::{Domain, Error, ErrorKind, Multiplier, Pipeline, Result};
use fourfold_distributed::engine::{
    Factors, MessageOrder, PackedAction, PackedStep, PassSlabs, PlanId, RankPasses, agreed, packed_steps,
};
use fourfold_distributed::{Action, Exchange, Moves, Recipe, Step};
use fourfold_gpu::{Device, GpuMemory, GpuPlan, GpuPlanner, SlabLayout};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A planner makes plans for the ranks of a program. Every rank has one, and all make the same plans
/// in the same order.
pub struct RankPlanner<E> {
    core: Arc<GpuPlanner>,
    device: Device,
    exchange: E,
    pub(crate) parts: Option<usize>,
    /// The number of filters so far.
    filters: AtomicU64,
}

impl<E: Exchange<Memory = GpuMemory> + Clone> RankPlanner<E> {
    /// A planner of the rank `exchange`, whose passes are planned by `core`. They run on the queue of
    /// `device`, which is the device of `core`. Ranks with queues of one device can share `core`, which
    /// then keeps their kernels.
    pub fn new(core: impl Into<Arc<GpuPlanner>>, device: Device, exchange: E) -> RankPlanner<E> {
        RankPlanner { core: core.into(), device, exchange, parts: None, filters: AtomicU64::new(0) }
    }

    /// The same, with plans whose first exchange is cut into so many parts where it can be. Each is under
    /// way while the pass before it computes the next one. All ranks give the same number. Without it, the
    /// number is estimated; [`RankPlanner::tune`] measures it.
    pub fn with_parts(mut self, parts: usize) -> RankPlanner<E> {
        self.parts = Some(parts.max(1));
        self
    }

    /// The device with the queue of the plans.
    pub(crate) fn device(&self) -> &Device {
        &self.device
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
        let filter = factors.map(|_| self.filters.fetch_add(1, Ordering::Relaxed));
        let plan = recipe.and_then(|recipe| self.prepare(recipe, factors, filter));
        agreed(&self.exchange, plan, RankPlan::id)
    }

    fn prepare(&self, recipe: Recipe, factors: Option<Factors<'_>>, filter: Option<u64>) -> Result<RankPlan<E>> {
        let rank = self.exchange.rank();
        recipe.grid().check(self.exchange.ranks())?;
        if recipe.reorders() {
            let message =
                format!("ranks with GPUs do not divide `{}`: make a recipe that one rank computes", recipe.problem());
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let passes = RankPasses::new(&recipe, rank, factors)?;
        let parts = self.parts.unwrap_or_else(|| estimated_parts(&recipe));
        let packed = packed_steps(&recipe, rank, parts);
        let steps = packed.iter().map(|step| self.step(&passes, step)).collect::<Result<_>>()?;
        RankPlan::new(
            PlanId::new(&recipe, parts, MessageOrder::Packed, filter),
            recipe,
            self.exchange.clone(),
            self.device.clone(),
            steps,
            &packed,
        )
    }

    fn step(&self, passes: &RankPasses<'_>, step: &PackedStep) -> Result<PlannedStep<E::Route>> {
        let action = match &step.action {
            PackedAction::Copy(copies) => StepAction::Copy(copies.iter().map(box_copy).collect()),
            PackedAction::Exchange(moves) => {
                let bytes_sent = moves.iter().map(Moves::bytes_sent).sum();
                let routes = moves.iter().map(|moves| self.exchange.route(moves.clone())).collect::<Result<_>>()?;
                StepAction::Exchange { bytes_sent, routes }
            }
            PackedAction::Pass { steps, strides, slabs, parts } => {
                let PassSlabs { axis, count, distance } = *slabs;
                let mut planned: Vec<PlannedPart> = vec![];
                for part in parts {
                    // Blocks have two lengths at most.
                    let known = planned.iter().find(|known| known.block == part.block);
                    let plan = match known {
                        Some(known) => known.plan.clone(),
                        None => {
                            let strides = [Some(&strides[0][..]), Some(&strides[1][..])];
                            let pipeline = passes.pipeline(steps.clone(), part.block, strides)?;
                            let layout = SlabLayout { axis, count, distance };
                            let domain = passes.input_domain(steps.start);
                            let plan = |pipeline| self.pass(pipeline, layout, domain).map(Arc::new);
                            pipeline.map(plan).transpose()?
                        }
                    };
                    planned.push(PlannedPart { plan, block: part.block, starts: part.starts });
                }
                StepAction::Pass(planned)
            }
        };
        Ok(PlannedStep { from: step.from, to: step.to, action })
    }

    /// The plan of a pass over an array of these elements. Sums of reals act on both parts of complex ones.
    fn pass(&self, pipeline: Pipeline<'_>, layout: SlabLayout, domain: Domain) -> Result<GpuPlan> {
        let plan = self.core.plan_in_slabs(pipeline, layout)?;
        if plan.problem().input_domain() == domain { Ok(plan) } else { plan.into_both_parts() }
    }
}

/// The number of parts in which a recipe's first exchange is expected to be fastest. On two H100 with NCCL,
/// four were 9 % faster than one for 4 GiB a rank, and slower for 1 GiB or less: docs/scale.md.
fn estimated_parts(recipe: &Recipe) -> usize {
    let is_exchange = |step: &Step| matches!(step.action, Action::Exchange { .. });
    let Some(i) = recipe.steps().iter().position(is_exchange) else { return 1 };
    let array = &recipe.arrays()[i];
    let bytes = array.elements(recipe.grid(), 0) * array.domain.reals() * recipe.problem().precision().bytes();
    if bytes as u64 >= LARGE { 4 } else { 1 }
}

/// The bytes of a rank's part from which on its first exchange is cut.
const LARGE: u64 = 4 << 30;

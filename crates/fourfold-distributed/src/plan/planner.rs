//! Makes distributed plans.

use crate::exchange::host::HostExchange;
use crate::plan::plan::Plan;
use crate::plan::plan_id::{MessageOrder, PlanId, agreed};
use crate::plan::prepare::{Factors, Preparation};
use crate::recipe::cuts::cuts;
use crate::recipe::recipe::Recipe;
use fourfold::{Multiplier, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A planner makes plans for the ranks of a program. Every rank has one, and all make the same plans
/// in the same order.
pub struct Planner<E> {
    core: fourfold::Planner,
    exchange: E,
    pub(crate) parts: Option<usize>,
    /// The number of filters so far.
    filters: AtomicU64,
}

impl<E: HostExchange + Clone> Planner<E> {
    /// A planner of the rank `exchange`, whose passes are planned by `core`.
    pub fn new(core: fourfold::Planner, exchange: E) -> Planner<E> {
        Planner { core, exchange, parts: None, filters: AtomicU64::new(0) }
    }

    /// The same, with plans whose exchanges are cut into so many parts where they can be: each is under way
    /// while the passes beside the exchange compute. All ranks give the same number. Without it, the number is
    /// estimated; [`Planner::tune`] measures it. Results have the same bits.
    pub fn with_parts(mut self, parts: usize) -> Planner<E> {
        self.parts = Some(parts.max(1));
        self
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
    pub fn plan(&self, recipe: Result<Recipe>) -> Result<Plan<E>> {
        self.plan_any(recipe, None)
    }

    /// Makes a plan of a filter. `factors` returns the factors of this rank for the ranges of indices
    /// that it has of the array that is multiplied. It is not called if the rank has nothing of it.
    ///
    /// # Errors
    /// On all ranks: those of [`Planner::plan`], and if the factors of a rank do not fit.
    pub fn plan_filter(
        &self,
        recipe: Result<Recipe>,
        factors: &dyn Fn(&[Range<usize>]) -> Multiplier,
    ) -> Result<Plan<E>> {
        self.plan_any(recipe, Some(factors))
    }

    fn plan_any(&self, recipe: Result<Recipe>, factors: Option<Factors<'_>>) -> Result<Plan<E>> {
        let filter = factors.map(|_| self.filters.fetch_add(1, Ordering::Relaxed));
        let plan = recipe.and_then(|recipe| self.prepare(recipe, factors, filter));
        agreed(&self.exchange, plan, Plan::id)
    }

    fn prepare(&self, recipe: Recipe, factors: Option<Factors<'_>>, filter: Option<u64>) -> Result<Plan<E>> {
        recipe.grid().check(self.exchange.ranks())?;
        let parts = self.parts.unwrap_or_else(|| estimated_parts(&recipe));
        let (core, exchange, cuts) = (&self.core, &self.exchange, cuts(&recipe, parts));
        let steps = Preparation { core, exchange, recipe: &recipe, factors, parts, cuts }.steps()?;
        Plan::new(PlanId::new(&recipe, parts, MessageOrder::Array, filter), recipe, self.exchange.clone(), steps)
    }
}

/// The number of parts in which a recipe's exchanges are expected to be fastest. A core that moves messages
/// computes nothing meanwhile, and MPI libraries move large ones only while they are called. So no gain is
/// expected, and parts cost their messages.
fn estimated_parts(_: &Recipe) -> usize {
    1
}

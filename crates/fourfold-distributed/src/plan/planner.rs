//! Makes distributed plans.

use crate::exchange::exchange::HostExchange;
use crate::plan::plan::Plan;
use crate::plan::plan_id::{PlanId, agreed};
use crate::plan::prepare::{Factors, Preparation};
use crate::recipe::recipe::Recipe;
use fourfold::{Multiplier, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A planner makes plans for the ranks of a program. Every rank has one, and all make the same plans
/// in the same order.
pub struct Planner<E> {
    core: fourfold::Planner,
    exchange: E,
    /// The number of filters so far.
    filters: AtomicU64,
}

impl<E: HostExchange + Clone> Planner<E> {
    /// A planner of the rank `exchange`, whose passes are planned by `core`.
    pub fn new(core: fourfold::Planner, exchange: E) -> Planner<E> {
        Planner { core, exchange, filters: AtomicU64::new(0) }
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
        let preparation = Preparation { core: &self.core, exchange: &self.exchange, recipe: &recipe, factors };
        let steps = preparation.steps()?;
        Plan::new(PlanId::new(&recipe, filter), recipe, self.exchange.clone(), steps)
    }
}

//! Makes distributed plans.

use crate::exchange::exchange::Exchange;
use crate::hash::hash;
use crate::plan::plan::Plan;
use crate::plan::prepare::{Factors, Preparation};
use crate::recipe::recipe::Recipe;
use fourfold::{Error, ErrorKind, Multiplier, Result};
use std::ops::Range;

/// A planner makes plans for the ranks of a program. Every rank has one, and all make the same plans
/// in the same order.
pub struct Planner<E> {
    core: fourfold::Planner,
    exchange: E,
}

impl<E: Exchange<Memory = [u8]> + Clone> Planner<E> {
    /// A planner of the rank `exchange`, whose passes are planned by `core`.
    pub fn new(core: fourfold::Planner, exchange: E) -> Planner<E> {
        Planner { core, exchange }
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
        let plan = recipe.and_then(|recipe| self.prepare(recipe, factors));
        agreed(&self.exchange, plan, |plan| plan.recipe())
    }

    fn prepare(&self, recipe: Recipe, factors: Option<Factors<'_>>) -> Result<Plan<E>> {
        recipe.grid().check(self.exchange.ranks())?;
        let preparation = Preparation { core: &self.core, exchange: &self.exchange, recipe: &recipe, factors };
        let steps = preparation.steps()?;
        Plan::new(recipe, self.exchange.clone(), steps)
    }
}

/// The plan of this rank, if all ranks have made one of the same recipe.
///
/// # Errors
/// On all ranks: if one of them has no plan, or one of another recipe.
pub fn agreed<E: Exchange, P>(exchange: &E, plan: Result<P>, recipe: impl Fn(&P) -> &Recipe) -> Result<P> {
    // The least bit is 1, so that 0 says that there is no plan.
    let hash = plan.as_ref().map_or(0, |plan| hash(&recipe(plan).to_string()) | 1);
    let hashes = exchange.all_gather(hash);
    let plan = plan?;
    check_agreement(&hashes?)?;
    Ok(plan)
}

/// Checks that all ranks have made the same plan.
fn check_agreement(hashes: &[u64]) -> Result<()> {
    let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
    if let Some(rank) = hashes.iter().position(|hash| *hash == 0) {
        return fail(format!("rank {rank} cannot make this plan: its error says why"));
    }
    match hashes.iter().position(|hash| *hash != hashes[0]) {
        None => Ok(()),
        Some(rank) => fail(format!("rank {rank} plans another problem, grid or distribution than rank 0")),
    }
}

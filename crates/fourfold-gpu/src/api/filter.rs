//! Plans that do something to single elements on the way: filters, multiplied inputs and outputs,
//! thresholds.

use crate::api::plan::check_lengths;
use crate::api::plan::{GpuPlan, GpuPlanner};
use crate::backend::argument;
use crate::lower::passes::Action;
#[cfg(doc)]
use fourfold::Planner;
use fourfold::{Multiplier, Problem, Result};

impl GpuPlanner {
    /// A plan that computes forward → multiply → inverse, as [`Planner::filter`]; the multiply is
    /// part of the pass that ends the forward transform.
    ///
    /// # Errors
    /// As [`Planner::filter`] and [`GpuPlanner::plan`].
    pub fn filter(&self, forward: &Problem, multiplier: &Multiplier, inverse: &Problem) -> Result<GpuPlan> {
        check_lengths(forward)?;
        check_lengths(inverse)?;
        let recipe = self.planner.filter_recipe(forward, multiplier, inverse)?;
        self.prepare(recipe.into(), Some(Action::Multiply(multiplier.clone())), vec![])
    }

    /// A plan that computes multiply → `problem`, as [`Planner::premultiplied`]: the first pass
    /// multiplies what it reads.
    ///
    /// # Errors
    /// As [`Planner::premultiplied`] and [`GpuPlanner::plan`], and if elements of the input share a
    /// place: kernels find factors by places.
    pub fn premultiplied(&self, multiplier: &Multiplier, problem: &Problem) -> Result<GpuPlan> {
        check_lengths(problem)?;
        if problem.input().overlaps() {
            let message =
                format!("the input of `{problem}` has several elements in one place: a device cannot multiply it");
            return Err(argument(message));
        }
        let recipe = self.planner.premultiplied_recipe(multiplier, problem)?;
        self.prepare(recipe.into(), Some(Action::Multiply(multiplier.clone())), vec![])
    }

    /// A plan that computes `problem` → multiply, as [`Planner::postmultiplied`]: the last pass
    /// multiplies what it writes.
    ///
    /// # Errors
    /// As [`Planner::postmultiplied`] and [`GpuPlanner::plan`].
    pub fn postmultiplied(&self, multiplier: &Multiplier, problem: &Problem) -> Result<GpuPlan> {
        check_lengths(problem)?;
        let recipe = self.planner.postmultiplied_recipe(multiplier, problem)?;
        self.prepare(recipe.into(), Some(Action::Multiply(multiplier.clone())), vec![])
    }

    /// A plan for `problem` whose last pass sets to 0 every real that it writes of a magnitude
    /// below `threshold`; NaNs stay.
    ///
    /// # Errors
    /// If the threshold is negative or not a number; else as [`GpuPlanner::plan`].
    pub fn threshold(&self, problem: &Problem, threshold: f64) -> Result<GpuPlan> {
        check_lengths(problem)?;
        if threshold.is_nan() || threshold < 0.0 {
            return Err(argument(format!("a threshold of {threshold}: expected 0 or more")));
        }
        let recipe = self.recipe(problem);
        let choices = self.known(&recipe)?;
        self.prepare(recipe.into(), Some(Action::Threshold(threshold)), choices)
    }
}

//! Planning by measuring.

use crate::cpu::base::memory::Scratch;
use crate::error::{Error, Result};
use crate::oracle::verify::Data;
use crate::plan::plan::Plan;
use crate::plan::planner::Planner;
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::problem::problem::Problem;
use crate::recipe::recipe::Recipe;
use crate::recipe::rules::{axes, candidates};
use crate::timing::{Pace, Timed, Work, from_fn, take_turns};
use std::cell::RefCell;
use std::time::Duration;

/// How long two plans are compared, if three executions of each take less. They share their
/// arrays, so that each finds in the caches what the other has left.
const PACE: Pace = Pace { rounds: 3..=usize::MAX, time: Duration::from_millis(20), warm_up: false };

/// A recipe replaces another one if its time is at most this part of the other's. Smaller
/// differences may be chance.
const GAIN: f64 = 0.97;

impl Planner {
    /// Measures recipes for `problem` and keeps the fastest one. [`Planner::plan`] then uses it,
    /// and [`Planner::wisdom`] returns it as text. Tuning takes about the time of a hundred
    /// executions, at least some milliseconds for each recipe, and memory for input and output.
    ///
    /// # Errors
    /// Those of [`Planner::plan`].
    pub fn tune(&self, problem: &Problem) -> Result<Recipe> {
        // The tables of slower recipes are not kept.
        let trial = self.fresh();
        let arrays = [(problem.input_domain(), problem.input()), (problem.output_domain(), problem.output())]
            .map(|(domain, layout): (Domain, &Layout)| Data::try_filled(problem.precision(), domain, layout.len, 0.0));
        let [input, output] = arrays;
        let arrays = RefCell::new([input?, output?]);
        let timed = |recipe: &Recipe| executions(trial.plan_recipe(recipe.clone())?, &arrays);
        let mut best = axes::recipe(problem);
        let mut best_timed = timed(&best)?;
        for step in 0..candidates::steps(&best) {
            for recipe in candidates::at(&best, step) {
                let mut other = timed(&recipe)?;
                let times = take_turns([&mut best_timed, &mut other], &PACE)?;
                if times[1].min < GAIN * times[0].min {
                    (best, best_timed) = (recipe, other);
                }
            }
        }
        self.remember(problem, &best)?;
        Ok(best)
    }
}

/// Executions of a plan, to be timed.
fn executions(plan: Plan, arrays: &RefCell<[Data; 2]>) -> Result<Timed<impl Work<Error = Error>>> {
    let mut scratch = plan.try_scratch()?;
    Timed::new(from_fn(move || {
        let [input, output] = &mut *arrays.borrow_mut();
        execute(&plan, input, output, &mut scratch)
    }))
}

fn execute(plan: &Plan, input: &Data, output: &mut Data, scratch: &mut Scratch) -> Result<()> {
    match (input, output) {
        (Data::F32(x), Data::F32(y)) => plan.execute_with(x, y, scratch),
        (Data::F64(x), Data::F64(y)) => plan.execute_with(x, y, scratch),
        (Data::F32(x), Data::ComplexF32(y)) => plan.execute_with(x, y, scratch),
        (Data::F64(x), Data::ComplexF64(y)) => plan.execute_with(x, y, scratch),
        (Data::ComplexF32(x), Data::F32(y)) => plan.execute_with(x, y, scratch),
        (Data::ComplexF64(x), Data::F64(y)) => plan.execute_with(x, y, scratch),
        (Data::ComplexF32(x), Data::ComplexF32(y)) => plan.execute_with(x, y, scratch),
        (Data::ComplexF64(x), Data::ComplexF64(y)) => plan.execute_with(x, y, scratch),
        _ => unreachable!("input and output have the problem's precision"),
    }
}

//! Planning by measuring.

use crate::cpu::base::memory::Scratch;
use crate::error::Result;
use crate::oracle::verify::Data;
use crate::plan::plan::Plan;
use crate::plan::planner::Planner;
use crate::problem::element::Domain;
use crate::problem::layout::Layout;
use crate::problem::problem::Problem;
use crate::recipe::recipe::Recipe;
use crate::recipe::rules::{axes, candidates};
use std::time::{Duration, Instant};

/// The time for comparing two plans, if this allows more than [`LEAST`] executions of each.
const COMPARISON: Duration = Duration::from_millis(20);

/// The least number of executions of each plan.
const LEAST: usize = 3;

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
        let mut data = [(problem.input_domain(), problem.input()), (problem.output_domain(), problem.output())]
            .map(|(domain, layout): (Domain, &Layout)| Data::filled(problem.precision(), domain, layout.len, 0.0));
        let mut best = axes::recipe(problem);
        for step in 0..candidates::steps(&best) {
            for recipe in candidates::at(&best, step) {
                let plans = [trial.plan_recipe(best.clone())?, trial.plan_recipe(recipe.clone())?];
                let [old, new] = compare(&plans, &mut data)?;
                if new < GAIN * old {
                    best = recipe;
                }
            }
        }
        self.remember(problem, &best)?;
        Ok(best)
    }
}

/// The least time in seconds of each plan. The two are executed alternately.
fn compare(plans: &[Plan; 2], [input, output]: &mut [Data; 2]) -> Result<[f64; 2]> {
    let mut scratch = [plans[0].try_scratch()?, plans[1].try_scratch()?];
    let (start, mut times, mut runs) = (Instant::now(), [f64::INFINITY; 2], 0);
    while runs < LEAST || start.elapsed() < COMPARISON {
        for (plan, (scratch, time)) in plans.iter().zip(scratch.iter_mut().zip(&mut times)) {
            let start = Instant::now();
            execute(plan, input, output, scratch)?;
            *time = time.min(start.elapsed().as_secs_f64());
        }
        runs += 1;
    }
    Ok(times)
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

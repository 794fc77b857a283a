//! Any text either is a recipe, which prints and parses back to itself and, if it is small, computes
//! its problem, or gets an error of one line.

use crate::common::random::holds;
use crate::common::run::execute;
use crate::targets::{is_one_line, text};
use fourfold::baseline::AnyRecipe;
use fourfold::oracle::verify::check as compare;
use fourfold::{Planner, Problem};
use std::sync::LazyLock;

/// Elements of the largest problem that is computed, and of the longest DFT.
const LARGEST: usize = 256;

static PLANNER: LazyLock<Planner> = LazyLock::new(Planner::new);

pub(crate) fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match text.parse::<AnyRecipe>() {
        Ok(recipe) => {
            assert_eq!(recipe.to_string().parse().as_ref(), Ok(&recipe));
            if is_small(recipe.problem()) {
                compute(&recipe);
            }
        }
        Err(error) => is_one_line(&error),
    }
}

pub(crate) fn is_small(problem: &Problem) -> bool {
    [problem.input(), problem.output()].iter().all(|layout| layout.len <= LARGEST)
}

/// Plans the recipe with tables of its own, since the planner would keep those of every input.
fn compute(recipe: &AnyRecipe) {
    let planner = Planner::builder().isa(PLANNER.isa()).build().expect("one thread is there");
    // A recipe that multiplies lacks its multiplier.
    let Ok(plan) = planner.plan_recipe(recipe.clone()) else { return };
    let problem = recipe.problem();
    let mut seen = None;
    let verdict = compare(problem, recipe.uses_bluestein(), 1, |input, output| {
        seen = Some(input.clone());
        execute(&plan, input, output)
    });
    let verdict = verdict.unwrap_or_else(|error| panic!("{recipe}: {error}"));
    assert!(holds(problem, &verdict, &seen.expect("the plan was executed")), "{recipe}: {verdict:?}");
}

//! Recipes as texts, and whether they are right.

use crate::common::run::{execute, planner};
use fourfold::oracle::verify::Reference;
use fourfold::{Isa, Problem, Recipe};

pub(crate) fn recipe(problem: &str) -> Recipe {
    planner(Isa::best(), 1).recipe(&problem.parse().unwrap()).unwrap()
}

/// Executes the recipe `text` on every instruction set.
pub(crate) fn assert_right(text: &str) {
    let recipe: Recipe = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_agrees(text, &Reference::new(recipe.problem(), 1).unwrap());
}

/// The same, for a problem whose exact result is known.
pub(crate) fn assert_agrees(text: &str, reference: &Reference) {
    let recipe: Recipe = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    for isa in Isa::available() {
        let plan = planner(isa, 1).plan_recipe(recipe.clone()).unwrap();
        let verdict = reference.compare(recipe.uses_bluestein(), |x, y| execute(&plan, x, y)).unwrap();
        assert!(verdict.holds(), "{text} with {isa}: {verdict:?}");
    }
}

/// Executes the planner's recipe of a problem with each of these factors in place of the
/// planned ones, on every instruction set.
pub(crate) fn assert_factors(problem: &str, factors: &[&str]) {
    let problem: Problem = problem.parse().unwrap();
    let planned = planner(Isa::best(), 1).recipe(&problem).unwrap().to_string();
    let (head, _) = planned.rsplit_once('=').unwrap();
    let reference = Reference::new(&problem, 1).unwrap();
    factors.iter().for_each(|factors| assert_agrees(&format!("{head}= {factors}"), &reference));
}

//! Tests random problems of up to eight axes in random layouts against the oracle.

mod common;

use common::random::{holds, problems};
use common::run::{execute, planner};
use common::sample::count;
use fourfold::oracle::verify::check;
use fourfold::{Isa, Planner, Problem, ProblemBuilder};
use proptest::prelude::*;

fn assert_right(planner: &Planner, problem: &Problem, seed: u64) -> Result<(), TestCaseError> {
    let plan = planner.plan(problem).unwrap();
    let mut seen = None;
    let verdict = check(problem, plan.recipe().uses_bluestein(), seed, |x, y| {
        seen = Some(x.clone());
        execute(&plan, x, y)
    });
    let (verdict, input) = (verdict.unwrap(), seen.expect("the plan was executed"));
    prop_assert!(holds(problem, &verdict, &input), "{problem} with {:?}: {verdict:?}", planner.isa());
    Ok(())
}

/// Tests one problem on one of the planners with one input.
fn check_random(builder: ProblemBuilder, isa: usize, threads: bool, seed: u64) -> Result<(), TestCaseError> {
    let isas = Isa::available();
    let planner = planner(isas[isa % isas.len()], if threads { 3 } else { 1 });
    assert_right(planner, &builder.build().unwrap(), seed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(count(1500, 1)))]

    #[test]
    fn many_axes_are_right(builder in problems(1..7, 3000), isa in 0..4usize, threads: bool, seed: u64) {
        check_random(builder, isa, threads, seed)?;
    }

    #[test]
    fn longer_axes_are_right(builder in problems(1..80, 6000), isa in 0..4usize, threads: bool, seed: u64) {
        check_random(builder, isa, threads, seed)?;
    }
}

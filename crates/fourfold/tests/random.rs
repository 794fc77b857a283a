//! Tests random problems of up to eight axes in random layouts against the oracle.

mod common;

use common::random::problems;
use common::run::{execute, planner};
use common::sample::count;
use fourfold::oracle::naive::{Dd, everything, positions, transform};
use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Isa, Planner, Problem, ProblemBuilder};
use num_complex::Complex;
use proptest::prelude::*;

fn norm(z: &[Complex<Dd>]) -> f64 {
    z.iter().map(|z| z.re.hi.powi(2) + z.im.hi.powi(2)).sum::<f64>().sqrt()
}

/// Whether the output is correct. If the input nearly cancels (the adjoint of `idxst` at N = 2 is
/// the single sum x_0 + x_1), a small rounding error may be large relative to the output. So the
/// error is relative to the largest output among inputs with other signs.
fn holds(problem: &Problem, verdict: &Verdict, input: &Data) -> bool {
    if verdict.holds() || verdict.strays > 0 {
        return verdict.holds();
    }
    let x: Vec<_> =
        positions(problem.input(), &everything(problem.input())).into_iter().map(|at| input.get(at)).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut size = |flips: bool| {
        let sign = |z: &Complex<f64>| if flips && random.bool() { -z } else { *z };
        norm(&transform(problem, &x.iter().map(sign).collect::<Vec<_>>()).unwrap())
    };
    let own = size(false);
    let largest = (0..8).map(|_| size(true)).fold(own, f64::max);
    verdict.error * own <= verdict.bound * largest
}

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

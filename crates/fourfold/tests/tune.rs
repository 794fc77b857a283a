//! Tests the candidates of tuning. (These are not unit tests, because a test program of the crate's
//! modules compiles the engine again, which takes minutes.)

mod common;

use common::run::{execute, planner};
use common::sample::sample;
use fourfold::engine::candidates;
use fourfold::oracle::verify::{Data, Reference};
use fourfold::{Isa, Problem, Recipe};
use std::cell::LazyCell;

const PROBLEMS: [&str; 11] = [
    "dct2 f64 48x80",
    "dct3 f32 2048",
    "dst4 f64 1024",
    "fft f64 960",
    "ifft f32 4096 axes=0",
    "rfft f64 3x512 axes=1",
    "irfft f64 1536",
    "dct2 f32 2x2x4096 axes=2",
    "dht f64 34x35",
    "dct1 f64 65",
    "rfft f32 16x18",
];

/// The recipe that tuning chooses gives correct results, and its text is that of the plan. The
/// definition is summed once for all candidates of a problem.
#[test]
fn all_candidates_are_right() {
    let mut all = 0;
    for (turn, text) in PROBLEMS.iter().enumerate() {
        let problem: Problem = text.parse().unwrap();
        let reference = LazyCell::new(|| Reference::new(&problem, 1).unwrap());
        let candidates = candidates(&problem);
        all += candidates.len();
        for recipe in sample(candidates, 1, turn) {
            assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
            for isa in Isa::available() {
                let plan = planner(isa, 1).plan_recipe(recipe.clone()).unwrap();
                let run = |x: &Data, y: &mut Data| execute(&plan, x, y);
                let verdict = reference.compare(recipe.uses_bluestein(), run).unwrap();
                assert!(verdict.holds(), "{isa} {recipe}: {verdict:?}");
            }
        }
    }
    assert!(all > 60, "only {all} candidates");
}

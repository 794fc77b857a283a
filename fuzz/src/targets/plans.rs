//! Any bytes are a valid problem, whose plan agrees with the definition: any kinds, axes, norms,
//! scales and strides, in place too, on every instruction set, with one thread and with two; by its
//! own layouts, and by views on the plan of the same problem without strides.

use crate::common::random::{holds, problems};
use crate::common::run::execute;
use fourfold::oracle::verify::{Data, check as compare};
use fourfold::{Element, Isa, Plan, Planner, Problem, Result, View, ViewMut};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The longest axis, and elements of the largest problem: the definition is slow.
const LONGEST: usize = 70;
const LARGEST: usize = 300;

pub(crate) fn check(bytes: &[u8]) {
    let [choice, seed, rest @ ..] = bytes else { return };
    let random = TestRng::from_seed(RngAlgorithm::PassThrough, &lengthened(rest));
    let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, random);
    let tree = problems(1..LONGEST, LARGEST).new_tree(&mut runner).expect("nothing is rejected");
    let problem = tree.current().build().expect("only valid problems are made");
    let (isas, choice) = (Isa::available(), usize::from(*choice));
    let builder = Planner::builder().isa(isas[choice / 4 % isas.len()]).threads(1 + choice % 2);
    let planner = builder.build().expect("two threads are there");
    let plan = planner.plan(&problem).expect("there is memory");
    agrees(&problem, &plan, u64::from(*seed), execute);
    if choice / 2 % 2 == 1 {
        let plain: Problem = without_strides(&problem).parse().expect("strides are optional");
        let plan = planner.plan(&plain).expect("there is memory");
        agrees(&problem, &plan, u64::from(*seed), |plan, input, output| {
            execute_on_views(&problem, plan, input, output)
        });
    }
}

/// Random bytes after those that are given: where these end there would be zeros, of which some
/// choices are never made.
fn lengthened(bytes: &[u8]) -> Vec<u8> {
    const MORE: usize = 1 << 12;
    let mut random = fastrand::Rng::with_seed(bytes.len() as u64);
    bytes.iter().copied().chain(std::iter::repeat_with(|| random.u8(..)).take(MORE)).collect()
}

fn agrees(problem: &Problem, plan: &Plan, seed: u64, run: impl FnOnce(&Plan, &Data, &mut Data) -> Result<()>) {
    let mut seen = None;
    let verdict = compare(problem, plan.recipe().uses_bluestein(), seed, |input, output| {
        seen = Some(input.clone());
        run(plan, input, output)
    });
    let verdict = verdict.unwrap_or_else(|error| panic!("{problem}: {error}"));
    assert!(holds(problem, &verdict, &seen.expect("the plan was executed")), "{problem} with {plan:?}: {verdict:?}");
}

fn without_strides(problem: &Problem) -> String {
    let text = problem.to_string();
    let words = text.split(' ').filter(|word| !word.starts_with("in=") && !word.starts_with("out="));
    words.collect::<Vec<_>>().join(" ")
}

/// Executes a plan on arrays with the strides of `problem`.
fn execute_on_views(problem: &Problem, plan: &Plan, input: &Data, output: &mut Data) -> Result<()> {
    match (input, output) {
        (Data::F32(x), Data::F32(y)) => on_views(problem, plan, x, y),
        (Data::F32(x), Data::ComplexF32(y)) => on_views(problem, plan, x, y),
        (Data::ComplexF32(x), Data::F32(y)) => on_views(problem, plan, x, y),
        (Data::ComplexF32(x), Data::ComplexF32(y)) => on_views(problem, plan, x, y),
        (Data::F64(x), Data::F64(y)) => on_views(problem, plan, x, y),
        (Data::F64(x), Data::ComplexF64(y)) => on_views(problem, plan, x, y),
        (Data::ComplexF64(x), Data::F64(y)) => on_views(problem, plan, x, y),
        (Data::ComplexF64(x), Data::ComplexF64(y)) => on_views(problem, plan, x, y),
        _ => unreachable!("both sides have one precision"),
    }
}

fn on_views<I: Element, O: Element>(problem: &Problem, plan: &Plan, input: &[I], output: &mut [O]) -> Result<()> {
    let mut scratch = plan.try_scratch()?;
    let output = ViewMut::of(output, problem.output());
    if problem.in_place() {
        return plan.execute_view_in_place(output, &mut scratch);
    }
    plan.execute_views(View::of(input, problem.input()), output, &mut scratch)
}

//! Executes plans on data of any type.

use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Isa, Plan, Planner, Problem, Result, View, ViewMut};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Evaluates `$body` with the two slices, whose types are those of a plan.
macro_rules! with_slices {
    ($input:expr, $output:expr, $x:ident, $y:ident => $body:expr) => {
        match ($input, $output) {
            (Data::F32($x), Data::F32($y)) => $body,
            (Data::F32($x), Data::ComplexF32($y)) => $body,
            (Data::ComplexF32($x), Data::F32($y)) => $body,
            (Data::ComplexF32($x), Data::ComplexF32($y)) => $body,
            (Data::F64($x), Data::F64($y)) => $body,
            (Data::F64($x), Data::ComplexF64($y)) => $body,
            (Data::ComplexF64($x), Data::F64($y)) => $body,
            (Data::ComplexF64($x), Data::ComplexF64($y)) => $body,
            _ => unreachable!("both sides have one precision"),
        }
    };
}

/// Executes `plan` from input to output, or on the output if the problem is in place.
pub(crate) fn execute(plan: &Plan, input: &Data, output: &mut Data) -> Result<()> {
    if plan.problem().in_place() {
        return execute_in_place(plan, output);
    }
    with_slices!(input, output, x, y => plan.execute(x, y))
}

/// Executes `plan` on an input of this shape, which lies in memory as the problem's.
pub(crate) fn execute_padded(plan: &Plan, input: &Data, shape: &[usize], output: &mut Data) -> Result<()> {
    let (problem, mut scratch) = (plan.problem(), plan.scratch());
    with_slices!(input, output, x, y => {
        let (x, y) = (View::of(x, problem.input()), ViewMut::of(y, problem.output()));
        plan.execute_padded(x, shape, y, &mut scratch)
    })
}

/// Executes `plan` in place.
pub(crate) fn execute_in_place(plan: &Plan, data: &mut Data) -> Result<()> {
    match data {
        Data::F32(x) => plan.execute_in_place(x),
        Data::F64(x) => plan.execute_in_place(x),
        Data::ComplexF32(x) => plan.execute_in_place(x),
        Data::ComplexF64(x) => plan.execute_in_place(x),
    }
}

/// A planner for each instruction set, with one and with three threads. All tests of a file use
/// them.
pub(crate) fn planner(isa: Isa, threads: usize) -> &'static Planner {
    static PLANNERS: LazyLock<HashMap<(Isa, usize), Planner>> = LazyLock::new(|| {
        let all = Isa::available().into_iter().flat_map(|isa| [1, 3].map(|threads| (isa, threads)));
        let build = |(isa, threads)| Planner::builder().isa(isa).threads(threads).build().expect("an available set");
        all.map(|settings| (settings, build(settings))).collect()
    });
    &PLANNERS[&(isa, threads)]
}

/// Compares one execution of `problem` with the oracle.
pub(crate) fn verdict(planner: &Planner, problem: &Problem, seed: u64) -> Verdict {
    let plan = planner.plan(problem).unwrap_or_else(|e| panic!("{problem}: {e}"));
    let run = |x: &Data, y: &mut Data| execute(&plan, x, y);
    check(problem, plan.recipe().uses_bluestein(), seed, run).unwrap_or_else(|e| panic!("{problem}: {e}"))
}

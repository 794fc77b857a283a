//! Runs recipes on threads, with arrays that are whole before and after.
#![allow(dead_code, reason = "every test file uses a part")]

use fourfold::baseline::AnyRecipe;
use fourfold::engine::AxisRecipe;
use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Multiplier, Plan as CorePlan, Problem, Result};
use fourfold_distributed::{ArrayDesc, Distribution, Grid, Plan, Planner, Recipe, ThreadRank};
use std::ops::Range;

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

/// What one rank says of its plan.
pub(crate) struct Report {
    pub(crate) work_bytes: usize,
    pub(crate) bytes_sent: Vec<usize>,
    pub(crate) bytes_received: usize,
    /// The transforms that it computes, and whether the rank has only one line.
    pub(crate) lines: Vec<(AxisRecipe, bool)>,
    output: Data,
}

/// The positions in a whole array of the elements in these ranges, as a rank stores them.
pub(crate) fn positions(shape: &[usize], ranges: &[Range<usize>], order: &[usize]) -> Vec<usize> {
    let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
    order.iter().fold(vec![0], |outer, &axis| {
        outer.iter().flat_map(|at| ranges[axis].clone().map(move |i| at + i * stride(axis))).collect()
    })
}

/// The positions in the whole output. That of a long signal is stored as k = k₁ + N₁k₂.
fn output_positions(array: &ArrayDesc, grid: &Grid, rank: usize) -> Vec<usize> {
    let ranges = array.ranges(grid, rank);
    if array.order.is_sorted() {
        return positions(&array.shape, &ranges, &array.order);
    }
    let shape = [array.shape[1], array.shape[0]];
    positions(&shape, &[ranges[1].clone(), ranges[0].clone()], &[0, 1])
}

/// The transforms of a plan, and whether it has only one line of each. Engines compute a single line in
/// other ways, even by the same factors.
fn lines(plan: &CorePlan) -> Vec<(AxisRecipe, bool)> {
    let AnyRecipe::Fused(recipe) = plan.recipe() else { return vec![] };
    let is_only = |line: &AxisRecipe| {
        let input = plan.problem().input();
        input.elements() == input.shape[line.transform.axis]
    };
    recipe.lines().map(|line| (line.clone(), is_only(line))).collect()
}

/// The factors of a filter, for ranges of indices of the whole spectrum.
pub(crate) type Factors<'a> = &'a (dyn Fn(&[Range<usize>]) -> Multiplier + Sync);

/// Executes the recipe on as many threads as its grid has ranks.
pub(crate) fn run_ranks(recipe: &Recipe, factors: Option<Factors<'_>>, input: &Data) -> Vec<Report> {
    let run = |rank: ThreadRank| {
        let planner = Planner::new(fourfold::Planner::new(), rank);
        let mut plan = match factors {
            None => planner.plan(Ok(recipe.clone())),
            Some(factors) => planner.plan_filter(Ok(recipe.clone()), factors),
        }
        .unwrap_or_else(|e| panic!("{recipe}: {e}"));
        report(&mut plan, input)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            ThreadRank::all(recipe.grid().ranks()).into_iter().map(|rank| scope.spawn(|| run(rank))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
    })
}

/// Executes a plan.
pub(crate) fn execute(plan: &mut Plan<ThreadRank>, input: &Data, output: &mut Data) -> Result<()> {
    with_slices!(input, output, x, y => plan.execute(x, y))
}

/// Executes a plan on the part of a rank.
fn report(plan: &mut Plan<ThreadRank>, input: &Data) -> Report {
    let recipe = plan.recipe().clone();
    let (from, to, precision) = (recipe.input(), recipe.output(), recipe.problem().precision());
    let mut part = Data::filled(precision, from.domain, plan.input_len(), 0.0);
    for (i, at) in positions(&from.shape, &plan.input_ranges(), &from.order).into_iter().enumerate() {
        part.set(i, input.get(at));
    }
    let mut output = Data::filled(precision, to.domain, plan.output_len(), f64::NAN);
    with_slices!(&part, &mut output, x, y => plan.execute(x, y)).unwrap_or_else(|e| panic!("{recipe}: {e}"));
    Report {
        work_bytes: plan.work_bytes(),
        bytes_sent: plan.bytes_sent(),
        bytes_received: plan.bytes_received(),
        lines: plan.passes().flat_map(lines).collect(),
        output,
    }
}

/// Executes the recipe on threads, from a whole array to a whole array.
pub(crate) fn distributed(
    recipe: &Recipe,
    factors: Option<Factors<'_>>,
    input: &Data,
    output: &mut Data,
) -> Vec<Report> {
    let reports = run_ranks(recipe, factors, input);
    for (rank, report) in reports.iter().enumerate() {
        for (i, at) in output_positions(recipe.output(), recipe.grid(), rank).into_iter().enumerate() {
            output.set(at, report.output.get(i));
        }
    }
    reports
}

/// Executes a plan of one process.
pub(crate) fn single(plan: &CorePlan, input: &Data, output: &mut Data) -> Result<()> {
    with_slices!(input, output, x, y => plan.execute(x, y))
}

/// Compares the recipe on threads with the oracle, and with the plan of one process: to the last bit, if
/// all ranks compute all lines by its recipe. Returns whether they do.
pub(crate) fn compare(recipe: &Recipe) -> bool {
    let problem = recipe.problem();
    let plan = fourfold::Planner::new().plan(problem).unwrap();
    let mut same = true;
    let run = |input: &Data, output: &mut Data| {
        let mut whole = output.clone();
        single(&plan, input, &mut whole)?;
        let reports = distributed(recipe, None, input, output);
        let computed = reports.iter().filter(|report| !report.lines.is_empty());
        same = computed.clone().all(|report| report.lines == lines(&plan));
        assert!(!same || *output == whole, "{recipe}: the lines have the same recipes, and other bits");
        Ok(())
    };
    let verdict: Verdict = check(problem, plan.recipe().uses_bluestein(), 27, run).unwrap();
    assert!(verdict.holds(), "{recipe}: {verdict:?}");
    same
}

/// The recipe of a problem in the notation, on a grid, from one distribution to another.
pub(crate) fn recipe(problem: &str, grid: &str, input: &str, output: Option<&str>) -> Result<Recipe> {
    let output = output.map(str::parse::<Distribution>).transpose()?;
    Recipe::new(&problem.parse::<Problem>()?, &grid.parse()?, &input.parse()?, output.as_ref())
}

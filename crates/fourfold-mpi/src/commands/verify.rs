//! `fourfold-mpi verify`: compares transforms of random arrays with the definition, and prints a line of
//! JSON for each problem.

use crate::args::Verify;
use crate::data::{Arrays, random, runs};
use crate::session::Session;
use anyhow::{Context, Result, bail};
use fourfold::Problem;
use fourfold::engine::collected;
use fourfold::oracle::naive::{Dd, sampled};
use fourfold::oracle::verify::{Data, bound};
use fourfold_distributed::{ArrayDesc, Exchange};
use fourfold_mpi::MpiRank;
use num_complex::Complex;
use serde::Serialize;
use std::ops::Range;

/// The most indices along each axis at which a rank compares its part of the output.
const PICKS: usize = 6;

/// What rank 0 prints of a problem, as JSON.
#[derive(Serialize)]
struct Answer {
    problem: String,
    ranks: usize,
    grid: String,
    from: String,
    to: String,
    exchanges: usize,
    parts: usize,
    /// The relative error at the elements that were compared.
    error: f64,
    bound: f64,
    ok: bool,
}

/// Verifies each problem.
pub(crate) fn verify(rank: &MpiRank, args: &Verify) -> Result<()> {
    let session = Session::new(rank, &args.division)?;
    let mut failures = 0;
    for problem in &args.problems {
        failures += usize::from(!is_right(&session, problem, args.seed)?);
    }
    if failures > 0 {
        bail!("{failures} of {} problems are wrong", args.problems.len());
    }
    Ok(())
}

/// Executes a problem, and compares elements of every rank's part with the definition.
fn is_right(session: &Session, problem: &Problem, seed: u64) -> Result<bool> {
    let compared = problem.input().elements().saturating_mul(size_of::<Complex<f64>>());
    let mut plan = session.plan(problem, compared)?;
    let mut arrays = session.together(Arrays::new(&plan))?;
    let (recipe, rank) = (plan.recipe().clone(), session.rank().rank());
    let mut at = 0;
    for (start, length) in runs(recipe.input(), recipe.grid(), rank) {
        for i in 0..length {
            arrays.input.set(at + i, random(seed, start + i));
        }
        at += length;
    }
    let executed = arrays.execute(&mut plan, None, &|is_ready| session.meet(is_ready));
    session.together(executed.with_context(|| format!("cannot execute `{problem}`")))?;
    let compared = compare(problem, recipe.output(), &plan.output_ranges(), &arrays.output, seed);
    let [error, whole] = session.together(compared)?;
    let [error, whole] = [session.all(error)?, session.all(whole)?].map(|parts| parts.into_iter().sum::<f64>());
    let bluestein = session.all(f64::from(u8::from(plan.uses_bluestein())))?.into_iter().any(|uses| uses > 0.0);
    let (error, bound) = (if error == 0.0 { 0.0 } else { (error / whole).sqrt() }, bound(problem, bluestein));
    let answer = Answer {
        problem: problem.to_string(),
        ranks: recipe.grid().ranks(),
        grid: recipe.grid().to_string(),
        from: recipe.input().distribution.to_string(),
        to: recipe.output().distribution.to_string(),
        exchanges: recipe.exchanges(),
        parts: plan.parts(),
        error,
        bound,
        ok: error <= bound,
    };
    let text = serde_json::to_string(&answer)?;
    session.say(|| Ok(text))?;
    Ok(answer.ok)
}

/// The squares of the errors at some elements of a rank's part, and of the exact elements.
fn compare(
    problem: &Problem,
    array: &ArrayDesc,
    ranges: &[Range<usize>],
    output: &Data,
    seed: u64,
) -> Result<[f64; 2]> {
    if ranges.iter().any(Range::is_empty) {
        return Ok([0.0; 2]);
    }
    let count = problem.input().elements();
    let elements = (0..count).map(|index| rounded(problem, random(seed, index)));
    let input = collected(count, elements, format_args!("the whole input of {count} elements, to compare"))?;
    // The axes of the part in the order in which it is stored, which is that of the whole array.
    let stored: Vec<_> = array.order.iter().map(|axis| ranges[*axis].clone()).collect();
    let (mut exact, mut found) = (vec![], vec![]);
    let axes = problem.output().shape.len();
    if axes < stored.len() {
        // A signal: its index is that of the matrix or of the column.
        let width = array.shape[array.order[1]];
        let (rows, columns) = (spread(&stored[0]), spread(&stored[1]));
        let picks: Vec<_> =
            rows.iter().flat_map(|row| columns.iter().map(move |column| row * width + column)).collect();
        exact.extend(sampled(problem, &input, &[picks])?);
    } else {
        exact.extend(sampled(problem, &input, &stored.iter().map(spread).collect::<Vec<_>>())?);
    }
    let places = stored.iter().fold(vec![0], |outer: Vec<usize>, range| {
        let inner: Vec<_> = spread(range).iter().map(|index| index - range.start).collect();
        outer.iter().flat_map(|at| inner.iter().map(move |index| at * range.len() + index)).collect()
    });
    found.extend(places.into_iter().map(|at| output.get(at)));
    Ok(squares(&found, &exact))
}

/// The element as the problem's input has it.
fn rounded(problem: &Problem, z: Complex<f64>) -> Complex<f64> {
    let mut one = Data::filled(problem.precision(), problem.input_domain(), 1, 0.0);
    one.set(0, z);
    one.get(0)
}

/// At most [`PICKS`] indices of a range, with both ends.
fn spread(range: &Range<usize>) -> Vec<usize> {
    let count = range.len().min(PICKS);
    (0..count).map(|i| range.start + i * (range.len() - 1) / (count - 1).max(1)).collect()
}

fn squares(found: &[Complex<f64>], exact: &[Complex<Dd>]) -> [f64; 2] {
    let difference = |y: f64, exact: Dd| f64::from(Dd::from(y) - exact).powi(2);
    let error = found.iter().zip(exact).map(|(y, e)| difference(y.re, e.re) + difference(y.im, e.im)).sum();
    [error, exact.iter().map(|e| f64::from(e.re).powi(2) + f64::from(e.im).powi(2)).sum()]
}

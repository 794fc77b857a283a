//! `fourfold-mpi poisson`: solves −∇·∇u + c u = f for the array in a `.npy` file. Each rank reads and writes its
//! part.

use crate::args::Poisson;
use crate::data::Arrays;
use crate::files::{Input, Output};
use crate::session::Session;
use anyhow::{Context, Result, ensure};
use fourfold::oracle::verify::Data;
use fourfold::poisson::{Axis, Eigenvalues, Equation};
use fourfold::{Multiplier, Precision};
use fourfold_distributed::Exchange;
use fourfold_mpi::MpiRank;
use serde::Serialize;
use std::ops::Range;

/// What rank 0 prints.
#[derive(Serialize)]
struct Answer {
    shape: Vec<usize>,
    /// The kind of the forward transform along each axis.
    kinds: Vec<&'static str>,
    #[serde(rename = "type")]
    precision: &'static str,
    ranks: usize,
    grid: String,
    from: String,
    to: String,
    exchanges: usize,
    /// The seconds of the slowest rank.
    seconds: f64,
}

/// Reads f, solves, and writes u.
pub(crate) fn poisson(rank: &MpiRank, args: &Poisson) -> Result<()> {
    let session = Session::new(rank, &args.division)?;
    let unread = || format!("cannot read {}", args.input.display());
    let unwritten = || format!("cannot write {}", args.output.display());
    let (mut input, equation) = session.together(Input::open(&args.input).with_context(unread).and_then(|input| {
        let equation = args.equation(&input.header.shape)?;
        Ok((input, equation))
    }))?;
    let output = session.together(Output::new(&args.output, &args.input).with_context(unwritten))?;
    let precision = input.header.dtype.precision().unwrap_or(Precision::F64);
    let pipeline = session.together(equation.pipeline(precision).map_err(Into::into))?;
    let problems: Vec<_> = pipeline.problems().collect();
    let ([forward, inverse], Some(Multiplier::ReciprocalSum(lists))) = (&problems[..], pipeline.multiplier()) else {
        unreachable!("the eigenvalues of an equation are sums")
    };
    session.together(input.check_type(forward).with_context(unread))?;
    let part_of = |lists: &[Vec<f64>], ranges: &[Range<usize>]| {
        Multiplier::ReciprocalSum(lists.iter().zip(ranges).map(|(list, range)| list[range.clone()].to_vec()).collect())
    };
    let mut plan = session.filter([forward, inverse], &|ranges| part_of(lists, ranges))?;
    let mut arrays = session.together(Arrays::new(&plan))?;
    let recipe = plan.recipe().clone();
    let read = input.read(recipe.input(), recipe.grid(), rank.rank(), &mut arrays.input);
    session.together(read.with_context(unread))?;
    check_compatible(&session, &equation, &recipe.input().ranges(recipe.grid(), rank.rank()), &arrays.input)?;
    let executed = arrays.execute(&mut plan, None, &|is_ready| session.meet(is_ready));
    let seconds = session.together(executed.with_context(|| format!("cannot solve for {}", args.input.display())))?;
    output.write_together(&session, &recipe, &arrays.output).with_context(unwritten)?;
    let answer = Answer {
        shape: equation.shape(),
        kinds: forward.kinds().iter().map(|kind| kind.name()).collect(),
        precision: precision.name(),
        ranks: rank.ranks(),
        grid: recipe.grid().to_string(),
        from: recipe.input().distribution.to_string(),
        to: recipe.output().distribution.to_string(),
        exchanges: recipe.exchanges(),
        seconds: session.all(seconds)?.into_iter().fold(0.0, f64::max),
    };
    let text = serde_json::to_string(&answer)?;
    session.say(|| Ok(text))
}

impl Poisson {
    /// The equation on an array of this shape.
    fn equation(&self, shape: &[usize]) -> Result<Equation> {
        let axes = shape.len();
        let axis = |(a, &points): (usize, &usize)| -> Result<Axis> {
            Ok(Axis {
                points,
                spacing: *entry("--spacing", &self.spacing, a, axes)?,
                ends: *entry("--boundary", &self.boundary, a, axes)?,
                position: *entry("--at", &self.positions, a, axes)?,
            })
        };
        let axes = shape.iter().enumerate().map(axis).collect::<Result<Vec<_>>>()?;
        let eigenvalues = if self.spectral { Eigenvalues::Spectral } else { Eigenvalues::Stencil };
        let equation = Equation::new(axes)?.c(self.c).eigenvalues(eigenvalues);
        let equation = self.heat_step.into_iter().fold(equation, Equation::heat_step);
        Ok(self.tolerance.into_iter().fold(equation, Equation::tolerance))
    }
}

/// Checks that there is a solution, as `Equation::check_compatible` does for a whole array.
fn check_compatible(session: &Session, equation: &Equation, part: &[Range<usize>], f: &Data) -> Result<()> {
    if !equation.is_singular() {
        return Ok(());
    }
    // The weights of the points, in C order; none of a part without points.
    let axes = equation.axes().iter().zip(part);
    let weights = axes.fold(vec![1.0], |outer: Vec<f64>, (axis, range)| {
        outer.iter().flat_map(|w| range.clone().map(move |i| w * axis.weight(i))).collect()
    });
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for (i, w) in weights.iter().enumerate() {
        let x = f.get(i).re;
        (sum, magnitude) = (sum + w * x, magnitude + w * x.abs());
    }
    let [sum, magnitude] = [session.all(sum)?, session.all(magnitude)?].map(|all| all.into_iter().sum::<f64>());
    ensure!(sum.is_finite() && magnitude.is_finite(), "the right-hand side is not finite: expected finite numbers");
    let precision = if matches!(f, Data::F32(_)) { Precision::F32 } else { Precision::F64 };
    Ok(equation.check_compatible_sums([sum, magnitude], precision)?)
}

/// The entry of an axis in a list with one entry for each axis, or one for all.
fn entry<'a, T>(option: &str, list: &'a [T], axis: usize, axes: usize) -> Result<&'a T> {
    let count = list.len();
    ensure!(count == 1 || count == axes, "{option} has {count} entries for an array of {axes} axes: give 1 or {axes}");
    Ok(&list[if count == 1 { 0 } else { axis }])
}

//! `fourfold-mpi poisson`: solves −∇·∇u + c u = f for the array in a `.npy` file. Each rank reads and writes its
//! part.

use crate::args::Poisson;
use crate::data::Arrays;
use crate::files::{Input, Output};
use crate::session::Session;
use anyhow::{Context, Result};
use fourfold::oracle::verify::Data;
use fourfold::poisson::{Eigenvalues, Equation};
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
    let mut output = session.together(Output::new(&args.output, &args.input).with_context(unwritten))?;
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
    output.create_together(&session, &recipe).with_context(unwritten)?;
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
        let eigenvalues = if self.spectral { Eigenvalues::Spectral } else { Eigenvalues::Stencil };
        let equation = Equation::on_shape(shape, &self.boundary, &self.positions, &self.spacing)?;
        let equation = equation.c(self.c).eigenvalues(eigenvalues);
        let equation = self.heat_step.into_iter().fold(equation, Equation::heat_step);
        Ok(self.tolerance.into_iter().fold(equation, Equation::tolerance))
    }
}

/// Checks that there is a solution, as `Equation::check_compatible` does for a whole array.
fn check_compatible(session: &Session, equation: &Equation, part: &[Range<usize>], f: &Data) -> Result<()> {
    if !equation.is_singular() {
        return Ok(());
    }
    let (sums, precision) = match f {
        Data::F32(f) => (equation.sums_of_part(f, part), Precision::F32),
        Data::F64(f) => (equation.sums_of_part(f, part), Precision::F64),
        Data::ComplexF32(_) | Data::ComplexF64(_) => unreachable!("right-hand sides are real"),
    };
    let [sum, magnitude] = session.together(sums.map_err(Into::into))?;
    let sums = [session.all(sum)?, session.all(magnitude)?].map(|all| all.into_iter().sum::<f64>());
    Ok(equation.check_compatible_sums(sums, precision)?)
}

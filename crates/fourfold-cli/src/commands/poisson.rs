//! `fourfold poisson`: solves −∇·∇u + c u = f for the array in a .npy file.

use std::time::Instant;

use anyhow::{Context, Result};
use fourfold::engine::table_bytes;
use fourfold::oracle::verify::Data;
use fourfold::poisson::{BoundaryValues, Eigenvalues, Equation, Float};
use fourfold::{Domain, Planner, Precision};
use serde::Serialize;

use crate::args::poisson::{EndValue, Poisson};
use crate::array::{check_memory, fitting, zeros_of};
use crate::array_files::{ArrayFiles, open_array};
use crate::print::{print_json, print_text};

/// Reads f, solves, writes u, and prints a report.
pub(super) fn solve_file(args: &Poisson) -> Result<()> {
    let files = ArrayFiles::create(&[&args.input], &args.output, args.plot.as_deref())?;
    let failed = || format!("cannot read {}", args.input.display());
    let npy = open_array(&args.input).with_context(failed)?;
    let precision = args.precision.or(npy.header.dtype.precision()).unwrap_or(Precision::F64);
    let equation = args.equation(&npy.header.shape)?;
    // The right-hand side and the solution, before eigenvalues of all points are computed.
    let arrays = equation.unknowns().saturating_mul(2 * precision.bytes());
    check_memory(arrays)?;
    let pipeline = equation.pipeline(precision)?;
    let recipe = Planner::new().recipe(pipeline.borrowed())?;
    let tables = recipe.lines().map(|line| table_bytes(line, precision.bytes()));
    check_memory(tables.fold(arrays, usize::saturating_add))?;
    let kinds: Vec<_> =
        equation.axes().iter().map(|axis| axis.kind().map(|kind| kind.name())).collect::<Result<_, _>>()?;
    let plan = args.how.planner()?.pipeline(pipeline)?;
    let mut f = npy.read_reals(precision).with_context(failed)?;
    match &mut f {
        Data::F32(f) => args.prepare(&equation, f)?,
        Data::F64(f) => args.prepare(&equation, f)?,
        _ => unreachable!("the reals of a file"),
    }
    let mut u = zeros_of(precision, Domain::Real, equation.unknowns())?;
    let start = Instant::now();
    plan.execute(&f, &mut u)?;
    let seconds = start.elapsed().as_secs_f64();
    files.write(&equation.shape(), &u)?;
    let report = Report { shape: equation.shape(), kinds, precision: precision.name(), seconds };
    if args.json { print_json(&report) } else { print_text(&report.text()) }
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

    /// Checks that there is a solution, and adds the boundary values to f.
    fn prepare<T: Float>(&self, equation: &Equation, f: &mut [T]) -> Result<()> {
        let add = |values: BoundaryValues<'static, T>, one: &EndValue| {
            let EndValue { axis, end, value } = *one;
            let value = fitting(value, format_args!("the value at the {end} end of axis {axis}"))?;
            anyhow::Ok(values.constant(axis, end, value))
        };
        let values = self.values.iter().try_fold(BoundaryValues::new(), add)?;
        equation.check_compatible(f, &values)?;
        Ok(equation.add_boundary_values(&values, f)?)
    }
}

/// The answer.
#[derive(Serialize)]
struct Report {
    shape: Vec<usize>,
    /// The kind of the forward transform along each axis.
    kinds: Vec<&'static str>,
    #[serde(rename = "type")]
    precision: &'static str,
    seconds: f64,
}

impl Report {
    fn text(&self) -> String {
        let shape = self.shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let Report { kinds, precision, seconds, .. } = self;
        format!("solved  {shape} unknowns in {precision}, by {}\ntime    {seconds:.3} s\n", kinds.join(","))
    }
}

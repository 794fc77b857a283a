//! Poisson solvers on arrays of NumPy.

use crate::arrays::{reals, writable_reals};
use crate::error::{exception, named};
use crate::plan::precision;
use crate::planners::{Undropped, checked_threads, detached, planner, with_scratch};
use fourfold::poisson::{Axis, BoundaryValues, Eigenvalues, End, Ends, Equation, Float, Position, Solver};
use fourfold::{Effort, Precision, Result};
use pyo3::prelude::*;

enum AnySolver {
    F32(Solver<f32>),
    F64(Solver<f64>),
}

/// An equation on a box: see `fourfold.poisson`.
#[pyclass(frozen, name = "PoissonSolver", module = "fourfold._fourfold")]
pub(crate) struct PySolver {
    solver: Undropped<AnySolver>,
}

/// What is given at an end: the axis, whether it is the high end, and a list of one number for all
/// points or of one for each.
type EndValues<'py> = (usize, bool, Bound<'py, PyAny>);

fn eigenvalues(name: &str) -> PyResult<Eigenvalues> {
    named(name, "operator", [("stencil", Eigenvalues::Stencil), ("spectral", Eigenvalues::Spectral)])
}

fn solver<T: Float>(equation: &Equation, threads: usize) -> Result<Solver<T>> {
    let weight = equation.shape().iter().sum();
    Solver::new(equation, &*planner(checked_threads(threads)?, Effort::Estimate, weight)?)
}

fn solve<T: Float + numpy::Element>(
    solver: &Solver<T>,
    f: &Bound<'_, PyAny>,
    values: &[EndValues<'_>],
    u: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (input, mut output) = (reals::<T>(f)?, writable_reals::<T>(u)?);
    let lists = values.iter().map(|(_, _, list)| reals::<T>(list)).collect::<PyResult<Vec<_>>>()?;
    let mut given = BoundaryValues::new();
    for ((axis, is_high, _), list) in values.iter().zip(&lists) {
        let end = if *is_high { End::High } else { End::Low };
        given = match list.as_slice()? {
            [value] => given.constant(*axis, end, *value),
            list => given.list(*axis, end, list),
        };
    }
    let (input, output) = (input.as_slice()?, output.as_slice_mut()?);
    let is_plain = values.is_empty();
    let work = || match is_plain {
        true => with_scratch(solver.plan(), |scratch| solver.solve_with(input, output, scratch)),
        false => solver.solve_with_boundary(input, &given, output),
    };
    detached(f.py(), true, work).map_err(exception)
}

#[pymethods]
impl PySolver {
    /// A solver for an equation. The lists have an entry for each axis.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are Python's")]
    fn new(
        py: Python<'_>,
        shape: Vec<usize>,
        boundary: Vec<String>,
        at: Vec<String>,
        spacing: Vec<f64>,
        c: f64,
        eigenvalues: &str,
        heat_step: Option<f64>,
        tolerance: Option<f64>,
        dtype: &str,
        workers: usize,
    ) -> PyResult<PySolver> {
        let axes = shape.iter().zip(&boundary).zip(at.iter().zip(&spacing));
        let axes = axes.map(|((&points, boundary), (at, &spacing))| {
            Ok(Axis { points, spacing, ends: boundary.parse::<Ends>()?, position: at.parse::<Position>()? })
        });
        let axes = axes.collect::<Result<Vec<_>>>().map_err(exception)?;
        let equation = Equation::new(axes).map_err(exception)?.c(c).eigenvalues(self::eigenvalues(eigenvalues)?);
        let equation = heat_step.into_iter().fold(equation, Equation::heat_step);
        let equation = tolerance.into_iter().fold(equation, Equation::tolerance);
        let precision = precision(dtype)?;
        let work = || match precision {
            Precision::F32 => solver(&equation, workers).map(AnySolver::F32),
            Precision::F64 => solver(&equation, workers).map(AnySolver::F64),
        };
        Ok(PySolver { solver: Undropped::new(detached(py, true, work).map_err(exception)?) })
    }

    /// Solves the equation for the list `f`, and writes the list `u`.
    fn solve(&self, f: &Bound<'_, PyAny>, values: Vec<EndValues<'_>>, u: &Bound<'_, PyAny>) -> PyResult<()> {
        match &*self.solver {
            AnySolver::F32(solver) => solve(solver, f, &values, u),
            AnySolver::F64(solver) => solve(solver, f, &values, u),
        }
    }

    /// The kind of transform along each axis.
    #[getter]
    fn kinds(&self) -> PyResult<Vec<&'static str>> {
        let equation = match &*self.solver {
            AnySolver::F32(solver) => solver.equation(),
            AnySolver::F64(solver) => solver.equation(),
        };
        equation.axes().iter().map(|axis| axis.kind().map(|kind| kind.name()).map_err(exception)).collect()
    }
}

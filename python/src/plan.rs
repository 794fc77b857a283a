//! Plans for arrays of NumPy.

use crate::arrays::{check_shape, check_type, copied, empty, memory, type_name, writable};
use crate::error::{exception, named};
use crate::memory::{ElementType, Memory, execute};
use crate::planners::{Undropped, cached, checked_threads, detached, plan, planner, with_scratch};
use fourfold::{Domain, Effort, Kind, Multiplier, Norm, Pipeline, Precision, Problem, Result, Storage};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// What a plan multiplies by, if it does, and whether that comes first.
pub(crate) type Multiplied = Option<(Multiplier, bool)>;

/// A problem with its tables.
#[pyclass(frozen, name = "Plan", module = "fourfold._fourfold")]
pub(crate) struct PyPlan {
    problem: Problem,
    multiplied: Multiplied,
    threads: usize,
    /// None for arrays of 16 bits, which only devices transform.
    plan: Option<Undropped<Arc<fourfold::Plan>>>,
}

/// From this number of elements on, an execution releases the GIL. Fewer take a microsecond or two.
const LONG: usize = 1 << 10;

impl PyPlan {
    fn new(problem: Problem, multiplied: Multiplied, threads: usize, effort: Effort) -> Result<PyPlan> {
        let checked = checked_threads(threads)?;
        let make = || plan(&pipeline(&problem, &multiplied), checked, effort).map(Undropped::new);
        let plan = if problem.storage().is_half() { None } else { Some(make()?) };
        Ok(PyPlan { plan, problem, multiplied, threads })
    }

    /// Whether the plan has threads that do not exist in this process.
    fn is_foreign(&self) -> bool {
        self.threads > 1 && self.plan.as_ref().is_some_and(Undropped::is_inherited)
    }

    fn usable(&self) -> Result<Arc<fourfold::Plan>> {
        match (&self.plan, &self.multiplied) {
            (Some(plan), _) if !self.is_foreign() => Ok(Arc::clone(plan)),
            (_, None) => cached(&self.problem.to_string(), self.threads),
            (_, Some(_)) => plan(&pipeline(&self.problem, &self.multiplied), self.threads, Effort::Estimate),
        }
    }

    /// The element type of the output, given that of the input: real kinds transform both parts of
    /// complex numbers.
    fn output_type(&self, input: ElementType) -> ElementType {
        let domains = (self.problem.input_domain(), self.problem.output_domain());
        let both_parts = domains == (Domain::Real, Domain::Real) && input.0 == Domain::Complex;
        (if both_parts { Domain::Complex } else { domains.1 }, self.problem.storage())
    }

    /// The element type of the input, where the array has the given one.
    fn input_type(&self, given: ElementType) -> ElementType {
        let domains = (self.problem.input_domain(), self.problem.output_domain());
        let both_parts = domains == (Domain::Real, Domain::Real) && given.0 == Domain::Complex;
        (if both_parts { Domain::Complex } else { domains.0 }, self.problem.storage())
    }

    /// An error for arrays of 16 bits, which CPUs do not transform.
    fn check_storage(&self) -> PyResult<()> {
        let name = type_name((Domain::Real, self.problem.storage()));
        let message = || format!("plans of {name} are for CUDA devices: the CPU computes float32 and float64");
        if self.problem.storage().is_half() { Err(PyRuntimeError::new_err(message())) } else { Ok(()) }
    }

    fn run(&self, py: Python<'_>, input: &Memory, output: &Memory) -> PyResult<()> {
        let plan = self.usable().map_err(exception)?;
        let is_long = input.elements().max(output.elements()) >= LONG;
        // SAFETY: both are arrays of NumPy, to which the caller holds references. Python's threads
        // that write an array while another one reads it are a race that NumPy leaves to users, too.
        let work = || with_scratch(&plan, |scratch| unsafe { execute(&plan, input, output, scratch) });
        detached(py, is_long, work).map_err(exception)
    }
}

/// The transform, with the multiply before or after it if there is one.
pub(crate) fn pipeline<'a>(problem: &'a Problem, multiplied: &'a Multiplied) -> Pipeline<'a> {
    match multiplied {
        None => problem.into(),
        Some((factors, true)) => Pipeline::new().multiply(factors).transform(problem),
        Some((factors, false)) => Pipeline::new().transform(problem).multiply(factors),
    }
}

/// Factors as a table, or as one list for each axis, if there are any.
pub(crate) fn multiplier(
    factors: Option<Vec<PyReadonlyArray1<'_, f64>>>,
    is_separable: bool,
) -> PyResult<Option<Multiplier>> {
    let Some(factors) = factors else { return Ok(None) };
    let copy = |list: &PyReadonlyArray1<'_, f64>| copied(list.as_slice()?).map_err(exception);
    let mut lists = factors.iter().map(copy).collect::<PyResult<Vec<_>>>()?;
    Ok(Some(match lists.pop() {
        Some(table) if !is_separable => Multiplier::Table(table),
        last => Multiplier::Separable(lists.into_iter().chain(last).collect()),
    }))
}

fn kind(name: &str) -> PyResult<Kind> {
    named(name, "kind", Kind::ALL.map(|kind| (kind.name(), kind)))
}

pub(crate) fn precision(name: &str) -> PyResult<Precision> {
    named(name, "type", [Precision::F32, Precision::F64].map(|precision| (precision.name(), precision)))
}

fn storage(name: &str) -> PyResult<Storage> {
    named(name, "type", Storage::ALL.map(|storage| (storage.name(), storage)))
}

fn effort(name: &str) -> PyResult<Effort> {
    named(name, "effort", [("estimate", Effort::Estimate), ("measure", Effort::Measure)])
}

/// The text of a problem, with every argument checked. The strides are those of input and output, in
/// elements.
#[pyfunction]
#[pyo3(signature = (kinds, storage, shape, axes, norm, orthogonalize=None, scale=1.0, adjoint=false, strides=None))]
#[allow(clippy::too_many_arguments, reason = "they are Python's")]
pub(crate) fn problem(
    kinds: Vec<String>,
    storage: &str,
    shape: Vec<usize>,
    axes: Vec<isize>,
    norm: &str,
    orthogonalize: Option<bool>,
    scale: f64,
    adjoint: bool,
    strides: Option<[Vec<isize>; 2]>,
) -> PyResult<String> {
    let kinds = kinds.iter().map(|name| kind(name)).collect::<PyResult<Vec<_>>>()?;
    let norm = named(norm, "norm", [Norm::Backward, Norm::Ortho, Norm::Forward].map(|norm| (norm.name(), norm)))?;
    let builder = Problem::builder(kinds, self::storage(storage)?, shape).axes(axes).norm(norm).scale(scale);
    let builder = orthogonalize.map_or(builder.clone(), |yes| builder.orthogonalize(yes));
    let builder = if adjoint { builder.adjoint() } else { builder };
    let builder = match strides {
        Some([input, output]) => builder.input_strides(input).output_strides(output),
        None => builder,
    };
    builder.build().map(|problem| problem.to_string()).map_err(exception)
}

#[pymethods]
impl PyPlan {
    /// The plan of a problem in the notation of docs/notation.md. Factors, if there are any, multiply
    /// its input if `first`, else its output.
    #[new]
    #[pyo3(signature = (problem, workers=1, effort="estimate", factors=None, is_separable=false, first=false))]
    fn from_text(
        py: Python<'_>,
        problem: &str,
        workers: usize,
        effort: &str,
        factors: Option<Vec<PyReadonlyArray1<'_, f64>>>,
        is_separable: bool,
        first: bool,
    ) -> PyResult<PyPlan> {
        let (problem, effort) = (problem.parse::<Problem>().map_err(exception)?, self::effort(effort)?);
        let multiplied = multiplier(factors, is_separable)?.map(|factors| (factors, first));
        let is_long = effort == Effort::Measure || problem.input().elements() >= LONG;
        detached(py, is_long, || PyPlan::new(problem, multiplied, workers, effort)).map_err(exception)
    }

    /// Transforms `x` to `out`, or to a new array. Returns the output, or `None` if `x` can be used
    /// only through an aligned copy in this machine's byte order. If `pads`, `x` may be shorter along
    /// transformed axes, and the elements that it lacks are zeros.
    #[pyo3(signature = (x, out=None, pads=false))]
    fn execute<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        out: Option<Bound<'py, PyAny>>,
        pads: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check_storage()?;
        let Some(input) = memory("input", x)? else { return Ok(None) };
        check_type("input", input.element, self.input_type(input.element))?;
        if !pads {
            check_shape("input", &input.shape, &self.problem.input().shape)?;
        }
        let out = match out {
            Some(out) => out,
            None => empty(x.py(), &self.problem.output().shape, self.output_type(input.element))?,
        };
        let output = writable(&out)?;
        check_type("output", output.element, self.output_type(input.element))?;
        check_shape("output", &output.shape, &self.problem.output().shape)?;
        if input != output && input.overlaps(&output) {
            return Ok(None);
        }
        self.run(x.py(), &input, &output)?;
        Ok(Some(out))
    }

    /// The problem in the notation of docs/notation.md.
    #[getter]
    fn problem(&self) -> String {
        self.problem.to_string()
    }

    /// The recipe, as text.
    #[getter]
    fn recipe(&self) -> PyResult<String> {
        if let Some(plan) = &self.plan {
            return Ok(plan.recipe().to_string());
        }
        let recipe = planner(1, Effort::Estimate, 0)
            .and_then(|planner| planner.recipe(pipeline(&self.problem, &self.multiplied)));
        recipe.map(|recipe| recipe.to_string()).map_err(exception)
    }

    /// The number of threads.
    #[getter]
    fn workers(&self) -> usize {
        self.threads
    }

    /// The instruction set.
    #[getter]
    fn isa(&self) -> PyResult<String> {
        self.check_storage()?;
        self.usable().map(|plan| plan.isa().to_string()).map_err(exception)
    }

    /// The shape of the input.
    #[getter]
    fn input_shape(&self) -> Vec<usize> {
        self.problem.input().shape.clone()
    }

    /// The shape of the output.
    #[getter]
    fn output_shape(&self) -> Vec<usize> {
        self.problem.output().shape.clone()
    }

    /// The strides of input and output, in elements.
    #[getter]
    fn strides(&self) -> (Vec<isize>, Vec<isize>) {
        (self.problem.input().strides.clone(), self.problem.output().strides.clone())
    }

    /// Whether input and output are complex.
    #[getter]
    fn is_complex(&self) -> (bool, bool) {
        (self.problem.input_domain() == Domain::Complex, self.problem.output_domain() == Domain::Complex)
    }

    /// The type of the arrays: `f32`, `f64`, or for devices `f16` or `bf16`.
    #[getter]
    fn precision(&self) -> &'static str {
        self.problem.storage().name()
    }

    /// The text of the problem that undoes this one.
    fn inverse(&self) -> PyResult<String> {
        self.problem.inverse().map(|problem| problem.to_string()).map_err(exception)
    }

    /// The text of the conjugate transpose.
    fn adjoint(&self) -> String {
        self.problem.adjoint().to_string()
    }
}

//! The electrostatic system on arrays of NumPy.

use crate::arrays::{copied, reals};
use crate::error::{exception, named};
use crate::plan::precision;
use crate::planners::{Undropped, checked_threads, detached, planner};
use fourfold::electrostatics::{Cells, Electrostatics, Float, Grid, Map, Maps, Scaling, Step, StepWork, Wanted, steps};
use fourfold::{Effort, Multiplier, Precision, Result};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Mutex, PoisonError};

/// A system in one precision, with maps for one execution at a time.
struct Typed<T> {
    system: Electrostatics<T>,
    maps: Mutex<Maps<T>>,
}

enum AnySystem {
    F32(Typed<f32>),
    F64(Typed<f64>),
}

/// The charged cells of a grid: see `fourfold.electrostatics`.
#[pyclass(frozen, name = "System", module = "fourfold._fourfold")]
pub(crate) struct PySystem {
    system: Undropped<AnySystem>,
    potential: bool,
}

/// Maps and energy, as lists of numbers: density, field along x, field along y, potential.
type Solved<T> = ([Vec<T>; 3], Option<(Vec<T>, f64)>);

/// The same as arrays of NumPy.
type SolvedArrays<'py> = (Vec<Bound<'py, PyAny>>, Option<(Bound<'py, PyAny>, f64)>);

/// The settings of a system, without its number type.
struct Settings {
    grid: Grid,
    scaling: Scaling,
    smoothing: f64,
    fixed: Option<Vec<f64>>,
    potential: bool,
    threads: usize,
}

impl Settings {
    fn build<T: Float>(self) -> Result<Typed<T>> {
        let planner = planner(checked_threads(self.threads)?, Effort::Estimate, self.grid.count())?;
        let builder = Electrostatics::<T>::builder(self.grid);
        let builder = builder.scaling(self.scaling).smoothing(self.smoothing).potential(self.potential);
        let builder = self.fixed.map_or(builder.clone(), |map| builder.fixed_density(map));
        let system = builder.build(&planner)?;
        let maps = Mutex::new(system.maps()?);
        Ok(Typed { system, maps })
    }
}

impl<T: Float> Typed<T> {
    /// Computes maps from those that `fill` has begun.
    fn solved(&self, potential: bool, fill: impl FnOnce(&mut Maps<T>) -> Result<()>) -> Result<Solved<T>> {
        let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        fill(&mut maps)?;
        let [x, y] = maps.field();
        let energy = if potential { Some((copied(maps.potential()?)?, self.system.energy(&maps)?)) } else { None };
        Ok(([copied(maps.density())?, copied(x)?, copied(y)?], energy))
    }

    fn transform(&self, density: &[T], potential: bool) -> Result<Solved<T>> {
        self.system.spreader().check_map("density", density.len())?;
        self.solved(potential, |maps| {
            maps.density_mut().copy_from_slice(density);
            self.system.transform(maps)
        })
    }
}

/// Calls `$work` with the typed system and lists of its type.
macro_rules! with_lists {
    ($self:expr, $arrays:expr, |$system:ident, $lists:ident, $into:ident| $work:expr) => {
        match &*$self.system {
            AnySystem::F32($system) => with_lists!(@typed f32, $arrays, $lists, $into, $work),
            AnySystem::F64($system) => with_lists!(@typed f64, $arrays, $lists, $into, $work),
        }
    };
    (@typed $type:ty, $arrays:expr, $lists:ident, $into:ident, $work:expr) => {{
        let mut kept: Vec<PyReadonlyArray1<'_, $type>> = vec![];
        for array in $arrays {
            kept.push(reals(array)?);
        }
        let contiguous = |_| PyValueError::new_err("expected contiguous lists");
        let $lists = kept.iter().map(|array| array.as_slice().map_err(contiguous)).collect::<PyResult<Vec<&[$type]>>>()?;
        let $into = |py, list: Vec<$type>| PyArray1::from_vec(py, list).into_any();
        $work
    }};
}

fn scaling(name: &str) -> PyResult<Scaling> {
    named(name, "scaling", [("dreamplace", Scaling::Dreamplace), ("physical", Scaling::Physical)])
}

/// The text of a problem, its factors, and whether these come first.
type FieldStep<'py> = (String, Bound<'py, PyAny>, bool);

/// The transforms that make the field of a density, and the potential if asked for. The first makes
/// coefficients of it, and each of the others makes a map of these. Factors are a table, or a tuple
/// with a list for each axis.
#[pyfunction]
pub(crate) fn poisson_steps<'py>(
    py: Python<'py>,
    bins: [usize; 2],
    low: [f64; 2],
    high: [f64; 2],
    dtype: &str,
    scaling: &str,
    potential: bool,
) -> PyResult<Vec<FieldStep<'py>>> {
    let wanted = Wanted { precision: precision(dtype)?, scaling: self::scaling(scaling)?, algorithm: None, potential };
    let grid = Grid::new(low, high, bins).map_err(exception)?;
    let steps = detached(py, true, || steps(&grid, &wanted)).map_err(exception)?;
    steps.into_iter().map(|step| field_step(py, bins, step)).collect()
}

fn field_step<'py>(py: Python<'py>, bins: [usize; 2], step: Step) -> PyResult<FieldStep<'py>> {
    let unknown = || PyValueError::new_err("the step is no transform with real factors");
    let StepWork::Fused(pipeline) = step.work else { return Err(unknown()) };
    let problem = pipeline.problems().next().ok_or_else(unknown)?.to_string();
    let list = |list: &Vec<f64>| Ok::<_, PyErr>(PyArray1::from_vec(py, copied(list).map_err(exception)?));
    let factors = match pipeline.multiplier().ok_or_else(unknown)? {
        Multiplier::Table(table) => list(table)?.reshape(bins)?.into_any(),
        Multiplier::Separable(lists) => {
            PyTuple::new(py, lists.iter().map(list).collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        _ => return Err(unknown()),
    };
    Ok((problem, factors, step.from != Map::Density))
}

/// The lists x, y, width and height as cells.
fn cells<'a, T>(lists: &[&'a [T]]) -> Cells<'a, T> {
    Cells { low: [lists[0], lists[1]], size: [lists[2], lists[3]] }
}

#[pymethods]
impl PySystem {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are Python's")]
    fn new(
        py: Python<'_>,
        bins: [usize; 2],
        low: [f64; 2],
        high: [f64; 2],
        dtype: &str,
        scaling: &str,
        smoothing: f64,
        fixed: Option<PyReadonlyArray1<'_, f64>>,
        potential: bool,
        workers: usize,
    ) -> PyResult<PySystem> {
        let scaling = self::scaling(scaling)?;
        let grid = Grid::new(low, high, bins).map_err(exception)?;
        let copy = |map: PyReadonlyArray1<'_, f64>| copied(map.as_slice()?).map_err(exception);
        let fixed = fixed.map(copy).transpose()?;
        let settings = Settings { grid, scaling, smoothing, fixed, potential, threads: workers };
        let work = |precision| match precision {
            Precision::F32 => settings.build().map(AnySystem::F32),
            Precision::F64 => settings.build().map(AnySystem::F64),
        };
        let precision = precision(dtype)?;
        let system = detached(py, true, move || work(precision)).map_err(exception)?;
        Ok(PySystem { system: Undropped::new(system), potential })
    }

    /// Density, field and potential of a density.
    fn transform<'py>(&self, py: Python<'py>, density: &Bound<'py, PyAny>) -> PyResult<SolvedArrays<'py>> {
        with_lists!(self, [density], |system, lists, into| {
            let solved = detached(py, true, || system.transform(lists[0], self.potential)).map_err(exception)?;
            Ok((solved.0.map(|map| into(py, map)).into(), solved.1.map(|(map, energy)| (into(py, map), energy))))
        })
    }

    /// Density, field and potential of cells, as lists x, y, width, height.
    fn solve<'py>(&self, py: Python<'py>, lists: [Bound<'py, PyAny>; 4]) -> PyResult<SolvedArrays<'py>> {
        with_lists!(self, &lists, |system, lists, into| {
            let work = || system.solved(self.potential, |maps| system.system.solve(cells(&lists), maps));
            let solved = detached(py, true, work).map_err(exception)?;
            Ok((solved.0.map(|map| into(py, map)).into(), solved.1.map(|(map, energy)| (into(py, map), energy))))
        })
    }

    /// The forces of a field on cells: lists x, y, width, height, and the maps of the field.
    fn forces<'py>(&self, py: Python<'py>, lists: [Bound<'py, PyAny>; 6]) -> PyResult<[Bound<'py, PyAny>; 2]> {
        with_lists!(self, &lists, |system, lists, into| {
            let work = || system.system.spreader().forces(cells(&lists), [lists[4], lists[5]]);
            Ok(detached(py, true, work).map_err(exception)?.map(|force| into(py, force)))
        })
    }

    /// The part of the cells' area that exceeds the target density, of a density.
    fn overflow(&self, py: Python<'_>, density: &Bound<'_, PyAny>, target: f64) -> PyResult<f64> {
        with_lists!(self, [density], |system, lists, _into| {
            detached(py, true, || system.system.spreader().overflow(lists[0], target)).map_err(exception)
        })
    }
}

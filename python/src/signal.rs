//! Convolutions and filters by frequency on arrays of NumPy.

use crate::arrays::{reals, writable_reals};
use crate::error::{exception, named};
use crate::plan::precision;
use crate::planners::{Undropped, checked_threads, detached, plan, planner, with_scratch};
use fourfold::convolve::{Band, Boundary, Convolution, ConvolutionMethod, FrequencyFilter, Mode, Rolloff};
use fourfold::{Effort, Element, Float, Plan, Precision, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Calls `work` without the GIL, with the lists of input and output.
fn apply<T: numpy::Element + Send + Sync>(
    x: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    work: impl FnOnce(&[T], &mut [T]) -> Result<()> + Send,
) -> PyResult<()> {
    let (input, mut output) = (reals::<T>(x)?, writable_reals::<T>(out)?);
    let (input, output) = (input.as_slice()?, output.as_slice_mut()?);
    detached(x.py(), true, || work(input, output)).map_err(exception)
}

enum AnyConvolution {
    F32(Convolution<f32>),
    F64(Convolution<f64>),
}

/// A kernel with its spectrum: see `fourfold.signal`.
#[pyclass(frozen, name = "Convolution", module = "fourfold._fourfold")]
pub(crate) struct PyConvolution {
    convolution: Undropped<AnyConvolution>,
}

/// The settings of a convolution, without its number type.
struct Settings {
    shape: Vec<usize>,
    kernel_shape: Vec<usize>,
    mode: Mode,
    boundary: Boundary,
    is_correlation: bool,
    method: ConvolutionMethod,
    threads: usize,
}

impl Settings {
    fn build<T: Float + numpy::Element>(&self, kernel: &Bound<'_, PyAny>) -> PyResult<Convolution<T>> {
        let kernel = reals::<T>(kernel)?;
        let builder = Convolution::builder(&self.shape, &self.kernel_shape, kernel.as_slice()?);
        let builder = builder.mode(self.mode).boundary(self.boundary).method(self.method);
        let builder = if self.is_correlation { builder.correlate() } else { builder };
        let work = || {
            let weight = self.shape.iter().sum();
            builder.build(&*planner(checked_threads(self.threads)?, Effort::Estimate, weight)?)
        };
        detached(kernel.py(), true, work).map_err(exception)
    }
}

/// A method by SciPy's name.
fn method(name: &str) -> PyResult<ConvolutionMethod> {
    use ConvolutionMethod::{Direct, Fastest, Transform};
    named(name, "method", [("auto", Fastest), ("direct", Direct), ("fft", Transform)])
}

#[pymethods]
impl PyConvolution {
    /// A convolution of arrays of `shape` with the list `kernel`.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are Python's")]
    fn new(
        shape: Vec<usize>,
        kernel: &Bound<'_, PyAny>,
        kernel_shape: Vec<usize>,
        mode: &str,
        boundary: &str,
        is_correlation: bool,
        method: &str,
        dtype: &str,
        workers: usize,
    ) -> PyResult<PyConvolution> {
        let (mode, boundary) = (mode.parse().map_err(exception)?, boundary.parse().map_err(exception)?);
        let method = self::method(method)?;
        let settings = Settings { shape, kernel_shape, mode, boundary, is_correlation, method, threads: workers };
        let convolution = match precision(dtype)? {
            Precision::F32 => AnyConvolution::F32(settings.build(kernel)?),
            Precision::F64 => AnyConvolution::F64(settings.build(kernel)?),
        };
        Ok(PyConvolution { convolution: Undropped::new(convolution) })
    }

    /// Convolves the list `x`, and writes the list `out`.
    fn apply(&self, x: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        match &*self.convolution {
            AnyConvolution::F32(convolution) => apply(x, out, |x, out| convolution.apply(x, out)),
            AnyConvolution::F64(convolution) => apply(x, out, |x, out| convolution.apply(x, out)),
        }
    }

    /// The shape of the result.
    #[getter]
    fn output_shape(&self) -> Vec<usize> {
        match &*self.convolution {
            AnyConvolution::F32(convolution) => convolution.output_shape().to_vec(),
            AnyConvolution::F64(convolution) => convolution.output_shape().to_vec(),
        }
    }
}

/// A filter by frequency for arrays of one shape: see `fourfold.signal`.
#[pyclass(frozen, name = "FrequencyFilter", module = "fourfold._fourfold")]
pub(crate) struct PyFilter {
    precision: Precision,
    plan: Undropped<Arc<Plan>>,
}

impl PyFilter {
    fn run<T: Element + numpy::Element>(&self, x: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let plan = &self.plan;
        apply::<T>(x, out, |x, out| with_scratch(plan, |scratch| plan.execute_with(x, out, scratch)))
    }
}

#[pymethods]
impl PyFilter {
    /// A filter that keeps frequencies between `low` and `high`, where `None` is no cut-off.
    #[new]
    fn new(
        py: Python<'_>,
        shape: Vec<usize>,
        low: Option<f64>,
        high: Option<f64>,
        rolloff: &str,
        dtype: &str,
        workers: usize,
    ) -> PyResult<PyFilter> {
        let band = match (low, high) {
            (None, Some(high)) => Band::Low(high),
            (Some(low), None) => Band::High(low),
            (Some(low), Some(high)) => Band::Pass(low, high),
            (None, None) => return Err(PyValueError::new_err("there is no cut-off: expected one or two")),
        };
        let rolloff: Rolloff = rolloff.parse().map_err(exception)?;
        let precision = precision(dtype)?;
        let work = || {
            let pipeline = FrequencyFilter::new(band, rolloff)?.pipeline(&shape, precision)?;
            plan(&pipeline, checked_threads(workers)?, Effort::Estimate)
        };
        let plan = detached(py, true, work).map_err(exception)?;
        Ok(PyFilter { precision, plan: Undropped::new(plan) })
    }

    /// Filters the list `x`, and writes the list `out`.
    fn apply(&self, x: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.precision {
            Precision::F32 => self.run::<f32>(x, out),
            Precision::F64 => self.run::<f64>(x, out),
        }
    }
}

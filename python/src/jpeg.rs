//! JPEG files to arrays of NumPy, and back.

use crate::arrays::copied;
use crate::error::{exception, named};
use crate::planners::detached;
use fourfold_jpeg::{Image, Limits, Mode, Sampling, Transform};
use numpy::{PyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

fn mode(name: &str) -> PyResult<Mode> {
    named(name, "mode", [("fast", Mode::Fast), ("exact", Mode::Exact)])
}

fn sampling(name: &str) -> PyResult<Sampling> {
    named(name, "sampling", [("4:4:4", Sampling::Full), ("4:2:2", Sampling::Half), ("4:2:0", Sampling::Quarter)])
}

/// Decodes a file: the samples in a list, the height, the width, the channels, and warnings.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "it is a tuple of Python")]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyBytes>,
    mode: &str,
    upright: bool,
    workers: usize,
    pixels: u64,
) -> PyResult<(Bound<'py, PyArray1<u8>>, [usize; 3], Vec<String>)> {
    let (mode, bytes) = (self::mode(mode)?, file.as_bytes());
    let limits = Limits { pixels, work: pixels.saturating_mul(16) };
    let work = || {
        let transform = Transform::builder().mode(mode).threads(workers).build()?;
        let decoded = fourfold_jpeg::decode(bytes, &transform, &limits)?;
        let image = decoded.value;
        let image = if upright { image.upright(fourfold_jpeg::orientation(bytes))? } else { image };
        Ok((image, decoded.warnings))
    };
    let (image, warnings) = detached(py, true, work).map_err(exception)?;
    let shape = [image.height, image.width, image.channels];
    Ok((PyArray1::from_vec(py, image.samples), shape, warnings))
}

/// Encodes an array of shape (height, width) or (height, width, 3).
#[pyfunction]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    image: PyReadonlyArrayDyn<'py, u8>,
    quality: u8,
    sampling: &str,
    mode: &str,
    workers: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (mode, sampling) = (self::mode(mode)?, self::sampling(sampling)?);
    let (height, width, channels) = match *image.shape() {
        [height, width] => (height, width, 1),
        [height, width, channels] => (height, width, channels),
        _ => return Err(PyValueError::new_err(format!("an image has 2 or 3 axes, not {}", image.ndim()))),
    };
    let image = Image { width, height, channels, samples: copied(image.as_slice()?).map_err(exception)? };
    let work = || {
        let transform = Transform::builder().mode(mode).threads(workers).build()?;
        fourfold_jpeg::encode(&image, quality, sampling, &transform)
    };
    let file = detached(py, true, work).map_err(exception)?;
    Ok(PyBytes::new(py, &file))
}

//! NumPy's arrays as memory.

use crate::memory::{ElementType, Memory, bytes};
use fourfold::{Domain, Precision};
use num_complex::Complex;
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE};
use numpy::npyffi::types::NPY_TYPES;
use numpy::{PyArrayDescrMethods, PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The element type of a NumPy type number, if it is one that plans read and write.
fn element_type(number: i32) -> Option<ElementType> {
    let types = [
        (NPY_TYPES::NPY_FLOAT, (Domain::Real, Precision::F32)),
        (NPY_TYPES::NPY_DOUBLE, (Domain::Real, Precision::F64)),
        (NPY_TYPES::NPY_CFLOAT, (Domain::Complex, Precision::F32)),
        (NPY_TYPES::NPY_CDOUBLE, (Domain::Complex, Precision::F64)),
    ];
    types.into_iter().find(|(known, _)| *known as i32 == number).map(|(_, element)| element)
}

/// Whether all of these flags of NumPy are set.
fn has_flags(array: &Bound<'_, PyUntypedArray>, flags: i32) -> bool {
    // SAFETY: it is an array of NumPy, and the GIL or a reference protects its header.
    unsafe { (*array.as_array_ptr()).flags & flags == flags }
}

fn address(array: &Bound<'_, PyUntypedArray>) -> usize {
    // SAFETY: as above.
    unsafe { (*array.as_array_ptr()).data as usize }
}

/// The memory of an array; `None` if a plan can use only a copy of it, since elements are not
/// aligned, not in this machine's byte order, or at distances that are no multiples of their size.
///
/// # Errors
/// `TypeError` if it is no array of NumPy with elements of float32, float64, complex64 or complex128.
pub(crate) fn memory(array: &Bound<'_, PyAny>) -> PyResult<Option<Memory>> {
    let name = || array.get_type().name().map_or("object".to_owned(), |name| name.to_string());
    let untyped = array
        .cast::<PyUntypedArray>()
        .map_err(|_| PyTypeError::new_err(format!("expected an array of NumPy, not {}", name())))?;
    let dtype = untyped.dtype();
    let element = element_type(dtype.num()).ok_or_else(|| {
        let expected = "expected float32, float64, complex64 or complex128";
        PyTypeError::new_err(format!("elements of type {dtype}: {expected}"))
    })?;
    let size = bytes(element) as isize;
    let strides = untyped.strides();
    let is_usable = has_flags(untyped, NPY_ARRAY_ALIGNED) && dtype.is_native_byteorder() == Some(true);
    if !is_usable || strides.iter().zip(untyped.shape()).any(|(stride, n)| stride % size != 0 && *n > 1) {
        return Ok(None);
    }
    let strides = strides.iter().map(|stride| stride / size).collect();
    Ok(Some(Memory { first: address(untyped), element, shape: untyped.shape().to_vec(), strides }))
}

/// The memory of an array to write.
///
/// # Errors
/// As [`memory`], and `ValueError` if it is read-only or cannot be used without a copy.
pub(crate) fn writable(array: &Bound<'_, PyAny>) -> PyResult<Memory> {
    let unusable = "the output must be aligned, in this machine's byte order, with strides of whole elements";
    let memory = memory(array)?.ok_or_else(|| PyValueError::new_err(unusable))?;
    match has_flags(array.cast::<PyUntypedArray>()?, NPY_ARRAY_WRITEABLE) {
        true => Ok(memory),
        false => Err(PyValueError::new_err("the output array is read-only")),
    }
}

/// A new array in C order, whose elements are arbitrary.
pub(crate) fn empty<'py>(py: Python<'py>, shape: &[usize], element: ElementType) -> Bound<'py, PyAny> {
    // SAFETY: the caller writes every element before anything reads one; all bits are valid floats.
    unsafe {
        match element {
            (Domain::Real, Precision::F32) => PyArrayDyn::<f32>::new(py, shape, false).into_any(),
            (Domain::Real, Precision::F64) => PyArrayDyn::<f64>::new(py, shape, false).into_any(),
            (Domain::Complex, Precision::F32) => PyArrayDyn::<Complex<f32>>::new(py, shape, false).into_any(),
            (Domain::Complex, Precision::F64) => PyArrayDyn::<Complex<f64>>::new(py, shape, false).into_any(),
        }
    }
}

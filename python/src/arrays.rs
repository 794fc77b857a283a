//! NumPy's arrays as memory.

use crate::memory::{ElementType, Memory, bytes};
use fourfold::{Domain, Error, ErrorKind, Storage};
use num_complex::Complex;
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE};
use numpy::npyffi::types::{NPY_TYPES, npy_intp};
use numpy::{PY_ARRAY_API, PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::c_int;

/// The element type of a NumPy type number, if it is one that plans read and write.
fn element_type(number: i32) -> Option<ElementType> {
    let types = [
        (NPY_TYPES::NPY_FLOAT, (Domain::Real, Storage::F32)),
        (NPY_TYPES::NPY_DOUBLE, (Domain::Real, Storage::F64)),
        (NPY_TYPES::NPY_CFLOAT, (Domain::Complex, Storage::F32)),
        (NPY_TYPES::NPY_CDOUBLE, (Domain::Complex, Storage::F64)),
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

/// NumPy's name of an element type.
pub(crate) fn type_name((domain, storage): ElementType) -> &'static str {
    match (domain, storage) {
        (Domain::Complex, Storage::F32) => "complex64",
        (Domain::Complex, Storage::F64) => "complex128",
        (_, Storage::F16) => "float16",
        (_, Storage::Bf16) => "bfloat16",
        (Domain::Real, Storage::F32) => "float32",
        (Domain::Real, Storage::F64) => "float64",
    }
}

/// `TypeError` if elements have another type than they must.
pub(crate) fn check_type(array: &str, given: ElementType, wanted: ElementType) -> PyResult<()> {
    let (found, expected) = (type_name(given), type_name(wanted));
    let message = || format!("the {array} has elements of {found}, expected {expected}");
    if given == wanted { Ok(()) } else { Err(PyTypeError::new_err(message())) }
}

/// `ValueError` if a shape is another one than it must be.
pub(crate) fn check_shape(array: &str, given: &[usize], wanted: &[usize]) -> PyResult<()> {
    let message = || format!("the {array} has the shape {}, expected {}", tuple(given), tuple(wanted));
    if given == wanted { Ok(()) } else { Err(PyValueError::new_err(message())) }
}

/// Numbers as Python writes a tuple of them.
fn tuple(numbers: &[usize]) -> String {
    let list = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if numbers.len() == 1 { format!("({list},)") } else { format!("({list})") }
}

/// The memory of an array, called `name` in messages; `None` if a plan can use only a copy of it.
/// Then elements are not aligned, not in this machine's byte order, or at distances that are no
/// multiples of their size.
///
/// # Errors
/// `TypeError` if it is no array of NumPy with elements of float32, float64, complex64 or complex128.
pub(crate) fn memory(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Option<Memory>> {
    let class = || array.get_type().name().map_or("object".to_owned(), |name| name.to_string());
    let untyped = array
        .cast::<PyUntypedArray>()
        .map_err(|_| PyTypeError::new_err(format!("the {name} is a {}, expected an array of NumPy", class())))?;
    let dtype = untyped.dtype();
    let element = element_type(dtype.num()).ok_or_else(|| {
        let expected = "expected float32, float64, complex64 or complex128";
        PyTypeError::new_err(format!("the {name} has elements of {dtype}, {expected}"))
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

/// A copy of a list.
///
/// # Errors
/// If there is no memory.
pub(crate) fn copied<T: Copy>(list: &[T]) -> fourfold::Result<Vec<T>> {
    let (mut copy, count) = (vec![], list.len());
    let message = || format!("there is no memory for a copy of {count} elements");
    copy.try_reserve_exact(count).map_err(|_| Error::new(ErrorKind::Unavailable, message()))?;
    copy.extend_from_slice(list);
    Ok(copy)
}

/// The memory of the output.
///
/// # Errors
/// As [`memory`]; `TypeError` if it has not this machine's byte order; `ValueError` if it is
/// read-only or cannot be used without a copy.
pub(crate) fn writable(array: &Bound<'_, PyAny>) -> PyResult<Memory> {
    let memory = memory("output", array)?;
    let untyped = array.cast::<PyUntypedArray>()?;
    if untyped.dtype().is_native_byteorder() != Some(true) {
        let message = format!("the output has elements of {}, expected this machine's byte order", untyped.dtype());
        return Err(PyTypeError::new_err(message));
    }
    if !has_flags(untyped, NPY_ARRAY_WRITEABLE) {
        return Err(PyValueError::new_err("the output is read-only"));
    }
    memory.ok_or_else(|| PyValueError::new_err("the output must be aligned, with strides of whole elements"))
}

fn list<'a, 'py, T: numpy::Element>(array: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyArray1<T>>> {
    array.cast().map_err(|_| PyTypeError::new_err("expected a list of NumPy in the type that was planned"))
}

/// An array of one axis, in a real type.
///
/// # Errors
/// `TypeError` if it is something else.
pub(crate) fn reals<'py, T: numpy::Element>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, T>> {
    Ok(list(array)?.try_readonly()?)
}

/// The same to write.
///
/// # Errors
/// As [`reals`], and `TypeError` if it is read-only.
pub(crate) fn writable_reals<'py, T: numpy::Element>(array: &Bound<'py, PyAny>) -> PyResult<PyReadwriteArray1<'py, T>> {
    Ok(list(array)?.try_readwrite()?)
}

/// A new array in C order, whose elements are arbitrary, and are not read before they are written.
///
/// # Errors
/// NumPy's exception, if there is no memory.
pub(crate) fn empty<'py>(py: Python<'py>, shape: &[usize], element: ElementType) -> PyResult<Bound<'py, PyAny>> {
    let dtype = match element {
        (Domain::Real, Storage::F32) => numpy::dtype::<f32>(py),
        (Domain::Real, Storage::F64) => numpy::dtype::<f64>(py),
        (Domain::Complex, Storage::F32) => numpy::dtype::<Complex<f32>>(py),
        (Domain::Complex, Storage::F64) => numpy::dtype::<Complex<f64>>(py),
        (_, Storage::F16 | Storage::Bf16) => return Err(PyTypeError::new_err("arrays of 16 bits are for GPUs")),
    };
    let (axes, lengths) = (shape.len() as c_int, shape.as_ptr().cast_mut().cast::<npy_intp>());
    // SAFETY: NumPy only reads the lengths, whose type has the size of `usize`, and takes over the type
    // of elements. It returns a new reference, or null with an exception.
    unsafe {
        let array = PY_ARRAY_API.PyArray_Empty(py, axes, lengths, dtype.into_dtype_ptr(), 0);
        Bound::from_owned_ptr_or_err(py, array)
    }
}

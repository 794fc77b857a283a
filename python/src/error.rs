//! Errors of fourfold as Python's exceptions.

use fourfold::{Error, ErrorKind};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, PyResult};

/// The exception that SciPy or NumPy would raise.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    let says = |words| error.kind() == ErrorKind::Unavailable && message.contains(words);
    match error.kind() {
        _ if says("there is no memory") || says("which no memory holds") => PyMemoryError::new_err(message),
        _ if says("elements is too long") => PyValueError::new_err(message),
        ErrorKind::Unavailable => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// The value that a name stands for.
///
/// # Errors
/// `ValueError` with the names that there are.
pub(crate) fn named<T>(name: &str, what: &str, known: impl IntoIterator<Item = (&'static str, T)>) -> PyResult<T> {
    let mut names = vec![];
    for (other, value) in known {
        if other == name {
            return Ok(value);
        }
        names.push(format!("'{other}'"));
    }
    let last = names.pop().unwrap_or_default();
    let names = if names.is_empty() { last } else { format!("{} or {last}", names.join(", ")) };
    Err(PyValueError::new_err(format!("there is no {what} {name:?}: expected {names}")))
}

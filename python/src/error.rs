//! Errors of fourfold as Python's exceptions.

use fourfold::{Error, ErrorKind};
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// The exception that SciPy or NumPy would raise.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        ErrorKind::Unavailable if message.starts_with("there is no memory") => PyMemoryError::new_err(message),
        ErrorKind::Unavailable => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

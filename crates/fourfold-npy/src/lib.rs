//! Headers and element types of NumPy's `.npy` files, versions 1.0, 2.0 and 3.0.
//!
//! Source: NumPy's NEP 1 and `numpy/lib/format.py`.

mod dict;
mod dtype;
mod header;

pub use crate::dtype::{Class, DType};
pub use crate::header::{Header, MAGIC, encode};

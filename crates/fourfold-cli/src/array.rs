//! Arrays whose element type is known only at run time.

use anyhow::{Context, Result};
use fourfold::{Domain, Element, Precision};
use num_complex::Complex;

/// The elements of an array, of one of the types that a plan reads or writes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Array {
    F32(Vec<f32>),
    F64(Vec<f64>),
    C32(Vec<Complex<f32>>),
    C64(Vec<Complex<f64>>),
}

/// Runs the body with the name bound to the elements, whatever their type.
macro_rules! with_elements {
    ($array:expr, $elements:ident => $body:expr) => {
        match $array {
            $crate::array::Array::F32($elements) => $body,
            $crate::array::Array::F64($elements) => $body,
            $crate::array::Array::C32($elements) => $body,
            $crate::array::Array::C64($elements) => $body,
        }
    };
}
pub(crate) use with_elements;

impl Array {
    /// Zeros; an error if the memory cannot be had.
    pub(crate) fn zeros(precision: Precision, domain: Domain, len: usize) -> Result<Array> {
        Ok(match (precision, domain) {
            (Precision::F32, Domain::Real) => Array::F32(zeros(len)?),
            (Precision::F64, Domain::Real) => Array::F64(zeros(len)?),
            (Precision::F32, Domain::Complex) => Array::C32(zeros(len)?),
            (Precision::F64, Domain::Complex) => Array::C64(zeros(len)?),
        })
    }

    /// Uniform random numbers from −1 to 1, parts of complex numbers independently.
    pub(crate) fn random(precision: Precision, domain: Domain, len: usize, seed: u64) -> Result<Array> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut single = || 2.0 * rng.f32() - 1.0;
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut double = || 2.0 * rng.f64() - 1.0;
        let mut array = Array::zeros(precision, domain, len)?;
        match &mut array {
            Array::F32(reals) => reals.fill_with(single),
            Array::F64(reals) => reals.fill_with(double),
            Array::C32(numbers) => numbers.fill_with(|| Complex::new(single(), single())),
            Array::C64(numbers) => numbers.fill_with(|| Complex::new(double(), double())),
        }
        Ok(array)
    }

    /// Takes the values of an array of the same type and length, in the memory that it has.
    pub(crate) fn copy_from(&mut self, other: &Array) {
        match (self, other) {
            (Array::F32(to), Array::F32(from)) => to.copy_from_slice(from),
            (Array::F64(to), Array::F64(from)) => to.copy_from_slice(from),
            (Array::C32(to), Array::C32(from)) => to.copy_from_slice(from),
            (Array::C64(to), Array::C64(from)) => to.copy_from_slice(from),
            (to, from) => *to = from.clone(),
        }
    }

    /// The real type.
    pub(crate) fn precision(&self) -> Precision {
        match self {
            Array::F32(_) | Array::C32(_) => Precision::F32,
            Array::F64(_) | Array::C64(_) => Precision::F64,
        }
    }

    /// The memory that the elements take.
    pub(crate) fn bytes(&self) -> usize {
        with_elements!(self, elements => size_of_val(elements.as_slice()))
    }
}

/// `len` default elements; an error if the memory cannot be had.
pub(crate) fn zeros<T: Element>(len: usize) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    let refused = || format!("an array of {len} elements of {} bytes does not fit in memory", size_of::<T>());
    elements.try_reserve_exact(len).with_context(refused)?;
    elements.resize(len, T::default());
    Ok(elements)
}

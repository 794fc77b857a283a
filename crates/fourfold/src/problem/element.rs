//! The types of an array's elements.

use num_complex::Complex;

/// The real type of a problem. The parts of complex data have this type too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

/// Whether the elements of an array are real or complex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// An element is one real number.
    Real,
    /// An element is one complex number: the real part, then the imaginary part.
    Complex,
}

impl Domain {
    /// The number of reals in an element: 1 or 2.
    pub fn reals(self) -> usize {
        match self {
            Domain::Real => 1,
            Domain::Complex => 2,
        }
    }
}

impl Precision {
    /// The bytes of one real: 4 or 8.
    pub fn bytes(self) -> usize {
        match self {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }

    /// The distance from 1 to the next number.
    pub(crate) fn epsilon(self) -> f64 {
        match self {
            Precision::F32 => f32::EPSILON.into(),
            Precision::F64 => f64::EPSILON,
        }
    }

    /// The type's name in the notation, `f32` or `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// An element type that a plan reads or writes: `f32`, `f64`, or [`Complex`] of either.
pub trait Element: sealed::Sealed + Copy + Default + Send + Sync + 'static {
    /// The type of a real element, or of both parts of a complex one.
    const PRECISION: Precision;
    /// Whether the element is real or complex.
    const DOMAIN: Domain;
}

macro_rules! element {
    ($($type:ty: $precision:ident $domain:ident),*) => { $(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const PRECISION: Precision = Precision::$precision;
            const DOMAIN: Domain = Domain::$domain;
        }
    )* };
}
element!(f32: F32 Real, f64: F64 Real, Complex<f32>: F32 Complex, Complex<f64>: F64 Complex);

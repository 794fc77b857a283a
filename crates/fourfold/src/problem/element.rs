//! The types of an array's elements.

use crate::problem::half::{Bf16, F16};
use num_complex::Complex;

/// The real type that a problem is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

/// The real type of a problem's arrays. The parts of complex data have this type too.
///
/// What is stored in 16 bits is computed in `f32`, by GPUs only: every pass over the arrays widens
/// what it reads, and rounds what it writes to the nearest, of two to the even one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// 16-bit floats by IEEE 754, [`F16`]. Numbers from 65520 on become infinity.
    F16,
    /// 16-bit floats with the range of `f32`, [`Bf16`].
    Bf16,
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

impl Storage {
    /// All of them.
    pub const ALL: [Storage; 4] = [Storage::F16, Storage::Bf16, Storage::F32, Storage::F64];

    /// The bytes of one real: 2, 4 or 8.
    pub fn bytes(self) -> usize {
        match self {
            Storage::F16 | Storage::Bf16 => 2,
            Storage::F32 => 4,
            Storage::F64 => 8,
        }
    }

    /// The type's name in the notation: `f16`, `bf16`, `f32` or `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Storage::F16 => "f16",
            Storage::Bf16 => "bf16",
            Storage::F32 => "f32",
            Storage::F64 => "f64",
        }
    }

    /// The type that is computed in.
    pub const fn precision(self) -> Precision {
        match self {
            Storage::F16 | Storage::Bf16 | Storage::F32 => Precision::F32,
            Storage::F64 => Precision::F64,
        }
    }

    /// The nearest number of this type, of two the even one. For types of 16 bits, `x` becomes an
    /// `f32` first.
    pub fn nearest(self, x: f64) -> f64 {
        match self {
            Storage::F16 => f32::from(F16::from(x as f32)).into(),
            Storage::Bf16 => f32::from(Bf16::from(x as f32)).into(),
            Storage::F32 => (x as f32).into(),
            Storage::F64 => x,
        }
    }

    /// Whether a real has 16 bits.
    pub fn is_half(self) -> bool {
        self.bytes() == 2
    }

    /// The name of the element type in Rust.
    pub fn element_name(self, domain: Domain) -> String {
        let real = match self {
            Storage::F16 => "F16",
            Storage::Bf16 => "Bf16",
            Storage::F32 | Storage::F64 => self.name(),
        };
        if domain == Domain::Complex { format!("Complex<{real}>") } else { real.into() }
    }
}

impl From<Precision> for Storage {
    fn from(precision: Precision) -> Storage {
        match precision {
            Precision::F32 => Storage::F32,
            Precision::F64 => Storage::F64,
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// An element type that a plan reads or writes: `f32`, `f64`, on GPUs also [`F16`] and [`Bf16`], or
/// [`Complex`] of one of these.
pub trait Element: sealed::Sealed + Copy + Default + Send + Sync + 'static {
    /// The type of a real element, or of both parts of a complex one.
    const STORAGE: Storage;
    /// The type that such elements are computed in.
    const PRECISION: Precision = Self::STORAGE.precision();
    /// Whether the element is real or complex.
    const DOMAIN: Domain;
}

macro_rules! element {
    ($($type:ty: $storage:ident $domain:ident),*) => { $(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const STORAGE: Storage = Storage::$storage;
            const DOMAIN: Domain = Domain::$domain;
        }
    )* };
}
element!(f32: F32 Real, f64: F64 Real, Complex<f32>: F32 Complex, Complex<f64>: F64 Complex);
element!(F16: F16 Real, Bf16: Bf16 Real, Complex<F16>: F16 Complex, Complex<Bf16>: Bf16 Complex);

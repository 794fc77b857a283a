//! The choice of the instruction set. It is detected once, when planning, or given by the caller.

use crate::cpu::simd::isa;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask};
use crate::error::{Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

/// An instruction set of the CPU engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// One number at a time. Builds for x86-64 and aarch64, which always have 128-bit vectors,
    /// contain it only with the feature `scalar`.
    Scalar,
    /// 128 bits: NEON on aarch64, SSE2 on x86-64.
    Simd128,
    /// AVX2 and FMA: 256 bits.
    Avx2,
    /// AVX-512 F, DQ and VL: 512 bits.
    Avx512,
}

impl Isa {
    /// Every set, the widest first.
    pub const ALL: [Isa; 4] = [Isa::Avx512, Isa::Avx2, Isa::Simd128, Isa::Scalar];

    /// The sets that this machine has, the best first.
    pub fn available() -> Vec<Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// The best set that this machine has.
    pub fn best() -> Isa {
        Isa::ALL.into_iter().find(|isa| isa.is_available()).unwrap_or(Isa::Scalar)
    }

    /// Whether this machine has the set.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Scalar => {
                cfg!(any(all(feature = "scalar", not(test)), not(any(target_arch = "x86_64", target_arch = "aarch64"))))
            }
            Isa::Simd128 => cfg!(any(target_arch = "x86_64", target_arch = "aarch64")),
            #[cfg(all(target_arch = "x86_64", not(test)))]
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(all(target_arch = "x86_64", not(test)))]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(any(not(target_arch = "x86_64"), test))]
            _ => false,
        }
    }

    /// The name: `scalar`, `simd128`, `avx2`, `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Simd128 => "simd128",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// Bytes of a vector of `S`.
    #[doc(hidden)]
    pub fn vector_bytes<S>(self) -> usize {
        match self {
            Isa::Scalar => size_of::<S>(),
            Isa::Simd128 => 16,
            Isa::Avx2 => 32,
            Isa::Avx512 => 64,
        }
    }

    /// The set with the shortest vectors that computes where this one does.
    pub(crate) fn narrowest(self) -> Isa {
        if self == Isa::Scalar { Isa::Scalar } else { Isa::Simd128 }
    }

    /// Returns `self` if this machine has the set.
    ///
    /// # Errors
    /// If this machine does not have it.
    pub(crate) fn checked(self) -> Result<Isa> {
        if self.is_available() {
            return Ok(self);
        }
        let names: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
        let message = match self {
            Isa::Scalar => {
                format!("this build has no scalar, which the feature `scalar` adds; it has {}", names.join(", "))
            }
            _ => format!("this machine has no {self}; it has {}", names.join(", ")),
        };
        Err(Error::new(ErrorKind::Unavailable, message))
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Isa> {
        let names = Isa::ALL.map(Isa::name).join(", ");
        let unknown =
            || Error::new(ErrorKind::Notation, format!("unknown instruction set `{name}`: expected one of {names}"));
        Isa::ALL.into_iter().find(|isa| isa.name().eq_ignore_ascii_case(name)).ok_or_else(unknown)
    }
}

/// Scalar types that have vectors in every instruction set.
pub(crate) trait Dispatch: Scalar + Vector<Scalar = Self> {
    /// Executes `job` with the vectors of `isa`.
    ///
    /// # Safety
    /// The CPU has `isa`, and the requirements of the job hold.
    unsafe fn dispatch(isa: Isa, job: impl VectorTask<Self>);
}

macro_rules! vectors {
    ($scalar:ident, $simd128:ident, $avx2:ident, $avx512:ident) => {
        impl Dispatch for $scalar {
            unsafe fn dispatch(isa: Isa, job: impl VectorTask<Self>) {
                // SAFETY: the caller guarantees it.
                unsafe {
                    match isa {
                        #[cfg(all(target_arch = "x86_64", not(test)))]
                        Isa::Avx512 => job.with_vector::<isa::avx512::$avx512>(),
                        #[cfg(all(target_arch = "x86_64", not(test)))]
                        Isa::Avx2 => job.with_vector::<isa::avx2::$avx2>(),
                        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                        Isa::Simd128 => job.with_vector::<isa::simd128::$simd128>(),
                        #[cfg(any(
                            all(feature = "scalar", not(test)),
                            not(any(target_arch = "x86_64", target_arch = "aarch64"))
                        ))]
                        Isa::Scalar => job.with_vector::<$scalar>(),
                        #[allow(unreachable_patterns)]
                        _ => unreachable!("the caller has checked that {isa} is available"),
                    }
                }
            }
        }
    };
}
vectors!(f64, F64x2, F64x4, F64x8);
vectors!(f32, F32x4, F32x8, F32x16);

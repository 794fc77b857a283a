//! The arithmetic that butterflies need.

use std::ops::{Add, Mul, Neg, Sub};

/// The operations on real numbers that butterflies need. A `Real` is a scalar, a SIMD vector whose
/// lanes belong to different transforms, or a symbol of a kernel generator that records the
/// operations.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
    /// The constant `value`, in every lane. It takes `self`, because the existence of a vector
    /// proves that the processor supports its instruction set.
    fn constant(self, value: f64) -> Self;
    /// self · a + b, rounded once if the hardware has FMA, else twice.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// self · a − b, rounded once if the hardware has FMA, else twice.
    fn mul_sub(self, a: Self, b: Self) -> Self;
}

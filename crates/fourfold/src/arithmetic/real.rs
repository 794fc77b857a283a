//! The arithmetic that a butterfly needs.

use std::ops::{Add, Mul, Neg, Sub};

/// A real number as butterflies see it: a scalar, a SIMD vector whose lanes belong to different
/// transforms, or, in a kernel generator, a symbol that records what is done to it.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
    /// The constant `value`, of the type of `self`. A number is made from a number, since not every
    /// processor may make one of every type: that `self` exists proves that this one may.
    fn constant(self, value: f64) -> Self;
    /// self · a + b, rounded once where the hardware can.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// self · a − b, rounded once where the hardware can.
    fn mul_sub(self, a: Self, b: Self) -> Self;
}

//! The arithmetic that a butterfly needs.

use std::ops::{Add, Mul, Neg, Sub};

/// A real number as butterflies see it: a scalar, a SIMD vector whose lanes belong to different
/// transforms, or, in a kernel generator, a symbol that records what is done to it.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
    /// The constant `value`.
    fn lit(value: f64) -> Self;
    /// self · a + b, rounded once where the hardware can.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// self · a − b, rounded once where the hardware can.
    fn mul_sub(self, a: Self, b: Self) -> Self;
}

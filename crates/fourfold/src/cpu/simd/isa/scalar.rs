//! Vectors of one lane, which every machine has.

use crate::arithmetic::complex::C;
use crate::arithmetic::real::Real;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};

macro_rules! scalar {
    ($($scalar:ty),*) => { $(
        impl Real for $scalar {
            #[inline(always)]
            fn constant(self, value: f64) -> Self {
                value as $scalar
            }
            // This is not `f64::mul_add`, which is a slow library call on machines without the
            // instruction.
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self * a + b
            }
            #[inline(always)]
            fn mul_sub(self, a: Self, b: Self) -> Self {
                self * a - b
            }
        }

        impl Vector for $scalar {
            type Scalar = $scalar;
            const WIDTH: usize = 1;
            type ComplexVector = C<Self>;

            #[inline(always)]
            unsafe fn splat(value: $scalar) -> Self {
                value
            }
            #[inline(always)]
            unsafe fn load(from: Ptr<$scalar>) -> Self {
                // SAFETY: the caller guarantees it.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store(self, to: Ptr<$scalar>) {
                // SAFETY: the caller guarantees it.
                unsafe { to.write(self) }
            }
            #[inline(always)]
            fn zip(a: Self, b: Self) -> (Self, Self) {
                (a, b)
            }
            #[inline(always)]
            fn unzip(a: Self, b: Self) -> (Self, Self) {
                (a, b)
            }
            #[inline(always)]
            fn reverse(self) -> Self {
                self
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                if self == 0.0 { 0.0 } else { 1.0 / self }
            }
            #[inline(always)]
            fn swap(self) -> Self {
                self
            }
            #[inline(always)]
            fn transpose_pairs(_rows: &mut [Self]) {}
            #[inline(always)]
            unsafe fn enter<W: WithIsa>(work: W) {
                // SAFETY: the caller guarantees it.
                unsafe { work.with_isa() }
            }
        }
    )* };
}
scalar!(f32, f64);

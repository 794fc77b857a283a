//! Vectors of 128 bits by the crate `wide`: NEON on aarch64, SSE2 on x86-64. SSE2 runs in every
//! test, NEON in the suite `arm` of `cargo xtask test`, which emulates a processor.

use crate::arithmetic::real::Real;
use crate::cpu::simd::complex_vector::Interleaved;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};
use std::ops::{Add, Mul, Neg, Sub};

macro_rules! simd128 {
    ($name:ident, $wide:ident, $scalar:ty, $width:literal) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(wide::$wide);

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                $name(self.0 + b.0)
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                $name(self.0 - b.0)
            }
        }
        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                $name(self.0 * b.0)
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $name(-self.0)
            }
        }
        impl Real for $name {
            #[inline(always)]
            fn constant(self, value: f64) -> Self {
                $name(wide::$wide::splat(value as $scalar))
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $name(self.0.mul_add(a.0, b.0))
            }
            #[inline(always)]
            fn mul_sub(self, a: Self, b: Self) -> Self {
                $name(self.0.mul_sub(a.0, b.0))
            }
        }
        impl Vector for $name {
            type Scalar = $scalar;
            const WIDTH: usize = $width;
            const REGISTERS: usize = if cfg!(target_arch = "aarch64") { 32 } else { 16 };
            type ComplexVector = Interleaved<Self>;

            #[inline(always)]
            unsafe fn splat(value: $scalar) -> Self {
                $name(wide::$wide::splat(value))
            }
            #[inline(always)]
            unsafe fn load(from: Ptr<$scalar>) -> Self {
                // SAFETY: the caller guarantees that the array's scalars are readable.
                $name(wide::$wide::new(unsafe { from.access($width).cast::<[$scalar; $width]>().read_unaligned() }))
            }
            #[inline(always)]
            unsafe fn store(self, to: Ptr<$scalar>) {
                // SAFETY: as in `load`.
                unsafe { to.access($width).cast::<[$scalar; $width]>().write_unaligned(self.0.to_array()) }
            }
            #[inline(always)]
            fn zip(a: Self, b: Self) -> (Self, Self) {
                let both = [a.0.to_array(), b.0.to_array()];
                let at = |i: usize| both[i % 2][i / 2];
                ($name(std::array::from_fn(at).into()), $name(std::array::from_fn(|i| at(i + $width)).into()))
            }
            #[inline(always)]
            fn unzip(a: Self, b: Self) -> (Self, Self) {
                let both = [a.0.to_array(), b.0.to_array()];
                let at = |i: usize| both[i / $width][i % $width];
                ($name(std::array::from_fn(|i| at(2 * i)).into()), $name(std::array::from_fn(|i| at(2 * i + 1)).into()))
            }
            #[inline(always)]
            fn reverse(self) -> Self {
                let lanes = self.0.to_array();
                $name(std::array::from_fn(|i| lanes[$width - 1 - i]).into())
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                $name(self.0.to_array().map(|x| if x == 0.0 { 0.0 } else { 1.0 / x }).into())
            }
            #[inline(always)]
            fn swap(self) -> Self {
                let lanes = self.0.to_array();
                $name(std::array::from_fn(|i| lanes[i ^ 1]).into())
            }
            #[inline(always)]
            fn transpose_pairs(rows: &mut [Self]) {
                let square: [[$scalar; $width]; $width / 2] = std::array::from_fn(|j| rows[j].0.to_array());
                for i in 0..$width / 2 {
                    rows[i] = $name(std::array::from_fn(|at| square[at / 2][2 * i + at % 2]).into());
                }
            }
            #[inline(always)]
            unsafe fn enter<W: WithIsa>(work: W) {
                // SAFETY: the caller guarantees it.
                unsafe { work.with_isa() }
            }
        }
    };
}
simd128!(F64x2, f64x2, f64, 2);
simd128!(F32x4, f32x4, f32, 4);

//! Complex numbers over any [`Real`].

use crate::arithmetic::real::Real;
use std::ops::{Add, Sub};

/// A complex number as butterflies of complex data see it: its two parts, or several numbers side
/// by side in one vector. Operations on one part are not here, since a vector of pairs has no parts.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// self · exp(−2πi k/16), 0 ≤ k < 4.
    fn rotate(self, k: usize) -> Self;
    /// self · (re + i·im).
    fn times(self, w: [f64; 2]) -> Self;
    /// self · s.
    fn times_real(self, s: f64) -> Self;
    /// self + s·b.
    fn add_times_real(self, b: Self, s: f64) -> Self;
    /// \[self + w b, self − w b\], w = exp(−2πi k/16), k = 0, 1, 2, 3, 4, 6 or 9.
    fn cross(self, b: Self, k: usize) -> [Self; 2];
}

/// re + i·im.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct C<T> {
    /// Real part.
    pub re: T,
    /// Imaginary part.
    pub im: T,
}

/// An array from its elements, as `std::array::from_fn`, but as a plain loop: what a closure
/// computes is compiled with the closure's instruction set unless it happens to be inlined, and
/// vectors must stay in registers.
#[doc(hidden)]
#[macro_export]
macro_rules! each {
    ($index:ident < $count:expr => $element:expr) => {{
        let $index = 0;
        let mut all = [$element; $count];
        for $index in 1..$count {
            all[$index] = $element;
        }
        all
    }};
}
pub(crate) use each;

impl<T: Real> Add for C<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        C { re: self.re + b.re, im: self.im + b.im }
    }
}

impl<T: Real> Sub for C<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        C { re: self.re - b.re, im: self.im - b.im }
    }
}

impl<T: Real> C<T> {
    /// self · w.
    #[inline(always)]
    #[allow(clippy::should_implement_trait, reason = "no operator hides four products")]
    pub fn mul(self, w: Self) -> Self {
        C { re: self.re.mul_sub(w.re, self.im * w.im), im: self.re.mul_add(w.im, self.im * w.re) }
    }

    /// self · w̄.
    #[inline(always)]
    pub fn mul_conj(self, w: Self) -> Self {
        C { re: self.re.mul_add(w.re, self.im * w.im), im: self.im.mul_sub(w.re, self.re * w.im) }
    }

    /// The conjugate.
    #[inline(always)]
    pub fn conj(self) -> Self {
        C { re: self.re, im: -self.im }
    }

    /// −i · self.
    #[inline(always)]
    pub fn times_minus_i(self) -> Self {
        C { re: self.im, im: -self.re }
    }

    /// i · self.
    #[inline(always)]
    pub fn times_i(self) -> Self {
        C { re: -self.im, im: self.re }
    }

    /// s · self.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        C { re: self.re * s, im: self.im * s }
    }

    /// i · conj(self): real and imaginary part exchanged. A forward DFT between two exchanges is a
    /// backward DFT.
    #[inline(always)]
    pub fn swap(self) -> Self {
        C { re: self.im, im: self.re }
    }

    /// self · exp(−2πi/8).
    #[inline(always)]
    pub fn eighth_turn(self) -> Self {
        let r = self.re.constant(std::f64::consts::FRAC_1_SQRT_2);
        C { re: (self.re + self.im) * r, im: (self.im - self.re) * r }
    }

    /// self · exp(−2πi·3/8).
    #[inline(always)]
    pub fn three_eighths_turn(self) -> Self {
        let r = self.re.constant(std::f64::consts::FRAC_1_SQRT_2);
        C { re: (self.im - self.re) * r, im: -((self.re + self.im) * r) }
    }
}

//! Complex numbers over any [`Real`].

use crate::arithmetic::real::Real;
use std::ops::{Add, Sub};

/// The operations on complex numbers that butterflies of complex data need. A `Number` is two parts
/// ([`C`]), or one vector with the interleaved parts of several numbers. Operations on only one
/// part are missing, because an interleaved vector cannot do them cheaply.
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

/// The complex number re + i·im.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct C<T> {
    /// Real part.
    pub re: T,
    /// Imaginary part.
    pub im: T,
}

/// Makes an array of its elements, as `std::array::from_fn`, but by a loop. A closure that is not
/// inlined is compiled without the caller's instruction set, and its vectors pass through memory.
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

    /// i · conj(self), which exchanges the real and the imaginary part. A forward DFT between two
    /// exchanges is a backward DFT.
    #[inline(always)]
    pub fn swap(self) -> Self {
        C { re: self.im, im: self.re }
    }

    /// self · exp(−2πi/8).
    #[inline(always)]
    pub fn rotate_eighth(self) -> Self {
        let r = self.re.constant(std::f64::consts::FRAC_1_SQRT_2);
        C { re: (self.re + self.im) * r, im: (self.im - self.re) * r }
    }

    /// self · exp(−2πi·3/8).
    #[inline(always)]
    pub fn rotate_three_eighths(self) -> Self {
        let r = self.re.constant(std::f64::consts::FRAC_1_SQRT_2);
        C { re: (self.im - self.re) * r, im: -((self.re + self.im) * r) }
    }
}

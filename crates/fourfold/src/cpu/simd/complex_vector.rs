//! Vectors of complex numbers of one signal, with real and imaginary parts interleaved.

use crate::arithmetic::butterfly::sixteenth;
use crate::arithmetic::complex::{C, Number};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{ComplexVector, LANES, Vector};
use std::ops::{Add, Sub};

impl<S: Vector<Scalar = S>> ComplexVector for C<S> {
    type Scalar = S;
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(from: Ptr<S>) -> Self {
        // SAFETY: the caller guarantees it.
        unsafe { C { re: from.read(), im: from.add(1).read() } }
    }
    #[inline(always)]
    unsafe fn store(self, to: Ptr<S>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            to.write(self.re);
            to.add(1).write(self.im);
        }
    }
    #[inline(always)]
    unsafe fn twiddle(self, w: Ptr<S>) -> Self {
        // SAFETY: the caller guarantees it.
        unsafe { self.mul(C { re: w.read(), im: w.add(LANES + 1).read() }) }
    }
    #[inline(always)]
    fn times_parts(self, [re, im]: [S; 2]) -> Self {
        C { re: self.re * re, im: self.im * im }
    }
    #[inline(always)]
    fn transpose_square(_rows: &mut [Self]) {}
}

/// Complex numbers (re, im, re, im, …) in a vector of at least two lanes. A product needs the
/// vector with the parts exchanged, which is one instruction. Separating the parts and interleaving
/// them again would be two slower ones.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Interleaved<V>(V);

/// The vector (re, im, re, im, …).
#[inline(always)]
fn parts<V: Vector>(re: V, im: V) -> V {
    V::zip(re, im).0
}

impl<V: Vector> Interleaved<V> {
    /// self + i·s·z, where `b` is z with its parts exchanged.
    #[inline(always)]
    fn add_rotated(self, b: V, s: f64) -> Self {
        Interleaved(b.mul_add(parts(b.constant(-s), b.constant(s)), self.0))
    }
}

impl<V: Vector> Add for Interleaved<V> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Interleaved(self.0 + b.0)
    }
}

impl<V: Vector> Sub for Interleaved<V> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Interleaved(self.0 - b.0)
    }
}

impl<V: Vector> Number for Interleaved<V> {
    #[inline(always)]
    fn rotate(self, k: usize) -> Self {
        if k == 0 { self } else { self.times(sixteenth(k)) }
    }
    #[inline(always)]
    fn times(self, [re, im]: [f64; 2]) -> Self {
        self.times_real(re).add_rotated(self.0.swap(), im)
    }
    #[inline(always)]
    fn times_real(self, s: f64) -> Self {
        Interleaved(self.0 * self.0.constant(s))
    }
    #[inline(always)]
    fn add_times_real(self, b: Self, s: f64) -> Self {
        Interleaved(b.0.mul_add(b.0.constant(s), self.0))
    }
    #[inline(always)]
    fn cross(self, b: Self, k: usize) -> [Self; 2] {
        let swapped = b.0.swap();
        match k {
            0 => [self + b, self - b],
            4 => [self.add_rotated(swapped, -1.0), self.add_rotated(swapped, 1.0)],
            _ => {
                let [re, im] = sixteenth(k);
                let (plus, minus) = (self.add_times_real(b, re), self.add_times_real(b, -re));
                [plus.add_rotated(swapped, im), minus.add_rotated(swapped, -im)]
            }
        }
    }
}

impl<V: Vector> ComplexVector for Interleaved<V> {
    type Scalar = V::Scalar;
    const COUNT: usize = V::WIDTH / 2;

    #[inline(always)]
    unsafe fn load(from: Ptr<V::Scalar>) -> Self {
        // SAFETY: the caller guarantees it.
        Interleaved(unsafe { V::load(from) })
    }
    #[inline(always)]
    unsafe fn store(self, to: Ptr<V::Scalar>) {
        // SAFETY: the caller guarantees it.
        unsafe { self.0.store(to) }
    }
    #[inline(always)]
    unsafe fn twiddle(self, w: Ptr<V::Scalar>) -> Self {
        // SAFETY: the caller guarantees it.
        let (re, im) = unsafe { (V::load(w), V::load(w.add(LANES))) };
        Interleaved(self.0.swap().mul_add(im, self.0 * re))
    }
    #[inline(always)]
    fn times_parts(self, [re, im]: [V::Scalar; 2]) -> Self {
        // SAFETY: `self` proves that the CPU has the instructions.
        Interleaved(self.0 * unsafe { parts(V::splat(re), V::splat(im)) })
    }
    #[inline(always)]
    fn transpose_square(rows: &mut [Self]) {
        let mut square = [rows[0].0; LANES / 2];
        for i in 0..Self::COUNT {
            square[i] = rows[i].0;
        }
        V::transpose_pairs(&mut square[..Self::COUNT]);
        for i in 0..Self::COUNT {
            rows[i].0 = square[i];
        }
    }
}

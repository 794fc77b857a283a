//! Passes with butterflies on real and Hermitian data: on the real side, and on half spectra.

use crate::arithmetic::butterfly::{Butterfly, Dft};
use crate::arithmetic::complex::{C, each};
use crate::cpu::dft::pass::access::{Steps, splat, zero};
use crate::cpu::dft::pass::half_spectrum::{Cursor, Half, HalfSpectrum};
use crate::cpu::dft::permuted::{Permuted, for_order};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};
use num_complex::Complex;

/// The first forward pass, whose butterflies read real data. `inner` is 1.
pub(crate) struct First<'a, V: Vector, const R: usize> {
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: Permuted<V::Scalar>,
    pub(crate) dst: Ptr<V>,
}

/// Stores outputs 0 ..= R/2 of a real butterfly as terms 0, m, 2m, … of a half spectrum of length
/// R·m.
///
/// # Safety
/// The half spectrum has these terms.
#[inline(always)]
unsafe fn put_real<V: Vector, const R: usize>(x: impl HalfSpectrum<V>, m: usize, z: [C<V>; R]) {
    // SAFETY: the caller guarantees it.
    unsafe {
        x.put_end(R * m, false, z[0].re);
        let mut cursor = x.cursor(m, m as isize);
        for q in 1..R.div_ceil(2) {
            cursor.put(z[q]);
        }
        if R % 2 == 0 {
            x.put_end(R * m, true, z[R / 2].re);
        }
    }
}

/// Loads terms 0, m, 2m, … of a half spectrum of length R·m as inputs 0 ..= R/2 of a backward
/// butterfly.
///
/// # Safety
/// The half spectrum has these terms.
#[inline(always)]
unsafe fn get_real<V: Vector, const R: usize>(x: impl HalfSpectrum<V>, m: usize) -> [C<V>; R] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let mut z = [zero(); R];
        z[0].re = x.end(R * m, false);
        let mut cursor = x.cursor(m, m as isize);
        for q in 1..R.div_ceil(2) {
            z[q] = cursor.get();
        }
        if R % 2 == 0 {
            z[R / 2].re = x.end(R * m, true);
        }
        z
    }
}

impl<V: Vector, const R: usize> First<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn all<const INDEX: bool, const FACTOR: bool>(&self) {
        let groups = self.steps.groups;
        for l in 0..groups {
            // SAFETY: source and destination have R · groups elements.
            unsafe {
                let mut z = [zero(); R];
                for j in 0..R {
                    z[j].re = self.src.load_at::<V, INDEX, FACTOR>(l + j * groups);
                }
                put_real(Half(self.dst.add(l * R)), 1, z.half_spectrum());
            }
        }
    }
}

impl<V: Vector, const R: usize> WithIsa for First<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        for_order!(self.src.order(), I, G => self.all::<I, G>())
    }
}

pub(crate) struct Forward<'a, V: Vector, T, const R: usize> {
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: Ptr<V>,
    pub(crate) dst: T,
}

impl<V: Vector, T: HalfSpectrum<V>, const R: usize> Forward<'_, V, T, R>
where
    [C<V>; R]: Butterfly,
{
    /// Term 0 of R half spectra of length m at the distance `step`, which is real.
    #[inline(always)]
    unsafe fn first(src: Ptr<V>, step: usize, m: usize, dst: T) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let z = each!(j < R => C { re: src.add(j * step).read(), im: V::zero() });
            put_real(dst, m, z.half_spectrum());
        }
    }

    /// A term 0 < k < m/2. An output with an index n > Rm/2 is stored as the conjugate of X_{Rm−n}.
    #[inline(always)]
    unsafe fn term(src: Ptr<V>, step: usize, m: usize, k: usize, w: Ptr<Complex<V::Scalar>>, dst: T) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let (mut z, mut at) = ([zero(); R], src.add(2 * k - 1));
            for j in 0..R {
                z[j] = C { re: at.read(), im: at.add(1).read() };
                if j > 0 {
                    z[j] = z[j].mul(splat(w.add(j - 1)));
                }
                at = at.wrapping_add(step);
            }
            let (z, half) = (z.dft(), R.div_ceil(2));
            let mut cursor = dst.cursor(k, m as isize);
            for q in 0..half {
                cursor.put(z[q]);
            }
            let mut cursor = dst.cursor((R - half) * m - k, -(m as isize));
            for q in half..R {
                cursor.put_conj(z[q]);
            }
        }
    }

    /// Term m/2, which is real.
    #[inline(always)]
    unsafe fn middle(src: Ptr<V>, step: usize, m: usize, w: Ptr<Complex<V::Scalar>>, dst: T) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let mut z = [zero(); R];
            for (j, z) in z.iter_mut().enumerate() {
                let x = src.add(j * step).add(m - 1).read();
                *z = if j == 0 { C { re: x, im: V::zero() } } else { splat(w.add(j - 1)).scale(x) };
            }
            let (z, mut cursor) = (z.dft(), dst.cursor(m / 2, m as isize));
            for q in 0..R / 2 {
                cursor.put(z[q]);
            }
            if R % 2 == 1 {
                dst.put_end(R * m, true, z[R / 2].re);
            }
        }
    }
}

impl<V: Vector, T: HalfSpectrum<V>, const R: usize> WithIsa for Forward<'_, V, T, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Steps { groups, inner: m, ref twiddles, .. } = *self.steps;
        for l in 0..groups {
            // SAFETY: sequence l + j·groups has m vectors, and the result has R·m.
            unsafe {
                let (src, dst, step) = (self.src.add(l * m), self.dst.skip(l * R * m), groups * m);
                Self::first(src, step, m, dst);
                for k in 1..m.div_ceil(2) {
                    Self::term(src, step, m, k, Ptr::of(twiddles).add((k - 1) * (R - 1)), dst);
                }
                if m % 2 == 0 {
                    Self::middle(src, step, m, Ptr::of(twiddles).add((m / 2 - 1) * (R - 1)), dst);
                }
            }
        }
    }
}

/// The last backward pass, whose butterflies write real data. `inner` is 1.
pub(crate) struct Last<'a, V: Vector, const R: usize> {
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: Ptr<V>,
    pub(crate) dst: Permuted<V::Scalar>,
}

impl<V: Vector, const R: usize> Last<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    fn all<const INDEX: bool, const FACTOR: bool>(&self) {
        let groups = self.steps.groups;
        for l in 0..groups {
            // SAFETY: source and destination have R · groups elements.
            unsafe {
                let z = get_real::<V, R>(Half(self.src.add(l * R)), 1).signal();
                for j in 0..R {
                    self.dst.store_at::<V, INDEX, FACTOR>(l + j * groups, z[j].re);
                }
            }
        }
    }
}

impl<V: Vector, const R: usize> WithIsa for Last<'_, V, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        for_order!(self.dst.order(), I, G => self.all::<I, G>())
    }
}

pub(crate) struct Backward<'a, V: Vector, T, const R: usize> {
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: T,
    pub(crate) dst: Ptr<V>,
}

impl<V: Vector, T: HalfSpectrum<V>, const R: usize> Backward<'_, V, T, R>
where
    [C<V>; R]: Butterfly,
{
    /// The inverse of [`Forward::first`].
    #[inline(always)]
    unsafe fn first(src: T, m: usize, dst: Ptr<V>, step: usize) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            for (j, z) in get_real::<V, R>(src, m).signal().into_iter().enumerate() {
                dst.add(j * step).write(z.re);
            }
        }
    }

    /// The inverse of [`Forward::term`].
    #[inline(always)]
    unsafe fn term(src: T, m: usize, k: usize, w: Ptr<Complex<V::Scalar>>, dst: Ptr<V>, step: usize) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let (mut z, half) = ([zero(); R], R.div_ceil(2));
            let mut cursor = src.cursor(k, m as isize);
            for q in 0..half {
                z[q] = cursor.get().swap();
            }
            let mut cursor = src.cursor((R - half) * m - k, -(m as isize));
            for q in half..R {
                z[q] = cursor.get_conj().swap();
            }
            let (z, mut at) = (z.dft(), dst.add(2 * k - 1));
            for j in 0..R {
                let z = if j == 0 { z[j].swap() } else { z[j].swap().mul_conj(splat(w.add(j - 1))) };
                at.write(z.re);
                at.add(1).write(z.im);
                at = at.wrapping_add(step);
            }
        }
    }

    /// The inverse of [`Forward::middle`].
    #[inline(always)]
    unsafe fn middle(src: T, m: usize, w: Ptr<Complex<V::Scalar>>, dst: Ptr<V>, step: usize) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let mut z = [zero(); R];
            let mut cursor = src.cursor(m / 2, m as isize);
            for q in 0..R / 2 {
                z[q] = cursor.get().swap();
            }
            if R % 2 == 1 {
                z[R / 2].im = src.end(R * m, true);
            }
            let half = R.div_ceil(2);
            let mut cursor = src.cursor((R - half) * m - m / 2, -(m as isize));
            for q in half..R {
                z[q] = cursor.get_conj().swap();
            }
            for (j, z) in z.dft().into_iter().enumerate() {
                let z = z.swap();
                let z = if j == 0 { z } else { z.mul_conj(splat(w.add(j - 1))) };
                dst.add(j * step).add(m - 1).write(z.re);
            }
        }
    }
}

impl<V: Vector, T: HalfSpectrum<V>, const R: usize> WithIsa for Backward<'_, V, T, R>
where
    [C<V>; R]: Butterfly,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Steps { groups, inner: m, ref twiddles, .. } = *self.steps;
        for l in 0..groups {
            // SAFETY: as in `Forward`, with source and destination exchanged.
            unsafe {
                let (src, dst, step) = (self.src.skip(l * R * m), self.dst.add(l * m), groups * m);
                Self::first(src, m, dst, step);
                for k in 1..m.div_ceil(2) {
                    Self::term(src, m, k, Ptr::of(twiddles).add((k - 1) * (R - 1)), dst, step);
                }
                if m % 2 == 0 {
                    Self::middle(src, m, Ptr::of(twiddles).add((m / 2 - 1) * (R - 1)), dst, step);
                }
            }
        }
    }
}

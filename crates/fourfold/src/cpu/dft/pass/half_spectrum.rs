//! Access of passes to half spectra.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;

/// A half spectrum of n reals that a pass reads or writes.
pub(crate) trait HalfSpectrum<V: Vector>: Copy {
    /// Accesses several terms in order.
    type Cursor: Cursor<V>;

    /// The half spectrum that begins `vectors` vectors later.
    fn skip(self, vectors: usize) -> Self;

    /// Term 0, or term n/2 for even n if `last`. Both are real.
    ///
    /// # Safety
    /// The term is in memory, and the CPU has the instructions of `V`.
    unsafe fn end(self, n: usize, last: bool) -> V;

    /// Writes term 0, or term n/2 for even n if `last`.
    ///
    /// # Safety
    /// The term is in memory, and the CPU has the instructions of `V`.
    unsafe fn put_end(self, n: usize, last: bool, x: V);

    /// A cursor over terms k, k + by, …, which must be between terms 0 and n/2.
    fn cursor(self, k: usize, by: isize) -> Self::Cursor;
}

/// Reads or writes terms of a half spectrum in order.
pub(crate) trait Cursor<V: Vector> {
    /// Reads the next term.
    ///
    /// # Safety
    /// The term is in memory, and the CPU has the instructions of `V`.
    unsafe fn get(&mut self) -> C<V>;

    /// Reads the conjugate of the next term.
    ///
    /// # Safety
    /// The term is in memory, and the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn get_conj(&mut self) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe { self.get().conj() }
    }

    /// Writes the next term.
    ///
    /// # Safety
    /// The term is in memory, and the CPU has the instructions of `V`.
    unsafe fn put(&mut self, z: C<V>);

    /// Writes the conjugate of `z` as the next term.
    ///
    /// # Safety
    /// The term is in memory, and the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn put_conj(&mut self, z: C<V>) {
        // SAFETY: the caller guarantees it.
        unsafe { self.put(z.conj()) }
    }
}

/// A half spectrum in FFTPACK's order.
#[derive(Clone, Copy)]
pub(crate) struct Half<V>(pub(crate) Ptr<V>);

pub(crate) struct HalfCursor<V> {
    at: Ptr<V>,
    step: isize,
}

impl<V: Vector> HalfSpectrum<V> for Half<V> {
    type Cursor = HalfCursor<V>;

    #[inline(always)]
    fn skip(self, vectors: usize) -> Self {
        Half(self.0.wrapping_add(vectors))
    }

    #[inline(always)]
    unsafe fn end(self, n: usize, last: bool) -> V {
        // SAFETY: the caller guarantees it.
        unsafe { self.0.add(if last { n - 1 } else { 0 }).read() }
    }

    #[inline(always)]
    unsafe fn put_end(self, n: usize, last: bool, x: V) {
        // SAFETY: the caller guarantees it.
        unsafe { self.0.add(if last { n - 1 } else { 0 }).write(x) }
    }

    #[inline(always)]
    fn cursor(self, k: usize, by: isize) -> HalfCursor<V> {
        HalfCursor { at: self.0.wrapping_add(2 * k).wrapping_sub(1), step: 2 * by }
    }
}

impl<V: Vector> Cursor<V> for HalfCursor<V> {
    #[inline(always)]
    unsafe fn get(&mut self) -> C<V> {
        // SAFETY: the caller guarantees it.
        let z = unsafe { C { re: self.at.read(), im: self.at.add(1).read() } };
        self.at = self.at.wrapping_offset(self.step);
        z
    }

    #[inline(always)]
    unsafe fn put(&mut self, z: C<V>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.at.write(z.re);
            self.at.add(1).write(z.im);
        }
        self.at = self.at.wrapping_offset(self.step);
    }
}

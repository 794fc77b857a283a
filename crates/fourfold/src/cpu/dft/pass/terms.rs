//! Where passes leave a half spectrum, or find it.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;

/// A half spectrum of n reals.
pub(crate) trait Terms<V: Vector>: Copy {
    /// Several of its terms.
    type Cursor: Cursor<V>;

    /// Of several half spectra in a row, the one that begins after so many vectors.
    fn skip(self, vectors: usize) -> Self;

    /// The first term, 0, or the last, n/2 (n even): real numbers.
    ///
    /// # Safety
    /// It is there; the CPU has the instructions of `V`.
    unsafe fn end(self, n: usize, last: bool) -> V;

    /// Writes [`Terms::end`].
    ///
    /// # Safety
    /// As there.
    unsafe fn put_end(self, n: usize, last: bool, x: V);

    /// Terms k, k + by, …, all between the first and the last.
    fn walk(self, k: usize, by: isize) -> Self::Cursor;
}

/// Terms of a half spectrum, one after the other.
pub(crate) trait Cursor<V: Vector> {
    /// The next one.
    ///
    /// # Safety
    /// It is there; the CPU has the instructions of `V`.
    unsafe fn get(&mut self) -> C<V>;

    /// The conjugate of the next one.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn get_conj(&mut self) -> C<V> {
        // SAFETY: the caller's.
        unsafe { self.get().conj() }
    }

    /// Writes the next one.
    ///
    /// # Safety
    /// As there.
    unsafe fn put(&mut self, z: C<V>);

    /// Writes the conjugate of `z` as the next one.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn put_conj(&mut self, z: C<V>) {
        // SAFETY: the caller's.
        unsafe { self.put(z.conj()) }
    }
}

/// One in FFTPACK's order.
#[derive(Clone, Copy)]
pub(crate) struct Half<V>(pub(crate) Ptr<V>);

pub(crate) struct HalfCursor<V> {
    at: Ptr<V>,
    step: isize,
}

impl<V: Vector> Terms<V> for Half<V> {
    type Cursor = HalfCursor<V>;

    #[inline(always)]
    fn skip(self, vectors: usize) -> Self {
        Half(self.0.wrapping_add(vectors))
    }

    #[inline(always)]
    unsafe fn end(self, n: usize, last: bool) -> V {
        // SAFETY: the caller's.
        unsafe { self.0.add(if last { n - 1 } else { 0 }).read() }
    }

    #[inline(always)]
    unsafe fn put_end(self, n: usize, last: bool, x: V) {
        // SAFETY: the caller's.
        unsafe { self.0.add(if last { n - 1 } else { 0 }).write(x) }
    }

    #[inline(always)]
    fn walk(self, k: usize, by: isize) -> HalfCursor<V> {
        HalfCursor { at: self.0.wrapping_add(2 * k).wrapping_sub(1), step: 2 * by }
    }
}

impl<V: Vector> Cursor<V> for HalfCursor<V> {
    #[inline(always)]
    unsafe fn get(&mut self) -> C<V> {
        // SAFETY: the caller's.
        let z = unsafe { C { re: self.at.read(), im: self.at.add(1).read() } };
        self.at = self.at.wrapping_offset(self.step);
        z
    }

    #[inline(always)]
    unsafe fn put(&mut self, z: C<V>) {
        // SAFETY: the caller's.
        unsafe {
            self.at.write(z.re);
            self.at.add(1).write(z.im);
        }
        self.at = self.at.wrapping_offset(self.step);
    }
}

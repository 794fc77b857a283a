//! Loads of one signal in even-odd order: the even indices ascending, then the odd indices
//! descending.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};

/// The `n` reals of a signal in memory, which are read in even-odd order. n is even. `odd` is a
/// factor on elements with odd indices.
#[derive(Clone, Copy)]
pub(crate) struct Places<S> {
    pub(crate) n: usize,
    pub(crate) odd: S,
    pub(crate) from: Ptr<S>,
}

impl<S: Scalar> Places<S> {
    /// The pairs i … i + WIDTH − 1 of neighbours in even-odd order, if all their indices are even.
    /// n must be a multiple of 4.
    ///
    /// # Safety
    /// The elements are readable, and the CPU has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn even_pairs<V: Vector<Scalar = S>>(self, i: usize) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [a, b, c, d] = four::<V>(self.from.add(4 * i));
            let (re, im) = V::unzip(V::unzip(a, b).0, V::unzip(c, d).0);
            C { re, im }
        }
    }

    /// The pairs i … i + WIDTH − 1 of neighbours in even-odd order, if all their indices are odd. n
    /// must be a multiple of 4.
    ///
    /// # Safety
    /// As for [`Places::even_pairs`].
    #[inline(always)]
    pub(crate) unsafe fn odd_pairs<V: Vector<Scalar = S>>(self, i: usize) -> C<V> {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [a, b, c, d] = four::<V>(self.from.add(2 * self.n - 4 * (i + V::WIDTH)));
            let (im, re) = V::unzip(V::unzip(a, b).1, V::unzip(c, d).1);
            let odd = V::splat(self.odd);
            C { re: re.reverse() * odd, im: im.reverse() * odd }
        }
    }
}

/// Loads four contiguous vectors.
#[inline(always)]
unsafe fn four<V: Vector>(at: Ptr<V::Scalar>) -> [V; 4] {
    // SAFETY: the caller guarantees it.
    unsafe { [V::load(at), V::load(at.add(V::WIDTH)), V::load(at.add(2 * V::WIDTH)), V::load(at.add(3 * V::WIDTH))] }
}

//! The order of a cosine transform's real data along one signal: even places ascending, then odd
//! places descending.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};

/// Reals in places, of which `n`, an even number, are read in order; `odd` is a factor on what
/// stands at odd places.
#[derive(Clone, Copy)]
pub(crate) struct Places<S> {
    pub(crate) n: usize,
    pub(crate) odd: S,
    pub(crate) from: Ptr<S>,
}

impl<S: Scalar> Places<S> {
    /// Pairs i … i + WIDTH − 1 of reals in order, all from even places; n is a multiple of 4.
    ///
    /// # Safety
    /// As many are there, and the CPU has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn even_pairs<V: Vector<Scalar = S>>(self, i: usize) -> C<V> {
        // SAFETY: the caller's.
        unsafe {
            let [a, b, c, d] = four::<V>(self.from.add(4 * i));
            let (re, im) = V::unzip(V::unzip(a, b).0, V::unzip(c, d).0);
            C { re, im }
        }
    }

    /// The same, all from odd places.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub(crate) unsafe fn odd_pairs<V: Vector<Scalar = S>>(self, i: usize) -> C<V> {
        // SAFETY: the caller's.
        unsafe {
            let [a, b, c, d] = four::<V>(self.from.add(2 * self.n - 4 * (i + V::WIDTH)));
            let (im, re) = V::unzip(V::unzip(a, b).1, V::unzip(c, d).1);
            let odd = V::splat(self.odd);
            C { re: re.reverse() * odd, im: im.reverse() * odd }
        }
    }
}

/// Four vectors, one after the other.
#[inline(always)]
unsafe fn four<V: Vector>(at: Ptr<V::Scalar>) -> [V; 4] {
    // SAFETY: the caller's.
    unsafe { [V::load(at), V::load(at.add(V::WIDTH)), V::load(at.add(2 * V::WIDTH)), V::load(at.add(3 * V::WIDTH))] }
}

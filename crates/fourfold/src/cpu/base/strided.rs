//! Vectors at one stride from each other.

use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;

/// Vectors in memory: vector i starts at `base + i · stride`, both in scalars.
pub(crate) struct Strided<S> {
    pub(crate) base: Ptr<S>,
    pub(crate) stride: isize,
}

impl<S> Clone for Strided<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Strided<S> {}

impl<S> Strided<S> {
    /// The vectors of a tile, one after the other.
    pub(crate) fn tile<V: Vector<Scalar = S>>(base: Ptr<V>) -> Self {
        Strided { base: base.cast(), stride: V::WIDTH as isize }
    }

    /// # Safety
    /// Vector i lies in writable memory.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector<Scalar = S>>(self, i: isize, v: V) {
        // SAFETY: the caller's.
        unsafe { v.store(self.base.offset(i * self.stride)) }
    }
}

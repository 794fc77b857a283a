//! Sequences of vectors at a constant stride.

use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Vector;

/// Vectors in memory. Vector i starts at `base + i · stride`, in units of scalars.
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
    /// The contiguous vectors of a tile.
    pub(crate) fn tile<V: Vector<Scalar = S>>(base: Ptr<V>) -> Self {
        Strided { base: base.cast(), stride: V::WIDTH as isize }
    }

    /// # Safety
    /// Vector i is in writable memory.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector<Scalar = S>>(self, i: isize, v: V) {
        // SAFETY: the caller guarantees it.
        unsafe { v.store(self.base.offset(i * self.stride)) }
    }
}

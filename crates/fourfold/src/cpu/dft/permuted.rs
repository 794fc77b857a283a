//! The real side of a DFT: the elements of a line in another order.

use crate::cpu::base::strided::Strided;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};

/// Evaluates `$body` with the constants `$index` and `$factor` equal to the two flags.
macro_rules! for_order {
    ($order:expr, $index:ident, $factor:ident => $body:expr) => {
        match $order {
            (false, false) => {
                const $index: bool = false;
                const $factor: bool = false;
                $body
            }
            (true, false) => {
                const $index: bool = true;
                const $factor: bool = false;
                $body
            }
            (true, true) => {
                const $index: bool = true;
                const $factor: bool = true;
                $body
            }
            (false, true) => unreachable!("factors come with an index"),
        }
    };
}
pub(crate) use for_order;

/// The real side of a DFT in memory: element m is `factor[m]` times vector `index[m]`. A null
/// `index` is the identity, and null factors are 1.
pub(crate) struct Permuted<S> {
    pub(crate) rows: Strided<S>,
    pub(crate) index: Ptr<u32>,
    pub(crate) factor: Ptr<S>,
}

impl<S: Scalar> Permuted<S> {
    /// The vectors of a tile in ascending order.
    pub(crate) fn tile<V: Vector<Scalar = S>>(base: Ptr<V>) -> Self {
        Permuted { rows: Strided::tile(base), index: Ptr::null(), factor: Ptr::null() }
    }

    /// Whether there are an index and factors. Loops over many elements have these as constants:
    /// see [`for_order`].
    pub(crate) fn order(&self) -> (bool, bool) {
        (!self.index.is_null(), !self.factor.is_null())
    }

    /// The address of element m, and its factor.
    ///
    /// # Safety
    /// Element m exists. `INDEX` and `FACTOR` are [`Permuted::order`].
    #[inline(always)]
    unsafe fn place<const INDEX: bool, const FACTOR: bool>(&self, m: usize) -> (Ptr<S>, Option<S>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let row = if INDEX { self.index.add(m).read() as isize } else { m as isize };
            (self.rows.base.offset(row * self.rows.stride), if FACTOR { Some(self.factor.add(m).read()) } else { None })
        }
    }

    /// # Safety
    /// Element m is readable. `INDEX` and `FACTOR` are [`Permuted::order`].
    #[inline(always)]
    pub(crate) unsafe fn load_at<V: Vector<Scalar = S>, const INDEX: bool, const FACTOR: bool>(&self, m: usize) -> V {
        // SAFETY: the caller guarantees it.
        unsafe {
            let (at, factor) = self.place::<INDEX, FACTOR>(m);
            let v = V::load(at);
            if let Some(factor) = factor { v * V::splat(factor) } else { v }
        }
    }

    /// # Safety
    /// Element m is writable. `INDEX` and `FACTOR` are [`Permuted::order`].
    #[inline(always)]
    pub(crate) unsafe fn store_at<V: Vector<Scalar = S>, const INDEX: bool, const FACTOR: bool>(&self, m: usize, v: V) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let (at, factor) = self.place::<INDEX, FACTOR>(m);
            if let Some(factor) = factor { v * V::splat(factor) } else { v }.store(at);
        }
    }

    /// Copies the first `count` elements of a single signal to `to`.
    ///
    /// # Safety
    /// Both sides have `count` elements.
    pub(crate) unsafe fn read(&self, to: Ptr<S>, count: usize)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller guarantees it.
        for_order!(self.order(), I, G => for m in 0..count { unsafe { to.add(m).write(self.load_at::<S, I, G>(m)) } })
    }

    /// Copies `count` elements of a single signal from `from`.
    ///
    /// # Safety
    /// Both sides have `count` elements.
    pub(crate) unsafe fn write(&self, from: Ptr<S>, count: usize)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller guarantees it.
        for_order!(self.order(), I, G => for m in 0..count { unsafe { self.store_at::<S, I, G>(m, from.add(m).read()) } })
    }

    /// # Safety
    /// Element m exists and is readable.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector<Scalar = S>>(&self, m: usize) -> V {
        // SAFETY: the caller guarantees it.
        unsafe { for_order!(self.order(), I, G => self.load_at::<V, I, G>(m)) }
    }

    /// # Safety
    /// Element m exists and is writable.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector<Scalar = S>>(&self, m: usize, v: V) {
        // SAFETY: the caller guarantees it.
        unsafe { for_order!(self.order(), I, G => self.store_at::<V, I, G>(m, v)) }
    }
}

//! The real side of a DFT: elements of a line in another order.

use crate::cpu::base::strided::Strided;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector};

/// Calls `$body` with the constants `$index` and `$gain` equal to the two flags.
macro_rules! for_order {
    ($order:expr, $index:ident, $gain:ident => $body:expr) => {
        match $order {
            (false, false) => {
                const $index: bool = false;
                const $gain: bool = false;
                $body
            }
            (true, false) => {
                const $index: bool = true;
                const $gain: bool = false;
                $body
            }
            (true, true) => {
                const $index: bool = true;
                const $gain: bool = true;
                $body
            }
            (false, true) => unreachable!("gains come with an order"),
        }
    };
}
pub(crate) use for_order;

/// The real side of a DFT in memory: element m is row `index[m]` times `gain[m]`; both may be null
/// for m itself and 1.
pub(crate) struct Permuted<S> {
    pub(crate) rows: Strided<S>,
    pub(crate) index: Ptr<u32>,
    pub(crate) gain: Ptr<S>,
}

impl<S: Scalar> Permuted<S> {
    /// The vectors of a tile in their own order.
    pub(crate) fn tile<V: Vector<Scalar = S>>(base: Ptr<V>) -> Self {
        Permuted { rows: Strided::tile(base), index: Ptr::null(), gain: Ptr::null() }
    }

    /// Whether there is an index, and a gain: constants of the loops over many elements, see
    /// [`for_order`].
    pub(crate) fn order(&self) -> (bool, bool) {
        (!self.index.is_null(), !self.gain.is_null())
    }

    /// Where element m lies, and its gain.
    ///
    /// # Safety
    /// Element m exists; index and gain are there if they are said to be.
    #[inline(always)]
    unsafe fn place<const INDEX: bool, const GAIN: bool>(&self, m: usize) -> (Ptr<S>, Option<S>) {
        // SAFETY: the caller's.
        unsafe {
            let row = if INDEX { self.index.add(m).read() as isize } else { m as isize };
            (self.rows.base.offset(row * self.rows.stride), if GAIN { Some(self.gain.add(m).read()) } else { None })
        }
    }

    /// # Safety
    /// As [`Permuted::order`] says; element m is readable.
    #[inline(always)]
    pub(crate) unsafe fn load_at<V: Vector<Scalar = S>, const INDEX: bool, const GAIN: bool>(&self, m: usize) -> V {
        // SAFETY: the caller's.
        unsafe {
            let (at, gain) = self.place::<INDEX, GAIN>(m);
            let v = V::load(at);
            if let Some(gain) = gain { v * V::splat(gain) } else { v }
        }
    }

    /// # Safety
    /// As [`Permuted::order`] says; element m is writable.
    #[inline(always)]
    pub(crate) unsafe fn store_at<V: Vector<Scalar = S>, const INDEX: bool, const GAIN: bool>(&self, m: usize, v: V) {
        // SAFETY: the caller's.
        unsafe {
            let (at, gain) = self.place::<INDEX, GAIN>(m);
            if let Some(gain) = gain { v * V::splat(gain) } else { v }.store(at);
        }
    }

    /// Brings the first `count` elements of a single signal into their order.
    ///
    /// # Safety
    /// They are there on both sides.
    pub(crate) unsafe fn read(&self, to: Ptr<S>, count: usize)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller's.
        for_order!(self.order(), I, G => for m in 0..count { unsafe { to.add(m).write(self.load_at::<S, I, G>(m)) } })
    }

    /// The reverse of [`Permuted::read`].
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn write(&self, from: Ptr<S>, count: usize)
    where
        S: Vector<Scalar = S>,
    {
        // SAFETY: the caller's.
        for_order!(self.order(), I, G => for m in 0..count { unsafe { self.store_at::<S, I, G>(m, from.add(m).read()) } })
    }

    /// # Safety
    /// Element m exists and is readable.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector<Scalar = S>>(&self, m: usize) -> V {
        // SAFETY: the caller's.
        unsafe { for_order!(self.order(), I, G => self.load_at::<V, I, G>(m)) }
    }

    /// # Safety
    /// Element m exists and is writable.
    #[inline(always)]
    pub(crate) unsafe fn store<V: Vector<Scalar = S>>(&self, m: usize, v: V) {
        // SAFETY: the caller's.
        unsafe { for_order!(self.order(), I, G => self.store_at::<V, I, G>(m, v)) }
    }
}

//! Copies between natural and even-odd order along one signal. In even-odd order, the even indices
//! ascend, then the odd indices descend.

use crate::cpu::dft::places::Places;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, VectorTask, WithIsa};

/// Copies a signal from natural to even-odd order.
pub(crate) struct Split<S> {
    pub(crate) places: Places<S>,
    pub(crate) to: Ptr<S>,
}

/// Copies a signal from even-odd to natural order. `odd` is a factor on elements that get odd
/// indices.
pub(crate) struct Join<S> {
    pub(crate) n: usize,
    pub(crate) odd: S,
    pub(crate) from: Ptr<S>,
    pub(crate) to: Ptr<S>,
}

/// Executes a job over pairs of indices (2i, 2i + 1) by vectors, and the remaining pairs one by
/// one.
macro_rules! over_places {
    ($job:ident, $working:ident) => {
        impl<S: Dispatch> VectorTask<S> for $job<S> {
            unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
                // SAFETY: the caller guarantees it.
                unsafe { V::enter($working::<V> { job: self }) }
            }
        }

        struct $working<V: Vector> {
            job: $job<V::Scalar>,
        }

        impl<V: Vector> WithIsa for $working<V>
        where
            V::Scalar: Vector<Scalar = V::Scalar>,
        {
            #[inline(always)]
            unsafe fn with_isa(self) {
                let half = self.job.len() / 2;
                let whole = half / V::WIDTH * V::WIDTH;
                // SAFETY: the job's arrays have n numbers each and do not overlap.
                unsafe {
                    for i in (0..whole).step_by(V::WIDTH) {
                        self.job.places::<V>(i);
                    }
                    for i in whole..half {
                        self.job.places::<V::Scalar>(i);
                    }
                }
            }
        }
    };
}
over_places!(Split, Splitting);
over_places!(Join, Joining);

impl<S: Vector<Scalar = S>> Split<S> {
    fn len(&self) -> usize {
        self.places.n
    }

    /// Copies the pairs i … i + WIDTH − 1.
    #[inline(always)]
    unsafe fn places<V: Vector<Scalar = S>>(&self, i: usize) {
        let Places { n, odd: factor, from } = self.places;
        // SAFETY: the caller guarantees it.
        unsafe {
            let from = from.add(2 * i);
            let (even, odd) = V::unzip(V::load(from), V::load(from.add(V::WIDTH)));
            even.store(self.to.add(i));
            (odd * V::splat(factor)).reverse().store(self.to.add(n - i - V::WIDTH));
        }
    }
}

impl<S: Vector<Scalar = S>> Join<S> {
    fn len(&self) -> usize {
        self.n
    }

    /// Copies the pairs i … i + WIDTH − 1.
    #[inline(always)]
    unsafe fn places<V: Vector<Scalar = S>>(&self, i: usize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let odd = V::load(self.from.add(self.n - i - V::WIDTH)).reverse() * V::splat(self.odd);
            let (low, high) = V::zip(V::load(self.from.add(i)), odd);
            low.store(self.to.add(2 * i));
            high.store(self.to.add(2 * i + V::WIDTH));
        }
    }
}

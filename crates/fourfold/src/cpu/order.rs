//! The order of a cosine transform's real data along one signal: even places ascending, then odd places descending.

use super::engine::Precise;
use super::lane::{Job, Lane, Work};

/// From places to order; `odd` is a factor on what stands at odd places. `n` is even.
pub(super) struct Split<S> {
    pub(super) n: usize,
    pub(super) odd: S,
    pub(super) from: *const S,
    pub(super) to: *mut S,
}

/// The reverse of [`Split`].
pub(super) struct Join<S> {
    pub(super) n: usize,
    pub(super) odd: S,
    pub(super) from: *const S,
    pub(super) to: *mut S,
}

/// Lets a job over pairs of places 2i, 2i + 1 run in vectors first and one by one at the end.
macro_rules! over_places {
    ($job:ident, $working:ident) => {
        impl<S: Precise> Job<S> for $job<S> {
            unsafe fn run<V: Lane<Scalar = S>>(self) {
                // SAFETY: the caller's.
                unsafe { V::enter($working::<V> { job: self }) }
            }
        }

        struct $working<V: Lane> {
            job: $job<V::Scalar>,
        }

        impl<V: Lane> Work for $working<V>
        where
            V::Scalar: Lane<Scalar = V::Scalar>,
        {
            #[inline(always)]
            fn run(self) {
                let half = self.job.n / 2;
                let whole = half / V::WIDTH * V::WIDTH;
                // SAFETY: the job's arrays hold n numbers each, and do not overlap.
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

impl<S: Lane<Scalar = S>> Split<S> {
    /// Pairs of places i … i + WIDTH − 1.
    #[inline(always)]
    unsafe fn places<V: Lane<Scalar = S>>(&self, i: usize) {
        // SAFETY: the caller's.
        unsafe {
            let from = self.from.add(2 * i);
            let (even, odd) = V::unzip(V::load(from), V::load(from.add(V::WIDTH)));
            even.store(self.to.add(i));
            (odd * V::splat(self.odd)).reverse().store(self.to.add(self.n - i - V::WIDTH));
        }
    }
}

impl<S: Lane<Scalar = S>> Join<S> {
    /// Pairs of places i … i + WIDTH − 1.
    #[inline(always)]
    unsafe fn places<V: Lane<Scalar = S>>(&self, i: usize) {
        // SAFETY: the caller's.
        unsafe {
            let odd = V::load(self.from.add(self.n - i - V::WIDTH)).reverse() * V::splat(self.odd);
            let (low, high) = V::zip(V::load(self.from.add(i)), odd);
            low.store(self.to.add(2 * i));
            high.store(self.to.add(2 * i + V::WIDTH));
        }
    }
}

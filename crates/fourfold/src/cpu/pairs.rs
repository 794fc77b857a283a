//! Real data as pairs: the half spectrum of 2m reals and the DFT of the m complex numbers that they make (see [`crate::rules::cut`]).

use super::engine::Precise;
use super::lane::{Job, Lane, Scalar, Work};
use super::pass::along::{pairs, put_pairs};
use crate::complex::C;
use crate::rules::cut::{pack, unpack};
use num_complex::Complex;

#[inline(always)]
fn reversed<V: Lane>(z: C<V>) -> C<V> {
    C { re: z.re.reverse(), im: z.im.reverse() }
}

/// The half spectrum x of 2m reals from the DFT z of the m complex numbers that they make.
pub(super) struct Unpack<'a, S> {
    pub(super) m: usize,
    /// w_N^k for k < m/2 + LANES, N = 2m.
    pub(super) turns: &'a [Complex<S>],
    pub(super) z: *const S,
    pub(super) x: *mut S,
}

/// The reverse of [`Unpack`], for a backward DFT.
pub(super) struct Pack<'a, S> {
    pub(super) m: usize,
    pub(super) turns: &'a [Complex<S>],
    pub(super) x: *const S,
    pub(super) z: *mut S,
}

/// Lets a job over term pairs k and m − k run in vectors. The last may reach its own mirror image: then terms are computed twice, since one
/// by one they would take longer. Fewer terms than two vectors go one by one.
macro_rules! over_pairs {
    ($job:ident, $working:ident) => {
        impl<S: Precise> Job<S> for $job<'_, S> {
            unsafe fn run<V: Lane<Scalar = S>>(self) {
                // SAFETY: the caller's.
                unsafe { V::enter($working::<V> { job: self }) }
            }
        }

        struct $working<'a, V: Lane> {
            job: $job<'a, V::Scalar>,
        }

        impl<V: Lane> Work for $working<'_, V>
        where
            V::Scalar: Lane<Scalar = V::Scalar>,
        {
            #[inline(always)]
            fn run(self) {
                let (job, mut k) = (self.job, 1);
                // SAFETY: pair k ≤ m/2 with m − k, term 0 with m; vectors have at most half of the terms.
                unsafe {
                    job.ends();
                    while 2 * k <= job.m && 2 * V::WIDTH <= job.m {
                        job.terms::<V>(k);
                        k += V::WIDTH;
                    }
                    while 2 * k <= job.m {
                        job.terms::<V::Scalar>(k);
                        k += 1;
                    }
                }
            }
        }
    };
}
over_pairs!(Unpack, Unpacking);
over_pairs!(Pack, Packing);

impl<S: Lane<Scalar = S> + Scalar> Unpack<'_, S> {
    #[inline(always)]
    unsafe fn ends(&self) {
        // SAFETY: the caller's.
        unsafe {
            *self.x = *self.z + *self.z.add(1);
            *self.x.add(2 * self.m - 1) = *self.z - *self.z.add(1);
        }
    }

    /// Terms k … and their mirror images.
    #[inline(always)]
    unsafe fn terms<V: Lane<Scalar = S>>(&self, k: usize) {
        let mirror = self.m - k - (V::WIDTH - 1);
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (pairs::<V>(self.z.add(2 * k)), reversed(pairs::<V>(self.z.add(2 * mirror))));
            let [a, b] = unpack(a, b, pairs::<V>(self.turns.as_ptr().add(k).cast()));
            put_pairs(self.x.add(2 * mirror - 1), reversed(b));
            put_pairs(self.x.add(2 * k - 1), a);
        }
    }
}

impl<S: Lane<Scalar = S> + Scalar> Pack<'_, S> {
    #[inline(always)]
    unsafe fn ends(&self) {
        // SAFETY: the caller's.
        unsafe {
            let (first, last) = (*self.x, *self.x.add(2 * self.m - 1));
            *self.z = first + last;
            *self.z.add(1) = first - last;
        }
    }

    /// Terms k … and their mirror images.
    #[inline(always)]
    unsafe fn terms<V: Lane<Scalar = S>>(&self, k: usize) {
        let mirror = self.m - k - (V::WIDTH - 1);
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (pairs::<V>(self.x.add(2 * k - 1)), reversed(pairs::<V>(self.x.add(2 * mirror - 1))));
            let [a, b] = pack(a, b, pairs::<V>(self.turns.as_ptr().add(k).cast()));
            put_pairs(self.z.add(2 * mirror), reversed(b));
            put_pairs(self.z.add(2 * k), a);
        }
    }
}

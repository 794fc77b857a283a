//! A real DFT of length 2m by a complex one of length m: conversions between the half spectrum of
//! 2m reals and the DFT of the m complex numbers whose parts they are.
//! [`crate::recipe::rules::four_step`] has the formulas.

use crate::arithmetic::complex::C;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::fused_combine::{FusedCombine, LineFactors};
use crate::cpu::dft::pass::along::{load_interleaved, store_interleaved};
use crate::cpu::dft::pass::half_spectrum::HalfSpectrum;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask, WithIsa};
use crate::recipe::rules::four_step::{pack, unpack};
use num_complex::Complex;

#[inline(always)]
fn reversed<V: Vector>(z: C<V>) -> C<V> {
    C { re: z.re.reverse(), im: z.im.reverse() }
}

/// Computes the half spectrum x of 2m reals from the DFT z of m complex numbers.
pub(crate) struct Unpack<'a, S> {
    pub(crate) m: usize,
    /// w_N^k for k < m/2 + LANES, N = 2m.
    pub(crate) twiddles: &'a [Complex<S>],
    pub(crate) z: Ptr<S>,
    pub(crate) x: Ptr<S>,
}

/// The inverse of [`Unpack`], before a backward DFT.
pub(crate) struct Pack<'a, S> {
    pub(crate) m: usize,
    pub(crate) twiddles: &'a [Complex<S>],
    pub(crate) x: Ptr<S>,
    pub(crate) z: Ptr<S>,
}

/// [`Unpack`], the last combine of a transform, and a multiply if there are factors, in one trip
/// through memory. The result is the line at `to`.
pub(crate) struct Finish<'a, S> {
    pub(crate) unpack: Unpack<'a, S>,
    pub(crate) fused: FusedCombine<'a, S>,
    pub(crate) factors: Option<LineFactors<S>>,
    pub(crate) to: Ptr<S>,
}

/// The first combine of a transform and [`Pack`] in one trip through memory.
pub(crate) struct Start<'a, S> {
    pub(crate) pack: Pack<'a, S>,
    pub(crate) fused: FusedCombine<'a, S>,
    pub(crate) from: Ptr<S>,
}

/// Executes a job over pairs of terms k and m − k by vectors. The last vector may overlap with its
/// mirror image and the vectors before it. Then some terms are computed twice, which is faster than
/// computing the rest one by one. The last vector is read before others are written, so a job may
/// work in place. With fewer terms than two vectors have, all are computed one by one.
macro_rules! over_pairs {
    ($job:ident, $working:ident) => {
        impl<S: Dispatch> VectorTask<S> for $job<'_, S> {
            unsafe fn with_vector<V: Vector<Scalar = S>>(self) {
                // SAFETY: the caller guarantees it.
                unsafe { V::enter($working::<V> { job: self }) }
            }
        }

        struct $working<'a, V: Vector> {
            job: $job<'a, V::Scalar>,
        }

        impl<V: Vector> WithIsa for $working<'_, V>
        where
            V::Scalar: Vector<Scalar = V::Scalar>,
        {
            #[inline(always)]
            unsafe fn with_isa(self) {
                let job = self.job;
                let m = job.len();
                // SAFETY: terms k ≤ m/2 pair with m − k, and term 0 with m. Vectors have at most
                // half of the terms.
                unsafe {
                    job.ends();
                    if 2 * V::WIDTH <= m {
                        let last = (m / 2 - 1) / V::WIDTH * V::WIDTH + 1;
                        let middle = job.terms::<V>(last);
                        for k in (1..last).step_by(V::WIDTH) {
                            job.put(k, job.terms::<V>(k));
                        }
                        job.put(last, middle);
                    } else {
                        for k in 1..=m / 2 {
                            job.put(k, job.terms::<V::Scalar>(k));
                        }
                    }
                }
            }
        }
    };
}
over_pairs!(Unpack, Unpacking);
over_pairs!(Finish, Finishing);
over_pairs!(Pack, Packing);
over_pairs!(Start, Starting);

/// The first one of the mirror images of terms k … k + WIDTH − 1.
#[inline(always)]
fn mirror<V: Vector>(m: usize, k: usize) -> usize {
    m - k - (V::WIDTH - 1)
}

fn contiguous<S>(base: Ptr<S>) -> Strided<S> {
    Strided { base, stride: 1 }
}

impl<S: Vector<Scalar = S> + Scalar> Unpack<'_, S> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.m
    }

    #[inline(always)]
    unsafe fn ends(&self) {
        // SAFETY: the caller guarantees it.
        unsafe {
            let [first, last] = self.both_ends();
            self.x.write(first);
            self.x.add(2 * self.m - 1).write(last);
        }
    }

    #[inline(always)]
    unsafe fn both_ends(&self) -> [S; 2] {
        // SAFETY: the caller guarantees it.
        let (re, im) = unsafe { (self.z.read(), self.z.add(1).read()) };
        [re + im, re - im]
    }

    /// Terms k … k + WIDTH − 1 and their mirror images.
    #[inline(always)]
    unsafe fn terms<V: Vector<Scalar = S>>(&self, k: usize) -> [C<V>; 2] {
        let mirror = mirror::<V>(self.m, k);
        // SAFETY: the caller guarantees it.
        unsafe {
            let (a, b) =
                (load_interleaved::<V>(self.z.add(2 * k)), reversed(load_interleaved::<V>(self.z.add(2 * mirror))));
            let [a, b] = unpack(a, b, load_interleaved::<V>(Ptr::of(self.twiddles).add(k).cast()));
            [a, reversed(b)]
        }
    }

    #[inline(always)]
    unsafe fn put<V: Vector<Scalar = S>>(&self, k: usize, [a, b]: [C<V>; 2]) {
        // SAFETY: the caller guarantees it.
        unsafe {
            store_interleaved(self.x.add(2 * mirror::<V>(self.m, k) - 1), b);
            store_interleaved(self.x.add(2 * k - 1), a);
        }
    }
}

impl<S: Vector<Scalar = S> + Scalar> Finish<'_, S> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.unpack.m
    }

    #[inline(always)]
    unsafe fn ends(&self) {
        let line = self.fused.over(contiguous(self.to));
        // SAFETY: the caller guarantees it.
        unsafe {
            let [first, last] = self.unpack.both_ends();
            HalfSpectrum::<S>::put_end(line, 2 * self.len(), false, first);
            HalfSpectrum::<S>::put_end(line, 2 * self.len(), true, last);
            if let Some(LineFactors { list, by }) = self.factors {
                for (place, _) in self.fused.shape.ends {
                    let at = self.to.offset(place);
                    at.write(at.read() * (list.offset(place).read() * by));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn terms<V: Vector<Scalar = S>>(&self, k: usize) -> [C<V>; 2] {
        // SAFETY: the caller guarantees it.
        unsafe { self.unpack.terms(k) }
    }

    #[inline(always)]
    unsafe fn put<V: Vector<Scalar = S>>(&self, k: usize, [a, b]: [C<V>; 2]) {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.fused.put(self.to, mirror::<V>(self.unpack.m, k), b, self.factors);
            self.fused.put(self.to, k, a, self.factors);
        }
    }
}

impl<S: Vector<Scalar = S> + Scalar> Pack<'_, S> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.m
    }

    #[inline(always)]
    unsafe fn ends(&self) {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.put_both_ends([self.x.read(), self.x.add(2 * self.m - 1).read()]);
        }
    }

    #[inline(always)]
    unsafe fn put_both_ends(&self, [first, last]: [S; 2]) {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.z.write(first + last);
            self.z.add(1).write(first - last);
        }
    }

    /// Terms k … k + WIDTH − 1 and their mirror images.
    #[inline(always)]
    unsafe fn terms<V: Vector<Scalar = S>>(&self, k: usize) -> [C<V>; 2] {
        // SAFETY: the caller guarantees it.
        unsafe {
            let at = |k| load_interleaved::<V>(self.x.add(2 * k - 1));
            self.packed(k, at(k), at(mirror::<V>(self.m, k)))
        }
    }

    #[inline(always)]
    unsafe fn packed<V: Vector<Scalar = S>>(&self, k: usize, a: C<V>, b: C<V>) -> [C<V>; 2] {
        // SAFETY: the caller guarantees it.
        let [a, b] = pack(a, reversed(b), unsafe { load_interleaved::<V>(Ptr::of(self.twiddles).add(k).cast()) });
        [a, reversed(b)]
    }

    #[inline(always)]
    unsafe fn put<V: Vector<Scalar = S>>(&self, k: usize, [a, b]: [C<V>; 2]) {
        // SAFETY: the caller guarantees it.
        unsafe {
            store_interleaved(self.z.add(2 * mirror::<V>(self.m, k)), b);
            store_interleaved(self.z.add(2 * k), a);
        }
    }
}

impl<S: Vector<Scalar = S> + Scalar> Start<'_, S> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.pack.m
    }

    #[inline(always)]
    unsafe fn ends(&self) {
        let line = self.fused.over(contiguous(self.from));
        // SAFETY: the caller guarantees it.
        unsafe { self.pack.put_both_ends([false, true].map(|last| HalfSpectrum::<S>::end(line, 2 * self.len(), last))) }
    }

    #[inline(always)]
    unsafe fn terms<V: Vector<Scalar = S>>(&self, k: usize) -> [C<V>; 2] {
        // SAFETY: the caller guarantees it.
        unsafe {
            let at = |k| self.fused.get::<V>(self.from, k);
            self.pack.packed(k, at(k), at(mirror::<V>(self.pack.m, k)))
        }
    }

    #[inline(always)]
    unsafe fn put<V: Vector<Scalar = S>>(&self, k: usize, terms: [C<V>; 2]) {
        // SAFETY: the caller guarantees it.
        unsafe { self.pack.put(k, terms) }
    }
}

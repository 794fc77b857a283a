//! Passes of one short complex signal with interleaved numbers: (re, im) of a number are neighbours
//! in memory and in a vector.
//!
//! These passes are as those of [`along`](crate::cpu::dft::pass::along), but a vector has half as
//! many numbers. So a butterfly of radix 16 fits 32 registers, and no instructions separate real
//! and imaginary parts. But a product needs one instruction more, which exchanges the parts, and
//! twiddle factors take twice the memory. For this reason long signals use blocks.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::dft::pass::access::{for_radix, opaque};
use crate::cpu::dft::pass::along::{BLOCK, Block, Endpoints};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{ComplexVector, LANES, Scalar, Vector, WithIsa};
use crate::recipe::scheme::FIRST;
use std::array::from_fn;

/// The complex numbers of a block.
const NUMBERS: usize = LANES / 2;

/// One pass with interleaved numbers.
pub(crate) struct InterleavedPass<S> {
    radix: usize,
    groups: usize,
    inner: usize,
    /// For every block of k and every 1 ≤ j < r, w = w_{r·inner}^{jk} as (re, re) for each k, then
    /// as (−im, im) for each k. Empty if `inner` is 1.
    twiddles: Vec<Block<S>>,
}

impl<S: Scalar> InterleavedPass<S> {
    pub(crate) fn new(radix: usize, groups: usize, inner: usize) -> Self {
        let roots = Roots::new((radix * groups * inner) as u64);
        let root = |j: usize, k: usize| S::root(&roots, (groups * j * k) as u64);
        let block = |k: usize, j: usize| {
            let im = |i: usize| root(j, k + i / 2).im;
            Block {
                re: from_fn(|i| root(j, k + i / 2).re),
                im: from_fn(|i| if i % 2 == 0 { S::of(-im(i).to()) } else { im(i) }),
            }
        };
        let blocks = (0..inner / NUMBERS).flat_map(|b| (1..radix).map(move |j| (b * NUMBERS, j)));
        InterleavedPass { radix, groups, inner, twiddles: blocks.map(|(k, j)| block(k, j)).collect() }
    }

    /// The first pass, of radix [`FIRST`].
    ///
    /// # Safety
    /// The number of butterflies is at least that of complex numbers in a vector `V`. Source and
    /// destination have the elements of the signal and do not overlap. The CPU has the instructions
    /// of `V`.
    pub(crate) unsafe fn first<V: Vector<Scalar = S>>(&self, ends: &Endpoints<S>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match ends.backward {
                false => V::enter(First::<V::ComplexVector, false> { pass: self, ends }),
                true => V::enter(First::<V::ComplexVector, true> { pass: self, ends }),
            }
        }
    }

    /// Any later pass.
    ///
    /// # Safety
    /// As for [`InterleavedPass::first`].
    pub(crate) unsafe fn further<V: Vector<Scalar = S>>(&self, ends: &Endpoints<S>) {
        let one = S::of(1.0);
        let plain = ends.last.is_none_or(|scale| scale == one && !ends.backward);
        // SAFETY: the caller guarantees it.
        unsafe {
            match plain {
                true => {
                    for_radix!(self.radix, R => V::enter(Further::<V::ComplexVector, R, true> { pass: self, ends }))
                }
                false => {
                    for_radix!(self.radix, R => V::enter(Further::<V::ComplexVector, R, false> { pass: self, ends }))
                }
            }
        }
    }
}

struct First<'a, N: ComplexVector, const BACKWARD: bool> {
    pass: &'a InterleavedPass<N::Scalar>,
    ends: &'a Endpoints<N::Scalar>,
}

impl<N: ComplexVector<Scalar: Scalar>, const BACKWARD: bool> First<'_, N, BACKWARD> {
    /// The butterflies of elements l … l + COUNT − 1. The outputs of each butterfly are stored as
    /// neighbours.
    #[inline(always)]
    unsafe fn butterflies(&self, l: usize) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let (src, step) = (self.ends.src.add(2 * l), opaque(2 * self.pass.groups));
            let mut z = [N::load(src); FIRST];
            for j in 1..FIRST {
                z[j] = N::load(src.add(4 * step * (j / 4)).add(step * (j % 4)));
            }
            if BACKWARD {
                for z in &mut z {
                    *z = z.times_parts([N::Scalar::of(1.0), N::Scalar::of(-1.0)]);
                }
            }
            let mut z = z.dft();
            for q in (0..FIRST).step_by(N::COUNT) {
                N::transpose_square(&mut z[q..q + N::COUNT]);
                for i in 0..N::COUNT {
                    z[q + i].store(self.ends.dst.add(2 * ((l + i) * FIRST + q)));
                }
            }
        }
    }
}

impl<N: ComplexVector<Scalar: Scalar>, const BACKWARD: bool> WithIsa for First<'_, N, BACKWARD> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // The last vector begins at `groups` − COUNT, so some butterflies are computed twice.
        debug_assert!(self.pass.groups >= N::COUNT, "{} butterflies in vectors of {}", self.pass.groups, N::COUNT);
        let last = self.pass.groups - N::COUNT;
        for l in (0..self.pass.groups).step_by(N::COUNT) {
            // SAFETY: the caller of `InterleavedPass::first` guarantees that there are COUNT
            // butterflies.
            unsafe { self.butterflies(l.min(last)) }
        }
    }
}

/// A later pass. With `PLAIN` there are no factors on the results.
struct Further<'a, N: ComplexVector, const R: usize, const PLAIN: bool> {
    pass: &'a InterleavedPass<N::Scalar>,
    ends: &'a Endpoints<N::Scalar>,
}

impl<N: ComplexVector<Scalar: Scalar>, const R: usize, const PLAIN: bool> Further<'_, N, R, PLAIN>
where
    [N; R]: Dft,
{
    /// The butterflies of COUNT elements. The inputs begin at `src` and have the distance `step`.
    /// The outputs begin at `dst` and have the distance 2 · `inner`. Without `PLAIN`, their parts
    /// are multiplied by `by`.
    #[inline(always)]
    unsafe fn butterflies(
        &self,
        src: Ptr<N::Scalar>,
        step: usize,
        w: Ptr<N::Scalar>,
        dst: Ptr<N::Scalar>,
        by: [N::Scalar; 2],
    ) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let (mut z, step) = ([N::load(src); R], opaque(step));
            for j in 1..R {
                z[j] = N::load(src.add(4 * step * (j / 4)).add(step * (j % 4))).twiddle(w.add((j - 1) * BLOCK));
            }
            let (z, step) = (z.dft(), opaque(2 * self.pass.inner));
            for q in 0..R {
                let z = if PLAIN { z[q] } else { z[q].times_parts(by) };
                z.store(dst.add(4 * step * (q / 4)).add(step * (q % 4)));
            }
        }
    }
}

impl<N: ComplexVector<Scalar: Scalar>, const R: usize, const PLAIN: bool> WithIsa for Further<'_, N, R, PLAIN>
where
    [N; R]: Dft,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let InterleavedPass { groups, inner, ref twiddles, .. } = *self.pass;
        let scale = self.ends.last.unwrap_or(N::Scalar::of(1.0));
        let by = [scale, if self.ends.backward { N::Scalar::of(-scale.to()) } else { scale }];
        for l in 0..groups {
            for k in (0..inner).step_by(NUMBERS) {
                for lane in (0..LANES).step_by(2 * N::COUNT) {
                    // SAFETY: the butterfly reads sequences l + j·groups of `inner` elements,
                    // writes one of R·inner, and has the twiddle factors of all k.
                    unsafe {
                        let src = self.ends.src.add(2 * (l * inner + k) + lane);
                        let w = Ptr::of(twiddles).cast::<N::Scalar>().add(2 * (2 * k) * (R - 1) + lane);
                        let dst = self.ends.dst.add(2 * (l * R * inner + k) + lane);
                        self.butterflies(src, 2 * groups * inner, w, dst, by);
                    }
                }
            }
        }
    }
}

//! Complex butterflies.

use crate::arithmetic::butterfly::Dft;
use crate::arithmetic::complex::C;
use crate::cpu::dft::pass::access::{Steps, splat, zero};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};
use num_complex::Complex;

pub(crate) struct Complexes<'a, V: Vector, const R: usize> {
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: [Ptr<V>; 2],
    pub(crate) dst: [Ptr<V>; 2],
}

impl<V: Vector, const R: usize> Complexes<'_, V, R>
where
    [C<V>; R]: Dft,
{
    /// One butterfly. Input j is element `from` + j·`step`, and output q is element `to` +
    /// q·`inner`. A null `w` stands for twiddle factors that all are 1.
    #[inline(always)]
    unsafe fn butterfly(&self, from: usize, step: usize, to: usize, w: Ptr<Complex<V::Scalar>>) {
        // SAFETY: the caller stays within the pass.
        unsafe {
            let mut z = [zero(); R];
            for (j, z) in z.iter_mut().enumerate() {
                let at = 2 * (from + j * step);
                *z = C { re: self.src[0].add(at).read(), im: self.src[1].add(at).read() };
                if j > 0 && !w.is_null() {
                    *z = z.mul(splat(w.add(j - 1)));
                }
            }
            for (q, z) in z.dft().into_iter().enumerate() {
                let at = 2 * (to + q * self.steps.inner);
                self.dst[0].add(at).write(z.re);
                self.dst[1].add(at).write(z.im);
            }
        }
    }
}

impl<V: Vector, const R: usize> WithIsa for Complexes<'_, V, R>
where
    [C<V>; R]: Dft,
{
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Steps { groups, inner, ref twiddles, .. } = *self.steps;
        for l in 0..groups {
            // SAFETY: sequences l + j·groups of the source have `inner` elements each, and sequence
            // l of the destination has r·inner.
            unsafe {
                self.butterfly(l * inner, groups * inner, l * R * inner, Ptr::null());
                for k in 1..inner {
                    let w = Ptr::of(twiddles).add((k - 1) * (R - 1));
                    self.butterfly(l * inner + k, groups * inner, l * R * inner + k, w);
                }
            }
        }
    }
}

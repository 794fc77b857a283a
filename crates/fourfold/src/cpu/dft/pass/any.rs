//! Passes whose kernel is not a butterfly. They copy the elements of one small DFT to `work`.

use crate::arithmetic::complex::C;
use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::dft::factor::kernel::Kernel;
use crate::cpu::dft::pass::access::{Steps, get, put, splat};
use crate::cpu::dft::permuted::Permuted;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};

/// A pass on complex data, as [`Complexes`](crate::cpu::dft::pass::complex::Complexes).
pub(crate) struct AnyComplex<'a, V: Vector, D> {
    pub(crate) kernel: &'a Kernel<V::Scalar, D>,
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: [Ptr<V>; 2],
    pub(crate) dst: [Ptr<V>; 2],
    pub(crate) work: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for AnyComplex<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Steps { groups, inner, ref twiddles } = *self.steps;
        let (kernel, r) = (self.kernel, self.kernel.len());
        // SAFETY: `work` begins with r complex elements. The rest is as in `Complexes`.
        unsafe {
            let (z, work) = (self.work.cast::<C<V>>(), self.work.add(2 * r));
            for butterfly in 0..groups * inner {
                let (l, k) = (butterfly / inner, butterfly % inner);
                for j in 0..r {
                    let at = 2 * ((l + j * groups) * inner + k);
                    let x = C { re: self.src[0].add(at).read(), im: self.src[1].add(at).read() };
                    let rotated = j > 0 && k > 0;
                    z.add(j).write(if rotated {
                        x.mul(splat(Ptr::of(&twiddles[(k - 1) * (r - 1) + j - 1..])))
                    } else {
                        x
                    });
                }
                kernel.dft(z, work);
                for q in 0..r {
                    let at = 2 * (l * r * inner + k + q * inner);
                    self.dst[0].add(at).write(z.add(q).read().re);
                    self.dst[1].add(at).write(z.add(q).read().im);
                }
            }
        }
    }
}

pub(crate) struct AnyForward<'a, V: Vector, D> {
    pub(crate) kernel: &'a Kernel<V::Scalar, D>,
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: Permuted<V::Scalar>,
    pub(crate) dst: Ptr<V>,
    pub(crate) work: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for AnyForward<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Steps { groups, inner: m, ref twiddles } = *self.steps;
        let (kernel, r) = (self.kernel, self.kernel.len());
        // SAFETY: as in `Forward`. `work` begins with r complex elements.
        unsafe {
            let (z, rest) = (self.work.cast::<C<V>>(), self.work.add(2 * r));
            let real = self.work;
            for l in 0..groups {
                let dst = self.dst.add(l * r * m);
                for j in 0..r {
                    real.add(j).write(self.src.load((l + j * groups) * m));
                }
                kernel.half_spectrum(real, rest);
                dst.write(real.read());
                for q in 1..=r / 2 {
                    put(dst, r * m, q * m, false, get(real, r, q, false));
                }
                for k in 1..=m / 2 {
                    for j in 0..r {
                        let x = if 2 * k == m {
                            C { re: self.src.load((l + j * groups) * m + m - 1), im: V::zero() }
                        } else {
                            C {
                                re: self.src.load((l + j * groups) * m + 2 * k - 1),
                                im: self.src.load((l + j * groups) * m + 2 * k),
                            }
                        };
                        z.add(j).write(if j > 0 {
                            x.mul(splat(Ptr::of(&twiddles[(k - 1) * (r - 1) + j - 1..])))
                        } else {
                            x
                        });
                    }
                    kernel.dft(z, rest);
                    if 2 * k == m {
                        dst.add(r * m - 1).write(z.add(r / 2).read().re);
                    }
                    let count = if 2 * k == m { r / 2 } else { r };
                    for q in 0..count {
                        put(dst, r * m, k + q * m, 2 * q >= r, z.add(q).read());
                    }
                }
            }
        }
    }
}

pub(crate) struct AnyBackward<'a, V: Vector, D> {
    pub(crate) kernel: &'a Kernel<V::Scalar, D>,
    pub(crate) steps: &'a Steps<V::Scalar>,
    pub(crate) src: Ptr<V>,
    pub(crate) dst: Permuted<V::Scalar>,
    pub(crate) work: Ptr<V>,
}

impl<V: Vector, D: Inner<V::Scalar>> WithIsa for AnyBackward<'_, V, D> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Steps { groups, inner: m, ref twiddles } = *self.steps;
        let (kernel, r) = (self.kernel, self.kernel.len());
        // SAFETY: as in `AnyForward`.
        unsafe {
            let (z, rest) = (self.work.cast::<C<V>>(), self.work.add(2 * r));
            let real = self.work;
            for l in 0..groups {
                let src = self.src.add(l * r * m);
                let to = &self.dst;
                real.write(src.read());
                for q in 1..=r / 2 {
                    put(real, r, q, false, get(src, r * m, q * m, false));
                }
                kernel.signal(real, rest);
                for j in 0..r {
                    to.store((l + j * groups) * m, real.add(j).read());
                }
                for k in 1..=m / 2 {
                    for q in 0..r {
                        let x = if 2 * (k + q * m) == r * m {
                            C { re: src.add(r * m - 1).read(), im: V::zero() }
                        } else {
                            get(src, r * m, k + q * m, 2 * (k + q * m) > r * m)
                        };
                        z.add(q).write(x.swap());
                    }
                    kernel.dft(z, rest);
                    for j in 0..r {
                        let x = z.add(j).read().swap();
                        let x =
                            if j > 0 { x.mul_conj(splat(Ptr::of(&twiddles[(k - 1) * (r - 1) + j - 1..]))) } else { x };
                        if 2 * k == m {
                            to.store((l + j * groups) * m + m - 1, x.re);
                        } else {
                            to.store((l + j * groups) * m + 2 * k - 1, x.re);
                            to.store((l + j * groups) * m + 2 * k, x.im);
                        }
                    }
                }
            }
        }
    }
}

//! Bluestein's convolution. [`crate::recipe::rules::bluestein`] has the formula.

use crate::arithmetic::complex::C;
use crate::arithmetic::twiddle::Roots;
use crate::cpu::dft::factor::inner::Inner;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Scalar, Vector, WithIsa};
use crate::recipe::reduction::Data;
use crate::recipe::scheme::{Factor, length};
use num_complex::Complex;

/// The tables of Bluestein's convolution, and its inner DFT of length M.
pub(crate) struct Bluestein<S, D> {
    chirp: Vec<Complex<S>>,
    dft: D,
    /// The DFT of the conjugate chirp, divided by M.
    spectrum: Vec<Complex<S>>,
}

/// The chirp c_j = exp(−πi j²/n), j < n, and the DFT of the M-periodic sequence conj(c_{|j|})/M,
/// −`inputs` < j < `outputs`, where M is the length of `inner`.
pub(crate) fn tables<S: Scalar, D: Inner<S>>(
    n: usize,
    [inputs, outputs]: [usize; 2],
    inner: &[Factor],
) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
    let (m, roots) = (length(inner), Roots::new(2 * n as u64));
    let chirp: Vec<_> = (0..n as u128).map(|j| roots.get((j * j % (2 * n as u128)) as u64)).collect();
    let mut spectrum = vec![Complex::new(0.0, 0.0); m];
    for (j, c) in chirp.iter().enumerate() {
        let value = c.conj() / m as f64;
        if j < outputs {
            spectrum[j] = value;
        }
        if j < inputs {
            spectrum[(m - j) % m] = value;
        }
    }
    D::of_table(inner, &mut spectrum);
    (chirp, spectrum)
}

impl<S: Scalar, D: Inner<S>> Bluestein<S, D> {
    pub(crate) fn new(n: usize, inner: &[Factor]) -> Self {
        let (chirp, spectrum) = tables::<S, D>(n, [n; 2], inner);
        let of = |z: &Complex<f64>| Complex::new(S::of(z.re), S::of(z.im));
        Bluestein {
            chirp: chirp.iter().map(of).collect(),
            dft: D::new(Data::Complex, inner),
            spectrum: spectrum.iter().map(of).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.chirp.len()
    }

    /// Implements [`Kernel::dft`](crate::cpu::dft::factor::kernel::Kernel::dft).
    pub(crate) unsafe fn dft<V: Vector<Scalar = S>>(&self, z: Ptr<C<V>>, work: Ptr<V>) {
        let m = self.dft.len();
        // SAFETY: the caller guarantees it. `work` has two buffers of m complex elements, then the
        // work vectors of the inner DFT.
        unsafe {
            let (a, b, work) = (work, work.add(2 * m), work.add(4 * m));
            V::enter(Multiply { by: &self.chirp, from: z, to: a.cast(), pad: m });
            let spectrum = self.dft.complex([a, a.add(1)], b, a, work);
            V::enter(Multiply { by: &self.spectrum, from: spectrum.cast::<C<V>>(), to: spectrum.cast(), pad: m });
            let other = if spectrum == a { b } else { a };
            let sums = self.dft.complex([spectrum.add(1), spectrum], other, spectrum, work);
            // The parts of this backward DFT's result are exchanged. The multiply by the chirp
            // exchanges them again.
            V::enter(MultiplySwapped { by: &self.chirp, from: sums.cast(), to: z });
        }
    }
}

/// to_j = from_j · by_j, and to_j = 0 after the last by_j up to `pad`.
struct Multiply<'a, V: Vector> {
    by: &'a [Complex<V::Scalar>],
    from: Ptr<C<V>>,
    to: Ptr<C<V>>,
    pad: usize,
}

impl<V: Vector> WithIsa for Multiply<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        // SAFETY: `to` has `pad` elements, and `from` has as many as the table.
        unsafe {
            for (j, w) in self.by.iter().enumerate() {
                self.to.add(j).write(self.from.add(j).read().mul(C { re: V::splat(w.re), im: V::splat(w.im) }));
            }
            for j in self.by.len()..self.pad {
                self.to.add(j).write(C { re: V::zero(), im: V::zero() });
            }
        }
    }
}

struct MultiplySwapped<'a, V: Vector> {
    by: &'a [Complex<V::Scalar>],
    from: Ptr<C<V>>,
    to: Ptr<C<V>>,
}

impl<V: Vector> WithIsa for MultiplySwapped<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for (j, w) in self.by.iter().enumerate() {
            // SAFETY: both have as many elements as the table.
            unsafe {
                self.to.add(j).write(self.from.add(j).read().swap().mul(C { re: V::splat(w.re), im: V::splat(w.im) }));
            }
        }
    }
}

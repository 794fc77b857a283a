//! The O(p²) sum, and the conversions by which complex kernels compute DFTs of real data.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};
use num_complex::Complex;

/// The number of terms that are summed separately before they are added to the sum. The rounding
/// error of m terms then grows as √(BLOCK + m/BLOCK) instead of √m (N. J. Higham, "The accuracy of
/// floating point summation", SIAM J. Sci. Comput. 14, 1993). Blocks also do not depend on each
/// other, so the processor computes several at the same time.
const BLOCK: usize = 4;

/// X_k = x_0 + Σ_j (x_j + x_{p−j}) cos(2πjk/p) − i Σ_j (x_j − x_{p−j}) sin(2πjk/p), 1 ≤ j ≤
/// (p−1)/2, for odd p.
pub(crate) struct Direct<'a, V: Vector> {
    pub(crate) table: &'a [Complex<V::Scalar>],
    pub(crate) z: Ptr<C<V>>,
    pub(crate) work: Ptr<C<V>>,
}

impl<V: Vector> WithIsa for Direct<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Direct { table, z, work } = self;
        let (p, half) = (table.len(), table.len() / 2);
        // SAFETY: z and work have p elements each.
        unsafe {
            let first = z.read();
            for j in 1..=half {
                let (a, b) = (z.add(j).read(), z.add(p - j).read());
                work.add(j).write(a + b);
                work.add(p - j).write(a - b);
                z.write(z.read() + (a + b));
            }
            for k in 1..=half {
                let (mut a, mut b, mut at) = (first, zero(), 0);
                for block in 0..half / BLOCK {
                    let (c, d) = terms(table, work, k, &mut at, 1 + block * BLOCK, BLOCK);
                    (a, b) = (a + c, b + d);
                }
                let rest = half % BLOCK;
                let (c, d) = terms(table, work, k, &mut at, half + 1 - rest, rest);
                (a, b) = (a + c, b + d);
                z.add(k).write(a + b.times_minus_i());
                z.add(p - k).write(a + b.times_i());
            }
        }
    }
}

/// Terms `from` … `from + count − 1` of the two sums of output k. `at` is k · (`from` − 1) mod p,
/// and is updated.
///
/// # Safety
/// As for [`Direct`].
#[inline(always)]
unsafe fn terms<V: Vector>(
    table: &[Complex<V::Scalar>],
    work: Ptr<C<V>>,
    k: usize,
    at: &mut usize,
    from: usize,
    count: usize,
) -> (C<V>, C<V>) {
    let p = table.len();
    // SAFETY: the caller guarantees it.
    let (mut a, mut b) = unsafe { (zero(), zero()) };
    for j in from..from + count {
        *at = if *at + k >= p { *at + k - p } else { *at + k };
        // SAFETY: the caller guarantees it.
        let (c, s, sum, difference): (V, V, C<V>, C<V>) =
            unsafe { (V::splat(table[*at].re), V::splat(table[*at].im), work.add(j).read(), work.add(p - j).read()) };
        a = C { re: sum.re.mul_add(c, a.re), im: sum.im.mul_add(c, a.im) };
        b = C { re: difference.re.mul_add(s, b.re), im: difference.im.mul_add(s, b.im) };
    }
    (a, b)
}

/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn zero<V: Vector>() -> C<V> {
    // SAFETY: the caller guarantees it.
    unsafe { C { re: V::zero(), im: V::zero() } }
}

/// Converts n reals to n complex numbers in place.
pub(crate) struct RealToComplex<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for RealToComplex<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in (0..self.n).rev() {
            // SAFETY: x has 2n vectors. The loop descends, so vector i is read before it is
            // overwritten.
            unsafe {
                self.x.add(2 * i).write(self.x.add(i).read());
                self.x.add(2 * i + 1).write(V::zero());
            }
        }
    }
}

/// Converts the first half of a spectrum of n complex numbers to a half spectrum in place. Im X_0
/// is removed, and all later reals move down by one.
pub(crate) struct SpectrumToHalf<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for SpectrumToHalf<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in 1..self.n {
            // SAFETY: x has 2n vectors.
            unsafe { self.x.add(i).write(self.x.add(i + 1).read()) }
        }
    }
}

/// Converts a half spectrum of odd length n to n complex numbers in place. Their parts are
/// exchanged, so that a forward DFT computes the backward one.
pub(crate) struct HalfToSpectrum<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for HalfToSpectrum<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let (n, x) = (self.n, self.x);
        // SAFETY: x has 2n vectors. Term k reads vectors 2k−1 and 2k, and writes 2k, 2k+1 and those
        // of term n − k. The loop descends, so each vector is read before it is overwritten.
        unsafe {
            for k in (1..=n / 2).rev() {
                let (re, im) = (x.add(2 * k - 1).read(), x.add(2 * k).read());
                x.add(2 * (n - k)).write(-im);
                x.add(2 * (n - k) + 1).write(re);
                x.add(2 * k).write(im);
                x.add(2 * k + 1).write(re);
            }
            x.add(1).write(x.read());
            x.write(V::zero());
        }
    }
}

/// Converts n complex numbers with exchanged parts to their n real parts, in place.
pub(crate) struct ImaginaryParts<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for ImaginaryParts<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in 0..self.n {
            // SAFETY: x has 2n vectors. The loop ascends, so vector 2i + 1 is read before it is
            // overwritten.
            unsafe { self.x.add(i).write(self.x.add(2 * i + 1).read()) }
        }
    }
}

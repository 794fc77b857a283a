//! The O(p²) sum, and the conversions by which complex kernels compute DFTs of real data.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};
use num_complex::Complex;
use std::ops::{Add, Sub};

/// The number of terms that are summed separately before they are added to the sum. The rounding
/// error of m terms then grows as √(BLOCK + m/BLOCK) instead of √m (N. J. Higham, "The accuracy of
/// floating point summation", SIAM J. Sci. Comput. 14, 1993). Blocks also do not depend on each
/// other, so the processor computes several at the same time.
const BLOCK: usize = 4;

/// The number of outputs that are summed together, so that each term is read once for all of them.
const TOGETHER: usize = 2;

/// Numbers of a direct sum: vectors of reals, or of complex numbers.
trait Number<V>: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// # Safety
    /// The CPU has the instructions of `V`.
    unsafe fn zero() -> Self;

    /// self · w + b.
    fn times_plus(self, w: V, b: Self) -> Self;
}

impl<V: Vector> Number<V> for V {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees it.
        unsafe { V::zero() }
    }

    #[inline(always)]
    fn times_plus(self, w: V, b: Self) -> Self {
        self.mul_add(w, b)
    }
}

impl<V: Vector> Number<V> for C<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees it.
        unsafe { C { re: V::zero(), im: V::zero() } }
    }

    #[inline(always)]
    fn times_plus(self, w: V, b: Self) -> Self {
        C { re: self.re.mul_add(w, b.re), im: self.im.mul_add(w, b.im) }
    }
}

/// A_k = `first` + Σ_j s_j cos(2πjk/p) and B_k = Σ_j d_j sin(2πjk/p), 1 ≤ j ≤ (p−1)/2, for odd p.
struct Sums<'a, V: Vector, X> {
    table: &'a [Complex<V::Scalar>],
    first: X,
    /// s_j at j and d_j at p − j.
    terms: Ptr<X>,
}

impl<V: Vector, X: Number<V>> Sums<'_, V, X> {
    /// Calls `put` with k, A_k and B_k for all 1 ≤ k ≤ (p−1)/2.
    ///
    /// # Safety
    /// There are p terms, and the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn for_each(&self, mut put: impl FnMut(usize, X, X)) {
        let half = self.table.len() / 2;
        let together = half / TOGETHER * TOGETHER;
        // SAFETY: the caller guarantees it.
        unsafe {
            for k in (1..=together).step_by(TOGETHER) {
                let sums = self.outputs::<TOGETHER>(k);
                sums.into_iter().enumerate().for_each(|(i, [a, b])| put(k + i, a, b));
            }
            for k in together + 1..=half {
                let [[a, b]] = self.outputs::<1>(k);
                put(k, a, b);
            }
        }
    }

    /// A and B of outputs k … k + K − 1.
    #[inline(always)]
    unsafe fn outputs<const K: usize>(&self, k: usize) -> [[X; 2]; K] {
        let half = self.table.len() / 2;
        // SAFETY: the caller guarantees it.
        unsafe {
            let (mut sums, mut at) = ([[self.first, X::zero()]; K], [0; K]);
            for block in 0..half / BLOCK {
                self.add::<K>(&mut sums, &mut at, k, 1 + block * BLOCK, BLOCK);
            }
            self.add::<K>(&mut sums, &mut at, k, half + 1 - half % BLOCK, half % BLOCK);
            sums
        }
    }

    /// Adds terms `from` … `from + count − 1` to the sums of outputs k … k + K − 1. `at` has their
    /// k · (`from` − 1) mod p, and is updated.
    #[inline(always)]
    unsafe fn add<const K: usize>(
        &self,
        sums: &mut [[X; 2]; K],
        at: &mut [usize; K],
        k: usize,
        from: usize,
        count: usize,
    ) {
        let p = self.table.len();
        // SAFETY: the caller guarantees it.
        unsafe {
            let mut parts = [[X::zero(); 2]; K];
            for j in from..from + count {
                let (sum, difference) = (self.terms.add(j).read(), self.terms.add(p - j).read());
                for i in 0..K {
                    let next = at[i] + k + i;
                    at[i] = if next >= p { next - p } else { next };
                    let root = self.table[at[i]];
                    let [a, b] = parts[i];
                    parts[i] = [sum.times_plus(V::splat(root.re), a), difference.times_plus(V::splat(root.im), b)];
                }
            }
            for i in 0..K {
                sums[i] = [sums[i][0] + parts[i][0], sums[i][1] + parts[i][1]];
            }
        }
    }
}

/// X_k = x_0 + Σ_j (x_j + x_{p−j}) cos(2πjk/p) − i Σ_j (x_j − x_{p−j}) sin(2πjk/p) in place.
pub(crate) struct Direct<'a, V: Vector> {
    pub(crate) table: &'a [Complex<V::Scalar>],
    pub(crate) z: Ptr<C<V>>,
    pub(crate) work: Ptr<C<V>>,
}

impl<V: Vector> WithIsa for Direct<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let Direct { table, z, work } = self;
        let p = table.len();
        // SAFETY: z and work have p elements each.
        unsafe {
            let first = z.read();
            z.write(split(p, first, z, work));
            Sums { table, first, terms: work }.for_each(|k, a, b| {
                z.add(k).write(a + b.times_minus_i());
                z.add(p - k).write(a + b.times_i());
            });
        }
    }
}

/// The half spectrum of reals in place, by the same formula.
pub(crate) struct DirectReal<'a, V: Vector> {
    pub(crate) table: &'a [Complex<V::Scalar>],
    pub(crate) x: Ptr<V>,
    pub(crate) work: Ptr<V>,
}

impl<V: Vector> WithIsa for DirectReal<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let DirectReal { table, x, work } = self;
        // SAFETY: x and work have p vectors each.
        unsafe {
            let first = x.read();
            x.write(split(table.len(), first, x, work));
            Sums { table, first, terms: work }.for_each(|k, a, b| {
                x.add(2 * k - 1).write(a);
                x.add(2 * k).write(-b);
            });
        }
    }
}

/// The reals of a half spectrum in place: x_n, x_{p−n} = X_0 + Σ_k 2 Re X_k cos(2πnk/p) ∓ Σ_k 2 Im X_k
/// sin(2πnk/p), 1 ≤ k ≤ (p−1)/2.
pub(crate) struct DirectSignal<'a, V: Vector> {
    pub(crate) table: &'a [Complex<V::Scalar>],
    pub(crate) x: Ptr<V>,
    pub(crate) work: Ptr<V>,
}

impl<V: Vector> WithIsa for DirectSignal<'_, V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let DirectSignal { table, x, work } = self;
        let p = table.len();
        // SAFETY: x and work have p vectors each.
        unsafe {
            let first = x.read();
            let mut all = first;
            for k in 1..=p / 2 {
                let (re, im) = (x.add(2 * k - 1).read(), x.add(2 * k).read());
                work.add(k).write(re + re);
                work.add(p - k).write(im + im);
                all = all + (re + re);
            }
            x.write(all);
            Sums { table, first, terms: work }.for_each(|n, a, b| {
                x.add(n).write(a - b);
                x.add(p - n).write(a + b);
            });
        }
    }
}

/// Writes x_j + x_{p−j} and x_j − x_{p−j} to `terms`, and returns the sum of all x.
///
/// # Safety
/// Both have p elements.
#[inline(always)]
unsafe fn split<V: Vector, X: Number<V>>(p: usize, first: X, x: Ptr<X>, terms: Ptr<X>) -> X {
    let mut all = first;
    for j in 1..=p / 2 {
        // SAFETY: the caller guarantees it.
        unsafe {
            let (a, b) = (x.add(j).read(), x.add(p - j).read());
            terms.add(j).write(a + b);
            terms.add(p - j).write(a - b);
            all = all + (a + b);
        }
    }
    all
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

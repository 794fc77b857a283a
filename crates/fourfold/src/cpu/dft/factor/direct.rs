//! The O(p²) sum, and the moves that let a complex kernel do real data.

use crate::arithmetic::complex::C;
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{Vector, WithIsa};
use num_complex::Complex;

/// Terms that are summed by themselves before they join the sum: of m terms, rounding then grows as
/// √(BLOCK + m/BLOCK) and not as √m (Higham, "The accuracy of floating point summation", 1993), and
/// blocks need not wait for each other.
const BLOCK: usize = 4;

/// X_k = x_0 + Σ_j (x_j + x_{p−j}) cos − i (x_j − x_{p−j}) sin of 2πjk/p, for odd p.
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
        // SAFETY: z and work hold p elements each.
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

/// Terms `from` … `from + count − 1` of output k: the cosines of the sums in `work`, and the sines
/// of the differences. `at` is k · (`from` − 1) mod p, and goes on.
///
/// # Safety
/// As in [`Direct`].
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
    // SAFETY: the caller's.
    let (mut a, mut b) = unsafe { (zero(), zero()) };
    for j in from..from + count {
        *at = if *at + k >= p { *at + k - p } else { *at + k };
        // SAFETY: the caller's.
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
    // SAFETY: the caller's.
    unsafe { C { re: V::zero(), im: V::zero() } }
}

/// n reals become n complex numbers, from the last on.
pub(crate) struct Spread<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for Spread<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in (0..self.n).rev() {
            // SAFETY: x holds 2n vectors; place 2i is never below i.
            unsafe {
                self.x.add(2 * i).write(self.x.add(i).read());
                self.x.add(2 * i + 1).write(V::zero());
            }
        }
    }
}

/// The first half of n complex numbers becomes a half spectrum: Im X_0 goes, all else moves down by
/// one.
pub(crate) struct Pack<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for Pack<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in 1..self.n {
            // SAFETY: x holds 2n vectors.
            unsafe { self.x.add(i).write(self.x.add(i + 1).read()) }
        }
    }
}

/// A half spectrum of odd length n becomes n complex numbers with parts exchanged, so that a
/// forward DFT goes backwards.
pub(crate) struct Unpack<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for Unpack<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        let (n, x) = (self.n, self.x);
        // SAFETY: x holds 2n vectors; upper terms are written before the lower ones that they come
        // from, and those from the top down: term k needs places 2k−1 and 2k and writes 2k and
        // 2k+1.
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

/// n complex numbers with parts exchanged become their n real parts.
pub(crate) struct Imaginary<V: Vector> {
    pub(crate) n: usize,
    pub(crate) x: Ptr<V>,
}

impl<V: Vector> WithIsa for Imaginary<V> {
    #[inline(always)]
    unsafe fn with_isa(self) {
        for i in 0..self.n {
            // SAFETY: x holds 2n vectors; place 2i+1 is always above i.
            unsafe { self.x.add(i).write(self.x.add(2 * i + 1).read()) }
        }
    }
}

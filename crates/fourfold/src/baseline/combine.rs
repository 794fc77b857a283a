//! The combine of d axes at once, generic over [`Real`]. This is the arithmetic of one thread of
//! the paper's kernels (eq. 14, 15, 17, 18).
//!
//! With a = e^{−iπk/(2N)} along each axis, a DCT-II is Σ over all signs of ±k of Π a^{±1} · V(±k₁,
//! …, ±k_d), where V is the DFT of the reordered reals. Its terms at N − k come from the same
//! values of V, since a_{N−k} = −i ā_k. Along every axis except the last, the step is
//!
//! (V₊, V₋) → (a V₊ + ā V₋, i (a V₊ − ā V₋)),
//!
//! and along the last one, where V₋ is the conjugate of V₊ with all signs changed, z → (Re b z, −Im
//! b z), with a factor 2 that is part of the table of b. So 2^{d−1} numbers of a half spectrum give
//! 2^d outputs. (In the paper, eq. 14 has X(N₁, n₂) = 0. Since the DFT is periodic, it must be X(0,
//! n₂).)
//!
//! A DCT-III uses the inverse steps: (x_k, x_{N−k}) → b̄ (x_k − i x_{N−k}), then (w, u) → (ā (w − i
//! u), a (w + i u)), with x_N = 0.
//!
//! The indices of arrays are bit sets: bit i is set if axis i has −k or N − k instead of k.

use crate::arithmetic::complex::C;
use crate::arithmetic::real::Real;

/// Computes the outputs at k_d and at N_d − k_d, for all combinations of k and N − k along the
/// other axes, from V at (±k₁, …, k_d).
#[inline(always)]
pub fn after<T: Real, const H: usize>(rotations: &[C<T>], mut v: [C<T>; H]) -> [[T; H]; 2] {
    let [others @ .., last] = rotations else { unreachable!("a combine has an axis") };
    for (axis, a) in others.iter().enumerate() {
        for i in (0..H).filter(|i| i >> axis & 1 == 0) {
            let j = i | 1 << axis;
            let (p, q) = (v[i].mul(*a), v[j].mul_conj(*a));
            (v[i], v[j]) = (p + q, (p - q).times_i());
        }
    }
    let mut y = [[v[0].re; H]; 2];
    for i in 0..H {
        let z = v[i].mul(*last);
        (y[0][i], y[1][i]) = (z.re, -z.im);
    }
    y
}

/// Computes only the first output of [`after`]. This is the naive combine, which takes 10
/// multiplications and 7 additions for two axes.
#[inline(always)]
pub fn after_one<T: Real, const H: usize>(rotations: &[C<T>], mut v: [C<T>; H]) -> T {
    let [others @ .., last] = rotations else { unreachable!("a combine has an axis") };
    for (axis, a) in others.iter().enumerate() {
        for i in (0..H).filter(|i| i & ((2 << axis) - 1) == 0) {
            v[i] = v[i].mul(*a) + v[i | 1 << axis].mul_conj(*a);
        }
    }
    v[0].re.mul_sub(last.re, v[0].im * last.im)
}

/// Computes V at (±k₁, …, k_d) from the inputs at k_d and at N_d − k_d.
#[inline(always)]
pub fn before<T: Real, const H: usize>(rotations: &[C<T>], x: [[T; H]; 2]) -> [C<T>; H] {
    let [others @ .., last] = rotations else { unreachable!("a combine has an axis") };
    let mut v = pairs(*last, x);
    for (axis, a) in others.iter().enumerate().rev() {
        for i in (0..H).filter(|i| i >> axis & 1 == 0) {
            let j = i | 1 << axis;
            let (w, u) = (v[i], v[j].times_i());
            (v[i], v[j]) = ((w - u).mul_conj(*a), (w + u).mul(*a));
        }
    }
    v
}

/// Computes only the first number of [`before`].
#[inline(always)]
pub fn before_one<T: Real, const H: usize>(rotations: &[C<T>], x: [[T; H]; 2]) -> C<T> {
    let [others @ .., last] = rotations else { unreachable!("a combine has an axis") };
    let mut v = pairs(*last, x);
    for (axis, a) in others.iter().enumerate().rev() {
        for i in 0..1 << axis {
            v[i] = (v[i] - v[i | 1 << axis].times_i()).mul_conj(*a);
        }
    }
    v[0]
}

/// b̄ (x_k − i x_{N−k}).
#[inline(always)]
fn pairs<T: Real, const H: usize>(b: C<T>, [x, mirrored]: [[T; H]; 2]) -> [C<T>; H] {
    let mut v = [b; H];
    for i in 0..H {
        v[i] = C { re: x[i], im: -mirrored[i] }.mul_conj(b);
    }
    v
}

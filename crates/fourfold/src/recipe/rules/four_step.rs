//! One long DFT of length M = N₁·N₂ as DFTs of the columns and rows of a matrix: the four-step
//! method (D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990). A
//! single signal then has many lines to fill the SIMD lanes, and a tile of them fits the cache.
//!
//! With n = N₂n₁ + n₂ and k = k₁ + N₁k₂,
//!
//! X\[k₁ + N₁k₂\] = Σ_{n₂} w_{N₂}^{n₂k₂} · w_M^{n₂k₁} · Σ_{n₁} x\[N₂n₁ + n₂\] w_{N₁}^{n₁k₁}:
//!
//! These are N₂ DFTs of length N₁ along the columns, a multiply, and N₁ DFTs of length N₂ along the
//! rows, whose results are stored transposed.
//!
//! Real data of even length N = 2M are read as M complex numbers z_m = v_{2m} + i v_{2m+1}. With E
//! and O the half spectra of the elements with even and odd indices,
//!
//! 2E_k = Z_k + Z̄_{M−k},  2O_k = −i(Z_k − Z̄_{M−k}),  V_k = E_k + w_N^k O_k,  V_{M−k} = conj(E_k −
//! w_N^k O_k),
//!
//! Backwards, Z_k = E_k + iO_k with E_k = V_k + V̄_{M−k}, O_k = (V_k − V̄_{M−k}) w_N^{−k}. Real
//! data of odd length do not use this method.

use crate::arithmetic::complex::C;
use crate::arithmetic::primes::prime_factors;
use crate::arithmetic::real::Real;
use crate::recipe::reduction::Data;
use crate::recipe::rules::mixed_radix::LONGEST;

/// The least length. Below it, a vector with only one lane in use is as fast.
const LEAST: usize = 512;

/// The least length of columns and rows.
const SHORTEST: usize = 16;

/// The most lines for which the four-step method is faster than the batched scheme.
const FEW: usize = 2;

/// The greatest length for which many lines are batched. A tile of longer lines does not fit the
/// cache.
pub(crate) const LONG: usize = 1 << 15;

/// The lengths (N₁, N₂) of columns and rows for a DFT of `len` elements, if the planner chooses the
/// four-step method for it.
pub(crate) fn lengths(data: Data, len: usize, lines: usize) -> Option<(usize, usize)> {
    if len < LEAST {
        return None;
    }
    let (a, b) = balanced(single(data, len, lines, FEW)?);
    (a.min(b) >= SHORTEST).then_some((a, b))
}

/// Products (N₁, N₂) of n, the most equal first.
pub(crate) fn splits(n: usize) -> Vec<(usize, usize)> {
    let (a, b) = balanced(n);
    let all = [(a, b), (b, a), (2 * a, b / 2), (a / 2, 2 * b), (4 * a, b / 4), (a / 4, 4 * b)];
    let mut kept = vec![];
    for (a, b) in all {
        if a * b == n && a.min(b) >= SHORTEST && !kept.contains(&(a, b)) {
            kept.push((a, b));
        }
    }
    kept
}

/// The number of complex elements in a DFT of `len`, if its lines are better computed one by one.
/// That is so for at most `few` lines, which leave most lanes empty, and for lines so long that a
/// tile of them does not fit the cache.
pub(crate) fn single(data: Data, len: usize, lines: usize, few: usize) -> Option<usize> {
    if len > LONGEST || (lines > few && len <= LONG) { None } else { complex_length(data, len) }
}

/// The number M of complex elements in a DFT of `len`. `None` for real data of odd length.
pub(crate) fn complex_length(data: Data, len: usize) -> Option<usize> {
    match data {
        Data::Complex | Data::ComplexBackward => Some(len),
        Data::Real | Data::Hermitian => (len % 2 == 0).then_some(len / 2),
    }
}

/// The DFT that is computed for a DFT of `len` elements of a single line: a complex one of pairs where
/// there is an even number of reals.
pub(crate) fn of_line(data: Data, len: usize) -> (Data, usize) {
    match data {
        Data::Real if len.is_multiple_of(2) => (Data::Complex, len / 2),
        Data::Hermitian if len.is_multiple_of(2) => (Data::ComplexBackward, len / 2),
        _ => (data, len),
    }
}

/// Two factors of n. Each prime, from the largest to the least, multiplies the smaller one of the
/// two.
fn balanced(n: usize) -> (usize, usize) {
    prime_factors(n).into_iter().rev().fold((1, 1), |(a, b), p| if a <= b { (a * p, b) } else { (a, b * p) })
}

/// The terms V_k and V_{M−k} of the half spectrum from a = Z_k and b = Z_{M−k}, the terms of the
/// DFT of pairs, and w = w_N^k.
#[inline(always)]
pub fn unpack<T: Real>(a: C<T>, b: C<T>, w: C<T>) -> [C<T>; 2] {
    let half = a.re.constant(0.5);
    let even = (a + b.conj()).scale(half);
    let odd = (a - b.conj()).scale(half).times_minus_i().mul(w);
    [even + odd, (even - odd).conj()]
}

/// The inverse of [`unpack`] times 2, for a backward DFT: Z_k and Z_{M−k} from a = V_k and b =
/// V_{M−k}.
#[inline(always)]
pub fn pack<T: Real>(a: C<T>, b: C<T>, w: C<T>) -> [C<T>; 2] {
    let even = a + b.conj();
    let odd = (a - b.conj()).mul_conj(w).times_i();
    [even + odd, (even - odd).conj()]
}

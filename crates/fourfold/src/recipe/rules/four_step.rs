//! One long DFT of length M = N₁·N₂ as columns and rows of a matrix (the four-step method; Bailey,
//! 1990), so that a single signal has many lines to fill SIMD lanes with, and every pass stays in
//! cache.
//!
//! With n = N₂n₁ + n₂ and k = k₁ + N₁k₂,
//!
//! X\[k₁ + N₁k₂\] = Σ_{n₂} w_{N₂}^{n₂k₂} · w_M^{n₂k₁} · Σ_{n₁} x\[N₂n₁ + n₂\] w_{N₁}^{n₁k₁}:
//!
//! N₂ DFTs of length N₁ down the columns, a multiply, and N₁ DFTs of length N₂ along the rows,
//! stored transposed.
//!
//! Real data of even length N = 2M are M complex numbers z_m = v_{2m} + i v_{2m+1}; with E_k and
//! O_k the half spectra of the even and odd places,
//!
//! 2E_k = Z_k + Z̄_{M−k},  2O_k = −i(Z_k − Z̄_{M−k}),  V_k = E_k + w_N^k O_k,  V_{M−k} = conj(E_k −
//! w_N^k O_k),
//!
//! and backwards Z_k = E_k + iO_k with E_k = V_k + V̄_{M−k}, O_k = (V_k − V̄_{M−k}) w_N^{−k}. (Odd
//! lengths are not cut.)

use crate::arithmetic::complex::C;
use crate::arithmetic::primes::prime_factors;
use crate::arithmetic::real::Real;
use crate::recipe::reduction::Data;
use crate::recipe::rules::mixed_radix::LONGEST;

/// Below this length a vector with one lane in use is not slower.
const LEAST: usize = 512;

/// Columns and rows have as many elements at least.
const SHORTEST: usize = 16;

/// So few lines are better cut than done side by side.
const FEW: usize = 2;

/// Lines longer than this are cut however many there are: a tile of them leaves the cache.
const LONG: usize = 1 << 15;

/// The lengths (N₁, N₂) of the columns and rows that a DFT of `len` elements is cut into, if it is
/// to be.
pub(crate) fn lengths(data: Data, len: usize, lines: usize) -> Option<(usize, usize)> {
    if len < LEAST {
        return None;
    }
    let (a, b) = balanced(single(data, len, lines, FEW)?);
    (a.min(b) >= SHORTEST).then_some((a, b))
}

/// Ways to cut n, the most equal first.
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

/// The number of complex elements in a DFT of `len`, if its lines are better done one by one: at
/// most `few`, which leave most lanes empty, or so long that a tile of them leaves the cache.
pub(crate) fn single(data: Data, len: usize, lines: usize, few: usize) -> Option<usize> {
    if len > LONGEST || (lines > few && len <= LONG) { None } else { complex_length(data, len) }
}

/// The number M of complex elements in a DFT of `len`, if it can be cut.
pub(crate) fn complex_length(data: Data, len: usize) -> Option<usize> {
    match data {
        Data::Complex | Data::ComplexBackward => Some(len),
        Data::Real | Data::Hermitian => (len % 2 == 0).then_some(len / 2),
    }
}

/// Two factors of n as equal as taking its primes from the largest down makes them.
fn balanced(n: usize) -> (usize, usize) {
    prime_factors(n).into_iter().rev().fold((1, 1), |(a, b), p| if a <= b { (a * p, b) } else { (a, b * p) })
}

/// Terms k and M − k of the half spectrum from the same terms of the DFT of pairs; `w` is w_N^k.
#[inline(always)]
pub fn unpack<T: Real>(a: C<T>, b: C<T>, w: C<T>) -> [C<T>; 2] {
    let half = a.re.constant(0.5);
    let even = (a + b.conj()).scale(half);
    let odd = (a - b.conj()).scale(half).times_minus_i().mul(w);
    [even + odd, (even - odd).conj()]
}

/// The reverse of [`unpack`], for a backward DFT.
#[inline(always)]
pub fn pack<T: Real>(a: C<T>, b: C<T>, w: C<T>) -> [C<T>; 2] {
    let even = a + b.conj();
    let odd = (a - b.conj()).mul_conj(w).times_i();
    [even + odd, (even - odd).conj()]
}

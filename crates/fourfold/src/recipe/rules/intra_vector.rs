//! A DFT of one signal whose elements fill the lanes (P. N. Swarztrauber, "FFT algorithms for
//! vector computers", Parallel Computing 1, 1984). The passes are those of
//! [`mixed_radix`](crate::recipe::rules::mixed_radix),
//!
//! X\[k + q·m\] = Σ_j w_r^{jq} · (w_N^{jk} S_j\[k\]),
//!
//! The butterflies of neighbouring k differ only in their twiddle factors.
//!
//! Before a pass, the array has L = g·r sequences of length m, one after the other. A vector has
//! neighbouring k of one sequence, if m is at least its width. In the first pass m = 1, and a
//! vector has the butterflies of neighbouring l. The r outputs of each butterfly are neighbours in
//! memory, so square blocks of results are transposed. The first radix is [`FIRST`], so m is a
//! multiple of the width of every vector in all later passes.
//!
//! Every pass reads and writes the whole signal. A signal that does not fit the first-level cache
//! is computed *in parts*. Let R = r₁r₂ be the product of the last two radices. Sequence s of any
//! earlier pass depends only on sequences s + R·j. So the sequences of one residue modulo R are a
//! DFT of length n/R, a part, which fits a cache. Then there are three trips through memory: the
//! first pass, whose results go to the parts; the other passes of each part; and the last two
//! passes across all parts, for a few k at a time.

use crate::arithmetic::primes::prime_factors;
use crate::recipe::rules::mixed_radix::{keep_accurate, radices, rounds_little};
use crate::recipe::scheme::{FIRST, Factor, RADICES, Scheme, fits_parts};

/// The later radices if the real and imaginary parts are in separate vectors. A butterfly of radix
/// 16 with 15 vectors of twiddle factors does not fit the registers.
const FURTHER: [usize; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];

/// The greatest signal, in bytes, whose complex numbers are interleaved. Interleaved numbers need
/// twice as many twiddle factors, and signal and factors should fit the first-level cache. This
/// does not depend on the machine, so that a recipe's text is the same on every machine.
const LONGEST_INTERLEAVED: usize = 16 << 10;

/// Whether the complex numbers of a signal of length n, whose reals have `real` bytes, are
/// interleaved. A vector then has half as many numbers as with separate parts.
pub(crate) fn is_interleaved(n: usize, real: usize) -> bool {
    2 * n * real <= LONGEST_INTERLEAVED
}

/// The later radices of interleaved numbers. A butterfly needs half as many vectors, so 16 fits the
/// registers. 10 and 12 are no faster than their factors.
const OF_INTERLEAVED: [usize; 11] = [2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16];

/// The greatest signal, in bytes. Every pass reads and writes the whole signal, so it and its
/// buffers should fit the last-level cache of most machines.
const LONGEST: usize = 8 << 20;

/// The most lines that are faster one by one than batched: for lines whose elements are neighbours
/// in memory, and for other lines. Measured: docs/performance/log.md. As all limits of rules, it
/// does not depend on the machine, so that a recipe's text is the same on every machine.
pub(crate) const FEW: [usize; 2] = [8, 3];

/// The least length of a signal that is computed in parts. Shorter parts would have small radices.
const LEAST_IN_PARTS: usize = 3 << 12;

/// The scheme along the line for a complex DFT of length n whose reals have `real` bytes: in parts, if
/// the line is long. `None` if no scheme supports the length.
pub(crate) fn scheme(n: usize, real: usize) -> Option<Scheme> {
    match parts(n) {
        Some([within, across]) => Some(Scheme::Blocked { within, across }),
        None => factors(n, real).map(Scheme::IntraVector),
    }
}

/// The factors of a complex DFT of length n whose reals have `real` bytes. `None` if the scheme
/// does not support the length, or if it is too long.
pub(crate) fn factors(n: usize, real: usize) -> Option<Vec<Factor>> {
    let too_long = n.checked_mul(2 * real).is_none_or(|bytes| bytes > LONGEST);
    if too_long || !is_smooth(n) {
        return None;
    }
    let mut list = descending(n, if is_interleaved(n, real) { &OF_INTERLEAVED[..] } else { &FURTHER });
    if is_interleaved(n, real) {
        // The ascending order is faster for short signals: see docs/performance/log.md. For longer
        // signals the order makes no difference.
        list[1..].reverse();
    }
    rounds_little(&list).then_some(list)
}

/// Whether n is a product of [`FIRST`] and at least one other radix.
fn is_smooth(n: usize) -> bool {
    n >= 2 * FIRST && n % FIRST == 0 && prime_factors(n).iter().all(|p| RADICES.contains(p))
}

fn descending(n: usize, set: &[usize]) -> Vec<Factor> {
    let mut list = radices(n / FIRST, set);
    list.sort_by_key(|factor| std::cmp::Reverse(factor.length()));
    list.insert(0, Factor::Radix(FIRST));
    list
}

/// Candidates for the factors of a DFT of length n.
pub(crate) fn variants(n: usize) -> Vec<Vec<Factor>> {
    if !is_smooth(n) {
        return vec![];
    }
    let mut lists = vec![];
    for set in [&FURTHER[..], &RADICES, &[2, 3, 4, 5, 6, 7, 11, 13]] {
        let list = descending(n, set);
        let mut ascending = list.clone();
        ascending[1..].reverse();
        lists.extend([list, ascending]);
    }
    keep_accurate(lists)
}

/// The radices of the two passes across parts, in the order of preference. Their products are
/// multiples of [`FIRST`].
const ACROSS: [[usize; 2]; 8] = [[8, 8], [8, 10], [6, 8], [8, 12], [10, 12], [8, 16], [4, 8], [4, 4]];

/// The factors of a complex DFT of length n within parts of the signal and across them, if the
/// planner chooses parts for it.
pub(crate) fn parts(n: usize) -> Option<[Vec<Factor>; 2]> {
    if n < LEAST_IN_PARTS {
        return None;
    }
    ACROSS.into_iter().find_map(|across| in_parts(n, across))
}

/// The factors with given radices across parts, if n is divisible and the estimated rounding error
/// is small enough.
fn in_parts(n: usize, across: [usize; 2]) -> Option<[Vec<Factor>; 2]> {
    let part = n / across[0] / across[1];
    if !is_smooth(part) || n != part * across[0] * across[1] {
        return None;
    }
    let (within, across) = (descending(part, &FURTHER), across.map(Factor::Radix).to_vec());
    let fits = fits_parts(&within, &across) && rounds_little(&[&within[..], &across].concat());
    fits.then_some([within, across])
}

/// Candidates for the factors of a DFT of length n within parts and across them.
pub(crate) fn variants_in_parts(n: usize) -> Vec<[Vec<Factor>; 2]> {
    ACROSS.into_iter().filter_map(|across| in_parts(n, across)).collect()
}

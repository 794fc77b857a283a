//! A DFT of one signal whose elements fill the lanes (Swarztrauber, "FFT algorithms for vector
//! computers", 1984). The passes are those of [`mixed_radix`](crate::recipe::rules::mixed_radix),
//!
//! X\[k + q·m\] = Σ_j w_r^{jq} · (w_N^{jk} S_j\[k\]),
//!
//! whose butterflies of neighbouring k differ in their twiddles only.
//!
//! Before a pass, L = g·r sequences of length m stand one after the other, and k runs along them:
//! vectors run along k as long as m has room for them. The first pass has m = 1; its butterflies of
//! neighbouring l are one vector, and r outputs of each stand together, so its results are turned
//! as squares. With r = [`FIRST`] first, m is a multiple of the width of every vector ever after.
//!
//! Every pass walks the signal from end to end. One that the first-level cache does not hold is
//! done *in parts* instead: with R = r₁r₂ the product of the last two radices, sequence s of any
//! pass before those reads from sequences s + R·j only. So the sequences of the same
//! residue modulo R are a DFT of length n/R, a part, which a cache holds, and three trips
//! suffice: the first pass, whose results go to the parts; each part's further passes; the last
//! two passes across all parts, of some k at a time.

use crate::arithmetic::primes::prime_factors;
use crate::recipe::rules::mixed_radix::{keep_good, radices, rounds_little};
use crate::recipe::scheme::{FIRST, Factor, RADICES, fits_parts};

/// The further radices where parts are apart: butterflies of 16 with 15 vectors of twiddles do not
/// fit the registers.
const FURTHER: [usize; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];

/// Bytes up to which a signal's numbers stay pairs: with twice as many twiddles it should stay in
/// the first-level cache. Fixed, as [`LONGEST`]: a recipe's text is the same on every machine.
const LONGEST_PAIRED: usize = 16 << 10;

/// Whether the numbers of a signal of length n with parts of `real` bytes stay pairs, of which a
/// register has half as many.
pub(crate) fn is_paired(n: usize, real: usize) -> bool {
    2 * n * real <= LONGEST_PAIRED
}

/// The further radices of pairs: vectors of them are half as many, and 10 and 12 no better than
/// their factors.
const OF_PAIRS: [usize; 11] = [2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16];

/// Bytes up to which a signal is done this way: every pass walks it from end to end, so that it and
/// its buffers should stay in the last cache.
const LONGEST: usize = 8 << 20;

/// So few lines are better done one by one than side by side: where elements are neighbours in
/// memory, and where lines are. Measured: docs/performance/log.md.
pub(crate) const FEW: [usize; 2] = [8, 3];

/// The length from which a signal is done in parts; shorter parts would have passes of small
/// radices.
const LEAST_IN_PARTS: usize = 3 << 12;

/// The factors of a complex DFT of length n with parts of `real` bytes, the first [`FIRST`], if it
/// may be done this way.
pub(crate) fn factors(n: usize, real: usize) -> Option<Vec<Factor>> {
    let too_long = n.checked_mul(2 * real).is_none_or(|bytes| bytes > LONGEST);
    if too_long || !is_smooth(n) {
        return None;
    }
    let mut list = descending(n, if is_paired(n, real) { &OF_PAIRS[..] } else { &FURTHER });
    if is_paired(n, real) {
        // What was measured, see docs/performance/log.md; blocks, which are longer, were no faster
        // or slower so.
        list[1..].reverse();
    }
    rounds_little(&list).then_some(list)
}

/// Whether n has the first radix, another one, and no other primes.
fn is_smooth(n: usize) -> bool {
    n >= 2 * FIRST && n % FIRST == 0 && prime_factors(n).last() <= Some(&13)
}

fn descending(n: usize, set: &[usize]) -> Vec<Factor> {
    let mut list = radices(n / FIRST, set);
    list.sort_by_key(|factor| std::cmp::Reverse(factor.length()));
    list.insert(0, Factor::Radix(FIRST));
    list
}

/// Lists of factors that a DFT of length n may have.
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
    keep_good(lists)
}

/// The largest radix across parts.
pub(crate) const MOST_RADIX: usize = 16;

/// Radices of the two passes across parts that make a multiple of [`FIRST`], the best first.
const ACROSS: [[usize; 2]; 8] = [[8, 8], [8, 10], [6, 8], [8, 12], [10, 12], [8, 16], [4, 8], [4, 4]];

/// The factors of a complex DFT of length n within parts of the signal and across them, if it is to
/// be done this way.
pub(crate) fn parts(n: usize) -> Option<[Vec<Factor>; 2]> {
    if n < LEAST_IN_PARTS {
        return None;
    }
    ACROSS.into_iter().find_map(|across| in_parts(n, across))
}

/// Those with given radices across parts.
fn in_parts(n: usize, across: [usize; 2]) -> Option<[Vec<Factor>; 2]> {
    let part = n / across[0] / across[1];
    if !is_smooth(part) || n != part * across[0] * across[1] {
        return None;
    }
    let (within, across) = (descending(part, &FURTHER), across.map(Factor::Radix).to_vec());
    let fits = fits_parts(&within, &across) && rounds_little(&[&within[..], &across].concat());
    fits.then_some([within, across])
}

/// Factors that a DFT of length n may have within parts and across them.
pub(crate) fn variants_in_parts(n: usize) -> Vec<[Vec<Factor>; 2]> {
    ACROSS.into_iter().filter_map(|across| in_parts(n, across)).collect()
}

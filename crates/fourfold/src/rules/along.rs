//! A DFT of one signal whose elements fill the lanes: the passes of [`mixed_radix`](super::mixed_radix), whose butterflies of neighbouring
//! k are the same but for their twiddles.
//!
//! Before a pass, L = g·r sequences of length m stand one after the other, and k runs along them: vectors run along k as long as m
//! has room for them. The first pass has m = 1; its butterflies of neighbouring l are one vector, and r outputs of each stand
//! together, so its results are turned as squares. With r = [`FIRST`] first, m is a multiple of the width of every vector ever after.

use super::mixed_radix::{Factor, RADICES, keep_good, prime_factors, radices, rounds_little};

/// The first radix: the most lanes of any vector.
pub(crate) const FIRST: usize = 16;

/// The further radices: butterflies of 16 with 15 vectors of twiddles do not fit the registers.
const FURTHER: [usize; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];

/// Bytes up to which a signal is done this way: every pass walks it from end to end, so that it and its buffers should stay in the last cache.
const LONGEST: usize = 8 << 20;

/// The factors of a complex DFT of length n with parts of `real` bytes, the first [`FIRST`], if it may be done this way.
pub(crate) fn factors(n: usize, real: usize) -> Option<Vec<Factor>> {
    let too_long = n.checked_mul(2 * real).is_none_or(|bytes| bytes > LONGEST);
    if too_long || !is_smooth(n) {
        return None;
    }
    let list = descending(n, &FURTHER);
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

/// Whether factors are such ones.
pub(crate) fn fits(factors: &[Factor]) -> bool {
    factors.len() > 1
        && factors[0] == Factor::Radix(FIRST)
        && factors.iter().all(|factor| matches!(factor, Factor::Radix(_)))
}

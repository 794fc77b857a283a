//! Factors of lengths, for kernels.

use fourfold::Factor;
use fourfold::engine::{bluestein_length, factors, prime_factors};

/// Radices of butterflies. Registers hold 16 complex numbers.
pub(crate) const RADICES: [usize; 15] = [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2];

/// Beyond so many elements, lines are likely to be shared by a cluster, whose first two stages should be long.
const SHARED: usize = 4096;

/// 1, 2, 4, … below `radix`: the other twiddles are products of these.
pub(super) fn powers_of_two(radix: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |j| Some(2 * j)).take_while(move |j| *j < radix)
}

/// The frequency at a place: its digits reversed.
pub(super) fn frequency(place: usize, radices: &[usize]) -> usize {
    radices.iter().rev().fold((place, 0), |(place, k), radix| (place / radix, k * radix + place % radix)).1
}

/// The factors of a DFT of length n: butterflies in as few stages as can be, and primes as convolutions in place: by Rader's rule where p − 1 is
/// smooth, else by Bluestein's, for which there is room at the first digit alone.
pub(super) fn gpu_factors(n: usize) -> Vec<Factor> {
    let (smooth, primes): (Vec<_>, Vec<_>) = factors(n).into_iter().partition(|f| matches!(f, Factor::Radix(_)));
    let primes: Vec<_> = primes.iter().map(|prime| convolution(prime.length())).collect();
    let bluestein = |factor: &Factor| matches!(factor, Factor::Bluestein(..));
    if primes.iter().filter(|factor| bluestein(factor)).count() > 1 {
        return vec![Factor::Bluestein(n, butterflies(bluestein_length(n)))];
    }
    // Butterflies can read the array themselves, Rader's convolutions cannot.
    let mut list = butterflies(smooth.iter().map(Factor::length).product());
    list.extend(primes);
    list.sort_by_key(|factor| !bluestein(factor));
    list
}

fn convolution(p: usize) -> Factor {
    if prime_factors(p).len() == 1 && is_smooth(p - 1) {
        Factor::Rader(p, butterflies(p - 1))
    } else {
        Factor::Bluestein(p, butterflies(bluestein_length(p)))
    }
}

fn is_smooth(n: usize) -> bool {
    prime_factors(n).iter().all(|p| *p <= 13)
}

/// The factors of a smooth length: as few as can be, then as even as can be. Large ones come first, since the first stage has no twiddles; even
/// ones where lines may be shared.
fn butterflies(n: usize) -> Vec<Factor> {
    let shared = n > SHARED;
    let cost = |list: &Vec<usize>| {
        let second = list.get(1).copied().unwrap_or(1);
        (if shared { RADICES[0] - second } else { 0 }, list.iter().sum::<usize>())
    };
    let shortest = (0..usize::BITS).map(|count| splits(n, RADICES[0], count)).find(|ways| !ways.is_empty());
    let mut best = shortest.into_iter().flatten().min_by_key(cost).unwrap_or_default();
    best.sort_by_key(|radix| shared && radix % 2 == 1);
    best.into_iter().map(Factor::Radix).collect()
}

/// All ways to write n as a product of so many radices, none more than `most`, the largest first.
fn splits(n: usize, most: usize, count: u32) -> Vec<Vec<usize>> {
    match (n, count) {
        (1, 0) => return vec![vec![]],
        (_, 0) => return vec![],
        _ if most.checked_pow(count).is_some_and(|most| most < n) => return vec![],
        _ => {}
    }
    let with = |radix: usize| splits(n / radix, radix, count - 1).into_iter().map(move |rest| [&[radix], &*rest].concat());
    RADICES.into_iter().filter(|radix| *radix <= most && n % radix == 0).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_few_factors() {
        let radices = |n: usize| butterflies(n).iter().map(Factor::length).collect::<Vec<_>>();
        assert_eq!(radices(4096), [16, 16, 16]);
        assert_eq!(radices(1024), [16, 8, 8]);
        assert_eq!(radices(8192), [16, 16, 8, 4]);
        assert_eq!(radices(2187), [9, 9, 9, 3]);
        assert_eq!(radices(2310), [15, 14, 11]);
        assert_eq!(radices(1000), [10, 10, 10]);
        assert_eq!(radices(1 << 28).len(), 7);
        assert_eq!(radices(3 * 5 * 1024).first(), Some(&16));
    }
}

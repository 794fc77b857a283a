//! Factors of lengths, for kernels.

use fourfold::Factor;
use fourfold::engine::{bluestein_length, factors, prime_factors};

/// Radices of butterflies. Registers hold 16 complex numbers.
pub(crate) const RADICES: [usize; 15] = [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2];

/// How many ways to factor a length are tried, with as many radices.
const EVEN: usize = 4;

/// 1, 2, 4, … below `radix`: the other twiddles are products of these.
pub(super) fn powers_of_two(radix: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |j| Some(2 * j)).take_while(move |j| *j < radix)
}

/// The frequency at a place: its digits reversed. With the radices reversed too, the place of a frequency.
pub(crate) fn frequency(place: usize, radices: &[usize]) -> usize {
    radices.iter().rev().fold((place, 0), |(place, k), radix| (place / radix, k * radix + place % radix)).1
}

/// The factors of a DFT of length n: butterflies of these radices, and primes as convolutions in place: by Rader's rule where p − 1 is
/// smooth, else by Bluestein's, for which there is room at the first digit alone.
pub(crate) fn gpu_factors(n: usize, radices: &[usize]) -> Vec<Factor> {
    let primes = factors(n).into_iter().filter(|factor| !matches!(factor, Factor::Radix(_)));
    let primes: Vec<_> = primes.map(|prime| convolution(prime.length())).collect();
    let bluestein = |factor: &Factor| matches!(factor, Factor::Bluestein(..));
    if primes.iter().filter(|factor| bluestein(factor)).count() > 1 {
        return vec![Factor::Bluestein(n, butterflies(bluestein_length(n)))];
    }
    // Butterflies can read the array themselves, Rader's convolutions cannot.
    let mut list: Vec<_> = radices.iter().copied().map(Factor::Radix).collect();
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
    prime_factors(n).iter().all(|p| RADICES.contains(p))
}

/// The factors of a smooth length.
fn butterflies(n: usize) -> Vec<Factor> {
    radices(n, false).into_iter().map(Factor::Radix).collect()
}

/// The radices of what is smooth of a length: as few as can be, then as even as can be. Large ones come first, since the first stage has no
/// twiddles. Lines that are `shared` by a cluster have half as many work groups as the first radix, and a thread for each DFT of the second.
pub(crate) fn radices(n: usize, shared: bool) -> Vec<usize> {
    let n = smooth(n);
    let mut ways = (1..usize::BITS).map(|count| splits(n, RADICES[0], count)).filter(|ways| !ways.is_empty());
    let sum = |list: &Vec<usize>| list.iter().sum::<usize>();
    let fewest = ways.next().unwrap_or_default();
    let best = match shared {
        true => fewest.into_iter().chain(ways.next().unwrap_or_default()).map(even_first).min_by_key(|list| {
            let short = |i: usize| RADICES[0] - list.get(i).copied().unwrap_or(1);
            (short(0), list.len(), short(1), sum(list))
        }),
        false => fewest.into_iter().min_by_key(sum),
    };
    best.unwrap_or_default()
}

/// The largest radix of those of [`narrow_radices`].
pub(crate) const NARROW: usize = 8;

/// Radices that leave many threads with little to do each: what is smooth of a length as two factors, as even as can be, and each of these as
/// few radices of at most [`NARROW`] as can be, where there are any.
pub(crate) fn narrow_radices(n: usize) -> Vec<usize> {
    let n = smooth(n);
    let second = (1..=n.isqrt()).rev().find(|factor| n % factor == 0).unwrap_or(1);
    let narrow = |n: usize| {
        let fewest = (1..usize::BITS).map(|count| splits(n, NARROW, count)).find(|ways| !ways.is_empty());
        fewest.and_then(|ways| ways.into_iter().min_by_key(|list| list.iter().sum::<usize>()))
    };
    [n / second, second].into_iter().flat_map(|n| narrow(n).unwrap_or_else(|| radices(n, false))).collect()
}

/// Some ways to factor what is smooth of a length, of those with few radices the most even ones; the largest comes first.
pub(crate) fn ways(n: usize) -> Vec<Vec<usize>> {
    let n = smooth(n);
    let counts = (1..usize::BITS).map(|count| splits(n, RADICES[0], count)).filter(|ways| !ways.is_empty());
    let even = |mut ways: Vec<Vec<usize>>| {
        ways.sort_by_key(|list| list.iter().sum::<usize>());
        ways.truncate(EVEN);
        ways
    };
    counts.take(2).flat_map(even).collect()
}

/// The product of the butterflies of a length.
fn smooth(n: usize) -> usize {
    factors(n).iter().filter(|factor| matches!(factor, Factor::Radix(_))).map(Factor::length).product()
}

/// The largest even one first.
fn even_first(mut list: Vec<usize>) -> Vec<usize> {
    if let Some(at) = list.iter().position(|radix| radix % 2 == 0) {
        list[..=at].rotate_right(1);
    }
    list
}

/// All ways to write n as a product of so many radices, none more than `most`, the largest first.
fn splits(n: usize, most: usize, count: u32) -> Vec<Vec<usize>> {
    match (n, count) {
        (1, 0) => return vec![vec![]],
        (_, 0) => return vec![],
        _ if most.checked_pow(count).is_some_and(|most| most < n) => return vec![],
        _ => {}
    }
    let with =
        |radix: usize| splits(n / radix, radix, count - 1).into_iter().map(move |rest| [&[radix], &*rest].concat());
    RADICES.into_iter().filter(|radix| *radix <= most && n % radix == 0).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_few_factors() {
        let (radices, shared) = (|n: usize| radices(n, false), |n: usize| radices(n, true));
        assert_eq!(radices(4096), [16, 16, 16]);
        assert_eq!(radices(1024), [16, 8, 8]);
        assert_eq!(radices(8192), [16, 8, 8, 8]);
        assert_eq!(radices(10000), [10, 10, 10, 10]);
        assert_eq!(radices(1), []);
        assert_eq!(shared(8192), [16, 16, 8, 4]);
        assert_eq!(shared(10000), [16, 5, 5, 5, 5]);
        assert_eq!(shared(4050), [10, 15, 9, 3]);
        assert_eq!(radices(2187), [9, 9, 9, 3]);
        assert_eq!(radices(2310), [15, 14, 11]);
        assert_eq!(radices(1000), [10, 10, 10]);
        assert_eq!(radices(1 << 28).len(), 7);
        assert_eq!(narrow_radices(1 << 15), [8, 8, 4, 8, 4, 4]);
        assert_eq!(narrow_radices(1 << 17), [8, 8, 8, 8, 8, 4]);
        assert_eq!(narrow_radices(11 * 4096), [8, 8, 4, 16, 11]);
    }
}

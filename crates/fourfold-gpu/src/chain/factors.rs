//! Factors of lengths, for kernels.

use fourfold::engine::{bluestein_length, factors, prime_factors};
use fourfold::{Factor, RADICES};

/// 1, 2, 4, … below `radix`: the other twiddles are products of these.
pub(super) fn powers_of_two(radix: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |j| Some(2 * j)).take_while(move |j| *j < radix)
}

/// The frequency at a place: its digits reversed.
pub(super) fn frequency(place: usize, radices: &[usize]) -> usize {
    radices.iter().rev().fold((place, 0), |(place, k), radix| (place / radix, k * radix + place % radix)).1
}

/// The core's factors, with primes as convolutions in place: by Rader's rule where p − 1 is smooth, else by Bluestein's, for which there is room at
/// the first digit alone.
pub(super) fn gpu_factors(n: usize) -> Vec<Factor> {
    let mut list: Vec<_> = factors(n).into_iter().map(convolution).collect();
    let bluestein = |factor: &Factor| matches!(factor, Factor::Bluestein(..));
    if list.iter().filter(|factor| bluestein(factor)).count() > 1 {
        return vec![Factor::Bluestein(n, factors(bluestein_length(n)))];
    }
    list.sort_by_key(|factor| !bluestein(factor));
    list
}

fn convolution(factor: Factor) -> Factor {
    let smooth = |list: &[Factor]| list.iter().all(|factor| matches!(factor, Factor::Radix(_)));
    match factor {
        Factor::Radix(r) => Factor::Radix(r),
        other => {
            let p = other.length();
            let inner = factors(p - 1);
            if p > *RADICES.last().expect("there are radices") && prime_factors(p).len() == 1 && smooth(&inner) {
                Factor::Rader(p, inner)
            } else {
                Factor::Bluestein(p, factors(bluestein_length(p)))
            }
        }
    }
}

//! Factors of lengths, for kernels.

use crate::write::dft::WITH_RESULTS;
use fourfold::Precision;
use fourfold::engine::{Factor, bluestein_length, factors, prime_factors};

/// Registers hold so many complex numbers in a butterfly.
pub(crate) const LARGE: usize = 16;

/// Registers of fewer threads hold so many. These butterflies are for primes, whose convolutions would
/// take several stages, and for lines that are so long that they save a digit. Of larger radices only
/// primes are butterflies, where a thread has the registers
/// ([`largest_prime`](crate::attributes::DeviceAttributes::largest_prime)).
pub(crate) const LARGEST: usize = WITH_RESULTS;

/// Whether butterflies of a radix are for all lines.
fn is_usual(radix: usize) -> bool {
    radix <= LARGE || prime_factors(radix).len() == 1
}

/// Whether a radix above 1 is a butterfly's, if its primes are.
pub(crate) fn is_radix(radix: usize) -> bool {
    radix > 1 && (radix <= LARGEST || prime_factors(radix).len() == 1)
}

/// The product of those prime factors of a length that are butterflies, of which `largest_prime` is the
/// largest.
pub(crate) fn smooth(n: usize, largest_prime: usize) -> usize {
    prime_factors(n).iter().filter(|p| **p <= largest_prime).product()
}

/// The largest prime factor of p − 1 for Rader's convolution. With butterflies of 23 and more, too few
/// threads have something to do: Bluestein's measured faster.
const MOST_IN_RADER: usize = 19;

/// The largest radix of small butterflies.
pub(crate) const SMALL: usize = 8;

/// How many ways to factor a length are tried, with as many radices.
const EVEN: usize = 4;

/// 1, 4, 16, … below `radix`: the other twiddles are squares of these, and products of both.
pub(crate) fn powers_of_four(radix: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |j| Some(4 * j)).take_while(move |j| *j < radix)
}

/// The frequency at a place: its digits reversed. With the radices reversed too, the place of a
/// frequency.
pub(crate) fn frequency(place: usize, radices: &[usize]) -> usize {
    radices.iter().rev().fold((place, 0), |(place, k), radix| (place / radix, k * radix + place % radix)).1
}

/// The factors of a DFT of length n: butterflies of these radices, and primes as convolutions in
/// place: by Rader's rule where p − 1 is smooth, else by Bluestein's, for which there is room only
/// at the first digit.
pub(crate) fn gpu_factors(n: usize, radices: &[usize]) -> Vec<Factor> {
    let convolved = factors(n / radices.iter().product::<usize>()).into_iter();
    let primes: Vec<_> = convolved.map(|prime| convolution(prime.length())).collect();
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
    if prime_factors(p).len() == 1 && prime_factors(p - 1).iter().all(|p| *p <= MOST_IN_RADER) {
        Factor::Rader(p, butterflies(p - 1))
    } else {
        Factor::Bluestein(p, butterflies(bluestein_length(p)))
    }
}

/// The factors of a smooth length.
fn butterflies(n: usize) -> Vec<Factor> {
    radices(n).into_iter().map(Factor::Radix).collect()
}

/// The radices of a [`smooth`] length: as few as can be, then as even as can be. Large ones
/// come first, since the first stage has no twiddles.
pub(crate) fn radices(n: usize) -> Vec<usize> {
    let fewest = ways_by_count(n).next().unwrap_or_default();
    fewest.into_iter().min_by_key(|list| sum(list)).unwrap_or_default()
}

/// The radices of a smooth line whose kernels are on ranges of two digits: no more than so many, or as near to it
/// as large ones come, and then as even as can be. If they are so many, each kernel has a small one and then a
/// large one, so that no block is much larger than others, and the last kernel the smallest product: combines of
/// half spectra need two buffers there. (In `f32`, digits of which one is more than twice another measured slower
/// so: `dct3 f32 30000000` 314 µs instead of 254 on an H200. In `f64` they measured faster; but
/// instead of 5 and 25, three digits of 5 did: `dst2 f64 1953125` 57 to 42.) Of radices above `largest`, only primes.
pub(crate) fn radices_of_ranges(n: usize, digits: usize, precision: Precision, largest: usize) -> Vec<usize> {
    let usual = radices(n);
    let allowed = |radix: usize| radix <= largest || prime_factors(radix).len() == 1;
    let large = |count: usize| ways_with(n, count, allowed).into_iter().min_by_key(|list| sum(list));
    let found = if usual.len() > digits { (digits..usual.len()).find_map(large) } else { None };
    let list = found.unwrap_or(usual);
    let is_even = precision == Precision::F64 || list.last().is_some_and(|least| list[0] <= 2 * least);
    if list.len() != digits || digits % 2 == 1 || !is_even {
        return list;
    }
    let ends = list.iter().rev().zip(&list).take(digits / 2);
    let mut pairs: Vec<[usize; 2]> = ends.map(|(small, large)| [*small, *large]).collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.iter().product::<usize>()));
    let is_faster_as_three =
        |[small, large]: [usize; 2]| precision == Precision::F64 && small * small == large && !is_usual(large);
    let of_range = |pair: [usize; 2]| if is_faster_as_three(pair) { vec![pair[0]; 3] } else { pair.to_vec() };
    pairs.into_iter().flat_map(of_range).collect()
}

/// The most numbers of a range of which a line has two. (On an H200, 25 lines that have three ranges otherwise: of 15
/// no range had more, and they took 0.91 of the time on average. Ten had more and took 1.02 to 1.34: with 441
/// `dct4 f32 277x214326` 1.04, with 448 `dst3 f32 257x229376` 1.08.)
const LONGEST_OF_TWO: usize = 420;

/// The radices of a smooth line of two ranges, as even as they can be, if neither has many numbers.
pub(crate) fn two_ranges(n: usize) -> Option<[Vec<usize>; 2]> {
    let [first, second] = most_even(n);
    (first <= LONGEST_OF_TWO).then(|| [first, second].map(radices))
}

/// Two factors of a length, as even as they can be, the larger first.
fn most_even(n: usize) -> [usize; 2] {
    let second = (1..=n.isqrt()).rev().find(|factor| n % factor == 0).unwrap_or(1);
    [n / second, second]
}

/// The radices of a smooth line on which few threads have a butterfly: two factors, as even as can be, for a
/// kernel each, and of each of them as few small radices as can be, if there are any.
pub(crate) fn small_radices(n: usize) -> Vec<usize> {
    let small = |n: usize| {
        let fewest = (1..usize::BITS).map(|count| splits(n, SMALL, count, |_| true)).find(|ways| !ways.is_empty());
        fewest.and_then(|ways| ways.into_iter().min_by_key(|list| sum(list)))
    };
    most_even(n).into_iter().flat_map(|n| small(n).unwrap_or_else(|| radices(n))).collect()
}

/// How the radices are chosen of lines that a cluster has, with half as many blocks as the first
/// radix.
#[derive(Clone, Copy)]
pub(crate) struct ClusterRadices {
    /// The first radix, or as near to it as can be.
    pub(crate) lead: usize,
    /// Whether the others are as even as can be. Else the second, for each DFT of which there is a
    /// thread, is large.
    pub(crate) even: bool,
    /// Whether the last DFTs may be one stage with a combine, as even ones can: then best of eight.
    pub(crate) combine_fusion: bool,
}

/// The last radix of lines that a cluster combines, which measured up to a tenth faster than
/// others.
const LAST: usize = 8;

/// The radices for smooth lines of a cluster: few, but one more than can be where the first is nearer to
/// the lead then.
pub(crate) fn cluster_radices(n: usize, rules: ClusterRadices) -> Vec<usize> {
    let few = ways_by_count(n).take(2).flatten().flat_map(|list| led(&list)).filter(|list| list[0] % 2 == 0);
    let order = |list: &Vec<usize>| {
        let second = if rules.even { 0 } else { list.get(1).copied().unwrap_or(1) };
        let last = rules.combine_fusion && !list.iter().skip(2).any(|radix| *radix == LAST);
        (rules.lead.abs_diff(list[0]), list.len(), usize::MAX - second, last, sum(list))
    };
    let Some(mut list) = few.min_by_key(order) else { return radices(n) };
    if let ([_, _, rest @ ..], true) = (&mut *list, rules.combine_fusion) {
        rest.sort_by_key(|radix| (radix % 2 == 0, *radix == LAST, *radix));
    }
    list
}

/// Some ways to factor a smooth length, of those with few radices the most even ones;
/// the largest comes first.
pub(crate) fn ways(n: usize) -> Vec<Vec<usize>> {
    let even = |mut ways: Vec<Vec<usize>>| {
        ways.sort_by_key(|list| sum(list));
        ways.truncate(EVEN);
        ways
    };
    ways_by_count(n).take(2).flat_map(even).collect()
}

/// All ways to factor a smooth length, in order of how many radices they have; the largest comes
/// first.
fn ways_by_count(n: usize) -> impl Iterator<Item = Vec<Vec<usize>>> {
    (1..usize::BITS as usize).map(move |count| ways_with(n, count, is_usual)).filter(|ways| !ways.is_empty())
}

/// Those with so many radices, of which the primes that are larger than all products come first.
fn ways_with(n: usize, count: usize, allowed: impl Fn(usize) -> bool + Copy) -> Vec<Vec<usize>> {
    let mut primes: Vec<usize> = prime_factors(n).into_iter().filter(|p| *p > LARGEST).collect();
    primes.reverse();
    let Some(others) = count.checked_sub(primes.len()) else { return vec![] };
    let rest = splits(n / primes.iter().product::<usize>(), LARGEST, others as u32, allowed);
    rest.into_iter().map(|rest| [&*primes, &*rest].concat()).collect()
}

/// Least where radices are even.
fn sum(radices: &[usize]) -> usize {
    radices.iter().sum()
}

/// The same radices, with each of them first once.
pub(crate) fn led(radices: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![];
    for at in 0..radices.len() {
        let mut list = radices.to_vec();
        list[..=at].rotate_right(1);
        if !all.contains(&list) {
            all.push(list);
        }
    }
    all
}

/// All ways to write n as a product of so many radices, none more than `most`, the largest first.
fn splits(n: usize, most: usize, count: u32, allowed: impl Fn(usize) -> bool + Copy) -> Vec<Vec<usize>> {
    match (n, count) {
        (1, 0) => return vec![vec![]],
        (_, 0) => return vec![],
        _ if most.checked_pow(count).is_some_and(|most| most < n) => return vec![],
        _ => {}
    }
    let with = |radix: usize| {
        splits(n / radix, radix, count - 1, allowed).into_iter().map(move |rest| [&[radix], &*rest].concat())
    };
    (2..=most).rev().filter(|radix| n % radix == 0 && allowed(*radix)).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As even as they can be; none where one would have many numbers.
    #[test]
    fn two_ranges_have_few_numbers() {
        assert_eq!(two_ranges(27216), Some([vec![14, 12], vec![9, 6, 3]]));
        assert_eq!(two_ranges(32000), Some([vec![8, 5, 5], vec![16, 10]]));
        assert_eq!(two_ranges(1 << 17), None, "512 and 256");
        assert_eq!(two_ranges(16411), None, "a prime");
    }

    #[test]
    fn lengths_have_few_factors() {
        let shared = |n| cluster_radices(n, ClusterRadices { lead: 16, even: false, combine_fusion: true });
        assert_eq!(radices(4096), [16, 16, 16]);
        assert_eq!(radices(1024), [16, 8, 8]);
        assert_eq!(radices(8192), [16, 8, 8, 8]);
        assert_eq!(radices(10000), [10, 10, 10, 10]);
        assert_eq!(radices(1), []);
        assert_eq!(shared(8192), [16, 16, 4, 8]);
        assert_eq!(
            cluster_radices(8192, ClusterRadices { lead: 16, even: false, combine_fusion: false }),
            [16, 16, 8, 4]
        );
        assert_eq!(shared(6144), [16, 16, 3, 8]);
        assert_eq!(shared(12288), [16, 16, 6, 8]);
        assert_eq!(shared(5120), [16, 16, 5, 4]);
        assert_eq!(shared(10000), [16, 5, 5, 5, 5]);
        assert_eq!(shared(4050), [10, 15, 3, 9]);
        assert_eq!(shared(1024), [16, 16, 4]);
        assert_eq!(shared(2187), [9, 9, 9, 3]);
        assert_eq!(cluster_radices(1024, ClusterRadices { lead: 16, even: true, combine_fusion: true }), [16, 8, 8]);
        assert_eq!(cluster_radices(2048, ClusterRadices { lead: 4, even: true, combine_fusion: false }), [4, 8, 8, 8]);
        assert_eq!(radices(2187), [9, 9, 9, 3]);
        assert_eq!(radices(2310), [15, 14, 11]);
        assert_eq!(radices(1000), [10, 10, 10]);
        assert_eq!(radices(1 << 28).len(), 7);
        assert_eq!(radices_of_ranges(1 << 25, 6, Precision::F32, LARGEST), [16, 32, 16, 16, 16, 16]);
        assert_eq!(radices_of_ranges(14929920, 6, Precision::F32, LARGEST), [15, 18, 16, 16, 12, 18]);
        assert_eq!(radices_of_ranges(25210500, 6, Precision::F32, LARGEST).len(), 7);
        assert_eq!(radices_of_ranges(4096, 6, Precision::F32, LARGEST), [16, 16, 16]);
        assert_eq!(radices(61 * 37 * 40), [61, 37, 8, 5]);
        assert_eq!(radices_of_ranges(61 << 25, 7, Precision::F32, LARGEST), [61, 32, 16, 16, 16, 16, 16]);
        assert_eq!(radices(61), [61]);
        assert_eq!(radices_of_ranges(15000000, 6, Precision::F32, LARGEST), [25, 20, 20, 15, 10, 10]);
        assert_eq!(radices_of_ranges(15000000, 6, Precision::F64, LARGEST), [15, 20, 10, 25, 10, 20]);
        assert_eq!(radices_of_ranges(1953125, 6, Precision::F64, LARGEST), [5; 9]);
        assert_eq!(radices_of_ranges(1171875, 6, Precision::F64, LARGEST), [5, 5, 5, 5, 5, 5, 5, 15]);
        assert_eq!(radices_of_ranges(14348907, 6, Precision::F64, LARGEST), [9, 27, 9, 27, 9, 27]);
        assert_eq!(radices_of_ranges(14348907, 6, Precision::F64, 22), [9, 9, 9, 9, 9, 9, 9, 3]);
        assert_eq!(small_radices(1 << 15), [8, 8, 4, 8, 4, 4]);
        assert_eq!(small_radices(1 << 17), [8, 8, 8, 8, 8, 4]);
        assert_eq!(small_radices(11 * 4096), [8, 8, 4, 16, 11]);
    }
}

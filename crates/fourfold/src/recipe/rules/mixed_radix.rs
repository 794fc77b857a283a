//! A DFT of length N = r·m from r DFTs of length m and m butterflies of radix r: decimation in time
//! (Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series", Math.
//! Comp. 19, 1965).
//!
//! With the DFTs of the residues, S_j\[k\] = Σ_t x_{j+rt} w_m^{tk}:
//!
//! X\[k + q·m\] = Σ_j w_r^{jq} · (w_N^{jk} S_j\[k\]),  0 ≤ k < m, 0 ≤ q < r, w_n = exp(−2πi/n).
//!
//! The passes are in Stockham's order. Before a pass, the array has L = g·r sequences of length m,
//! one after the other. Sequence s is the DFT of x_{s + L·t}. The pass merges sequences l + g·j (j
//! < r) into sequence l. So bit reversal is not necessary. The first pass reads x itself, at l +
//! g·j.
//!
//! Real data (Sorensen et al., "Real-valued fast Fourier transform algorithms", 1987): S_j and X
//! are Hermitian, so a pass computes only 0 ≤ k ≤ m/2. There is a real butterfly for k = 0. For 0 <
//! k < m/2 there is a complex butterfly, whose outputs X_n with n > N/2 are the conjugates of
//! X_{N−n}. For k = m/2 there is one whose twiddle factors w_{2r}^j are those of a half step. A
//! half spectrum of length N is stored as N reals Re X_0, Re X_1, Im X_1, Re X_2, … (FFTPACK's
//! order).

use crate::arithmetic::primes::prime_factors;
use crate::recipe::rules::{bluestein, rader};
use crate::recipe::scheme::{Factor, RADICES, length};

/// The radices that are powers of primes, except 9.
pub(crate) const PRIME_POWERS: [usize; 9] = [2, 3, 4, 5, 7, 8, 11, 13, 16];

/// The greatest length of a DFT that can be planned. Tables of indices have 32 bits.
pub(crate) const LONGEST: usize = 1 << 30;

/// The factors of a DFT of length n, in the order of the passes. They have the least estimated cost
/// among those whose estimated rounding error is small enough.
pub fn factors(n: usize) -> Vec<Factor> {
    let mut list = cheapest(n);
    if !rounds_little(&list) {
        list = pad(list);
    }
    if !rounds_little(&list) {
        use_bluestein(&mut list);
    }
    list
}

/// Candidates for the factors of a DFT of length n. The first one is [`factors`].
pub(crate) fn variants(n: usize) -> Vec<Vec<Factor>> {
    let (smooth, primes) = split(n);
    let mut lists = vec![factors(n)];
    for set in [&RADICES[..], &RADICES[..12], &PRIME_POWERS, &[2, 3, 4, 5, 6, 7, 11, 13]] {
        let mut list = radices(smooth, set);
        list.extend(primes.iter().copied().map(prime));
        list.sort_by_key(Factor::length);
        let ascending = list.clone();
        list.reverse();
        lists.extend([list, ascending]);
    }
    keep_accurate(lists)
}

/// The first list, and those others that are different and whose rounding error is small enough.
pub(crate) fn keep_accurate(lists: Vec<Vec<Factor>>) -> Vec<Vec<Factor>> {
    let mut kept: Vec<Vec<Factor>> = vec![];
    for list in lists {
        if (kept.is_empty() || rounds_little(&list)) && !kept.contains(&list) {
            kept.push(list);
        }
    }
    kept
}

/// The factors of the two DFTs of the four-step method, chosen as in [`factors`].
pub(crate) fn four_step_factors(columns: usize, rows: usize) -> (Vec<Factor>, Vec<Factor>) {
    const SEAM: f64 = 2.5; // the twiddles between them, and the pairs that real data are packed in
    let (mut columns, mut rows) = (cheapest(columns), cheapest(rows));
    let too_much = |a: &[Factor], b: &[Factor]| rounding(a) + rounding(b) + SEAM > MOST_ROUNDING;
    if too_much(&columns, &rows) {
        (columns, rows) = (pad(columns), pad(rows));
    }
    if too_much(&columns, &rows) {
        use_bluestein(if rounding(&columns) > rounding(&rows) { &mut columns } else { &mut rows });
    }
    (columns, rows)
}

/// The factors of a DFT of length n with the least estimated cost. Lengths that cannot be planned
/// are not factored, because the primes of numbers up to 2^62 take seconds.
fn cheapest(n: usize) -> Vec<Factor> {
    if n > LONGEST {
        return vec![Factor::Direct(n)];
    }
    let (smooth, primes) = split(n);
    let mut list = radices(smooth, &RADICES);
    list.extend(primes.into_iter().map(prime));
    // The largest radix comes first, because the first pass needs no twiddle factors, and has real
    // butterflies for real data.
    list.sort_by_key(|f| std::cmp::Reverse(f.length()));
    list
}

/// The estimated number of operations for each element of a DFT with these factors. Those of sums and
/// of Rader's convolutions are fitted to times of DCTs of 800 lines: docs/performance/log.md.
fn cost(factors: &[Factor]) -> f64 {
    factors.iter().map(factor_cost).sum()
}

/// That of one factor.
pub(crate) fn factor_cost(factor: &Factor) -> f64 {
    match factor {
        Factor::Radix(r) => radix_cost(*r),
        Factor::Direct(p) => 40.0 + 1.85 * *p as f64,
        Factor::Rader(p, inner) => 10.0 + padding(*p, inner) * (2.0 * cost(inner) + 45.0),
        Factor::Bluestein(p, inner) => 14.0 + padding(*p, inner) * (2.0 * cost(inner) + 6.0),
    }
}

/// The length of a convolution over that of the DFT which it computes.
fn padding(n: usize, inner: &[Factor]) -> f64 {
    length(inner) as f64 / n as f64
}

/// The number of operations for each element of one pass: about 9 for twiddle factors and memory,
/// and those of the butterfly.
fn radix_cost(r: usize) -> f64 {
    9.0 + match r {
        2 => 2.0,
        3 => 5.3,
        4 => 4.0,
        5 => 8.0,
        6 => 7.3,
        7 => 11.0,
        8 => 6.5,
        9 => 11.5,
        10 => 10.0,
        11 => 18.0,
        12 => 9.5,
        13 => 21.0,
        _ => 10.0,
    }
}

/// The product of the primes of n that have a butterfly, and the other primes in ascending order.
fn split(n: usize) -> (usize, Vec<usize>) {
    let (mut smooth, mut primes) = (1, vec![]);
    for p in prime_factors(n) {
        if RADICES.contains(&p) { smooth *= p } else { primes.push(p) }
    }
    (smooth, primes)
}

/// The radices of n with the least cost. They are elements of `set`, which must be in ascending
/// order and contain all primes of n.
pub(crate) fn radices(n: usize, set: &[usize]) -> Vec<Factor> {
    let mut best = (f64::INFINITY, vec![]);
    search(n, set, 0.0, &mut vec![], &mut best);
    best.1.into_iter().map(Factor::Radix).collect()
}

/// Continues `list`, which costs `cost`, by radices of `set` in descending order. `best` is the
/// cheapest complete list so far.
fn search(n: usize, set: &[usize], cost: f64, list: &mut Vec<usize>, best: &mut (f64, Vec<usize>)) {
    // Radix 16 has the least cost for each factor of 2, as a test checks, so this is a lower bound.
    let least = radix_cost(16) / 4.0;
    if cost + least * (n as f64).log2() >= best.0 - 1e-9 {
        return;
    }
    if n == 1 {
        *best = (cost, list.clone());
    }
    for (i, r) in set.iter().enumerate().rev().filter(|(_, r)| n % **r == 0) {
        list.push(*r);
        search(n / r, &set[..=i], cost + radix_cost(*r), list, best);
        list.pop();
    }
}

/// The cheapest factor for a prime that has no butterfly, among those that round little enough alone.
fn prime(p: usize) -> Factor {
    if p <= rader::LEAST {
        return Factor::Direct(p);
    }
    let inner = factors(p - 1);
    let sums = inner.iter().cloned().map(sum).collect();
    let mut best = padded(p);
    for other in [Factor::Direct(p), Factor::Rader(p, inner), Factor::Rader(p, sums)] {
        if factor_rounding(&other) <= MOST_ROUNDING && factor_cost(&other) < factor_cost(&best) {
            best = other;
        }
    }
    best
}

/// A direct sum in place of Rader's convolution within another, since it rounds less. The limit is the
/// length from which padding is faster.
fn sum(factor: Factor) -> Factor {
    const LONGEST_SUM: usize = 200;
    match factor {
        Factor::Rader(q, _) if q <= LONGEST_SUM => Factor::Direct(q),
        other => other,
    }
}

/// Rader's convolution with zeros after the data, so that its length is smooth.
fn padded(p: usize) -> Factor {
    Factor::Rader(p, radices(bluestein::length(p - 1), &RADICES))
}

fn bluestein(p: usize) -> Factor {
    Factor::Bluestein(p, radices(bluestein::length(p), &RADICES))
}

/// Pads Rader's convolutions, since a product of butterflies rounds less than convolutions or sums
/// within them.
fn pad(list: Vec<Factor>) -> Vec<Factor> {
    let padded = |factor| if let Factor::Rader(p, _) = factor { padded(p) } else { factor };
    list.into_iter().map(padded).collect()
}

/// Replaces the factor with the largest rounding error by Bluestein's convolution, whose error
/// bound is larger.
fn use_bluestein(list: &mut [Factor]) {
    let largest = list.iter_mut().max_by(|a, b| factor_rounding(a).total_cmp(&factor_rounding(b)));
    let largest = largest.expect("no factors do not round");
    *largest = bluestein(largest.length());
}

/// The largest estimated rounding error of factors. The bounds are 3e-7 in single precision and
/// 6e-16 in double precision, which are 25 and 29 in the units of [`rounding`]. The difference
/// leaves room for the combine and for the error of the estimate.
const MOST_ROUNDING: f64 = 20.0;

/// Whether the estimated rounding error of a DFT with these factors is within the bounds.
pub(crate) fn rounds_little(factors: &[Factor]) -> bool {
    rounding(factors) <= MOST_ROUNDING
}

/// The estimated mean square of the relative rounding error of a DFT with these factors, in units
/// of the squared roundoff, 2^-24 or 2^-53. The constants are fitted to measurements. The mean
/// squares of passes add up, and so do those of a convolution's two DFTs.
fn rounding(factors: &[Factor]) -> f64 {
    const TWIDDLES: f64 = 0.5;
    factors.iter().map(|factor| TWIDDLES + factor_rounding(factor)).sum::<f64>() - TWIDDLES
}

fn factor_rounding(factor: &Factor) -> f64 {
    match factor {
        Factor::Radix(r) => 0.25 + 0.2 * (*r as f64).log2(),
        Factor::Direct(p) => 1.05 + 0.0135 * *p as f64,
        Factor::Rader(_, inner) | Factor::Bluestein(_, inner) => 0.7 + 2.0 * rounding(inner),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::scheme::List;

    #[test]
    fn no_radix_costs_less_for_each_factor_of_2_than_16() {
        let cost = |radix: usize| radix_cost(radix) / (radix as f64).log2();
        assert!(RADICES.into_iter().all(|radix| cost(radix) >= cost(16)));
    }

    /// Tests every third length up to 2^21: DCT-I and DST-I of length 2^20 need DFTs of about 2^21.
    #[test]
    fn no_factors_round_too_much() {
        for list in (1..=1 << 21).step_by(3).map(factors) {
            let bounded = rounds_little(&list) || list.iter().any(Factor::uses_bluestein);
            assert!(bounded, "{} rounds {}", List(&list), rounding(&list));
        }
    }

    #[test]
    fn radices_are_few_and_equal() {
        let text = |n| List(&factors(n)).to_string();
        let expected = [
            (512, " 8 8 8"),
            (1024, " 16 8 8"),
            (1000, " 10 10 10"),
            (1536, " 16 12 8"),
            (2187, " 9 9 9 3"),
            (1 << 13, " 16 8 8 8"),
        ];
        expected.into_iter().for_each(|(n, list)| assert_eq!(text(n), list));
    }

    #[test]
    fn convolutions_within_convolutions_give_way_to_sums_or_zeros() {
        let text = |n| List(&factors(n)).to_string();
        assert_eq!(text(139), " rader(139: direct(23) 6)");
        assert_eq!(text(524309), " rader(524309: 16 12 12 8 8 8)");
        assert_eq!(text(2011), " rader(2011: 16 16 16)");
        assert_eq!(text(389 * 389), " rader(389: 16 8 7) rader(389: 16 8 7)");
    }
}

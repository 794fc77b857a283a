//! A DFT of one line of any length by [Bluestein's convolution](crate::recipe::rules::bluestein), whose
//! longer DFTs have the lanes along the line. The other schemes for such a line leave most lanes empty
//! if its length has large primes.

use crate::recipe::reduction::Data;
use crate::recipe::rules::bluestein;
use crate::recipe::rules::four_step::of_line;
use crate::recipe::rules::intra_vector;
use crate::recipe::rules::mixed_radix::{LONGEST, factor_cost};
use crate::recipe::scheme::{FIRST, Factor, Scheme};

/// Odd parts of the lengths of convolutions along a line.
const ODD: [usize; 16] = [1, 3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 63, 75, 81, 105, 135];

/// Bluestein's convolution along a line for a DFT of `len` elements, with the length that has the least
/// estimated cost. `real` has the bytes of a real. `None` if the DFT is too short or too long.
pub(crate) fn scheme(data: Data, len: usize, real: usize) -> Option<Scheme> {
    let (data, n) = of_line(data, len);
    if !(3..=LONGEST).contains(&n) {
        return None;
    }
    let least = bluestein::least(bluestein::counts(data, n)).max(2 * FIRST);
    let length = |odd: usize| FIRST * odd * least.div_ceil(FIRST * odd).next_power_of_two();
    let schemes = ODD.map(length).into_iter().filter(|m| *m <= LONGEST);
    let cost = |inner: &Scheme| inner.length() as f64 * convolution_cost(inner);
    let best = schemes.filter_map(|m| intra_vector::scheme(m, real)).min_by(|a, b| cost(a).total_cmp(&cost(b)));
    best.map(|inner| Scheme::Bluestein { length: n, inner: Box::new(inner) })
}

/// The estimated operations of a convolution by two DFTs of this scheme, for each of its reals. The
/// multiplications take about 20.
fn convolution_cost(inner: &Scheme) -> f64 {
    2.0 * scheme_cost(inner) + 20.0
}

fn scheme_cost(scheme: &Scheme) -> f64 {
    scheme.factors().map(factor_cost).sum()
}

/// The bytes of a vector for the estimate. Recipes do not depend on the machine.
const VECTOR: usize = 64;

/// Whether a convolution along each line is faster than the scheme with lines in the lanes, by the
/// estimated number of vector operations. `real` has the bytes of a real.
///
/// Such a convolution rounds about twice as much as butterflies do. So it is to be twice as fast as
/// they are.
pub(crate) fn is_faster(convolution: &Scheme, in_lanes: &Scheme, data: Data, lines: usize, real: usize) -> bool {
    let butterflies = in_lanes.factors().all(|factor| matches!(factor, Factor::Radix(_)));
    let times = if butterflies { 2.0 } else { 1.0 };
    let operations = |scheme| operations(scheme, data, lines, real);
    times * operations(convolution) < operations(in_lanes)
}

/// The greatest line, in bytes, that the caches of most machines keep between trips over it.
const CACHED: usize = 4 << 20;

/// A trip through memory over longer lines, in operations for each number. A matrix takes four trips. A
/// convolution takes three for each DFT, and three more. Measured: docs/performance/log.md.
const TRIP: f64 = 100.0;
const TRIPS_OF_MATRIX: f64 = 4.0;
const TRIPS_OF_CONVOLUTION: f64 = 9.0;

/// The estimated vector operations of so many lines.
fn operations(scheme: &Scheme, data: Data, lines: usize, real: usize) -> f64 {
    let lanes = VECTOR / real;
    let parts = if matches!(data, Data::Real | Data::Hermitian) { 1.0 } else { 2.0 };
    let reals = 2.0 * lines as f64 / lanes as f64 * scheme.length() as f64;
    let trip = if 2 * real * scheme.length() > CACHED { TRIP } else { 0.0 };
    match scheme {
        Scheme::Batched(_) => lines.div_ceil(lanes) as f64 * parts * scheme.length() as f64 * scheme_cost(scheme),
        Scheme::Bluestein { length, inner } => {
            let longer = inner.length() as f64 / *length as f64;
            reals * longer * (convolution_cost(inner) + TRIPS_OF_CONVOLUTION * trip)
        }
        // The twiddle factors between columns and rows, and the pairs of reals, take about 15.
        _ => reals * (scheme_cost(scheme) + 15.0 + TRIPS_OF_MATRIX * trip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convolutions_are_long_enough_and_no_longer_than_half_again() {
        for n in (6..5000).chain((1 << 20)..(1 << 20) + 50) {
            for data in [Data::Real, Data::Hermitian, Data::Complex, Data::ComplexBackward] {
                let Some(Scheme::Bluestein { length, inner }) = scheme(data, n, 8) else { panic!("{n} has none") };
                let (of_line, pairs) = of_line(data, n);
                let least = bluestein::least(bluestein::counts(of_line, pairs));
                assert_eq!(length, pairs);
                assert!((least..=(3 * least / 2).max(2 * FIRST)).contains(&inner.length()), "{n}: {inner}");
            }
        }
    }

    #[test]
    fn smooth_lengths_have_butterflies_unless_a_convolution_is_much_faster() {
        let scheme = |n: usize, list: &[usize]| {
            let lanes = Scheme::Batched(list.iter().copied().map(Factor::Radix).collect());
            is_faster(&self::scheme(Data::Real, n, 8).unwrap(), &lanes, Data::Real, 1, 8)
        };
        assert!(!scheme(3125, &[5; 5]) && !scheme(625, &[5; 4]));
        let rough = Scheme::Batched(vec![Factor::Direct(67)]);
        assert!(is_faster(&self::scheme(Data::Real, 67, 8).unwrap(), &rough, Data::Real, 1, 8));
        assert!(!is_faster(&self::scheme(Data::Real, 67, 8).unwrap(), &rough, Data::Real, 8, 8));
    }
}

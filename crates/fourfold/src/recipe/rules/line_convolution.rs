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
const ODD: [usize; 12] = [1, 3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 75];

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
    let best =
        schemes.filter_map(|m| intra_vector::scheme(m, real)).min_by(|a, b| convolution(a).total_cmp(&convolution(b)));
    best.map(|inner| Scheme::Bluestein { length: n, inner: Box::new(inner) })
}

/// The estimated operations of a convolution of complex numbers by two DFTs of this scheme. The
/// multiplications take about 20 for each number.
fn convolution(inner: &Scheme) -> f64 {
    inner.length() as f64 * 2.0 * (2.0 * scheme_cost(inner) + 20.0)
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
    let operations = |scheme| operations(scheme, data, lines, VECTOR / real);
    times * operations(convolution) < operations(in_lanes)
}

/// The estimated vector operations of so many lines.
fn operations(scheme: &Scheme, data: Data, lines: usize, lanes: usize) -> f64 {
    // Measured beside the other schemes: the matrix moves through memory three times.
    const MATRIX: f64 = 3.0;
    let parts = if matches!(data, Data::Real | Data::Hermitian) { 1.0 } else { 2.0 };
    let along_lines = lines as f64 / lanes as f64;
    match scheme {
        Scheme::Batched(_) => lines.div_ceil(lanes) as f64 * parts * scheme.length() as f64 * scheme_cost(scheme),
        Scheme::Bluestein { inner, .. } => along_lines * convolution(inner),
        _ => along_lines * MATRIX * 2.0 * scheme.length() as f64 * (scheme_cost(scheme) + 15.0),
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

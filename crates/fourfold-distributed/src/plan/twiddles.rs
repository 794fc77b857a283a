//! The factors of a long signal: between its columns and its rows, and of pairs of terms.

use crate::recipe::real_form::{RealForm, TermMap};
use fourfold::engine::{AxisTransform, EndWeights, Roots, Transform1d, collected};
use fourfold::{Multiplier, Problem, Result};
use num_complex::Complex;
use std::f64::consts::SQRT_2;
use std::ops::Range;

/// Roots of unity, or their conjugates.
struct UnitRoots {
    of: Roots,
    order: u64,
    is_conjugate: bool,
}

impl UnitRoots {
    /// The roots of this order for the transform, which are conjugate if its DFT is backward.
    fn new(transform: &AxisTransform, order: usize) -> UnitRoots {
        let is_conjugate = match RealForm::of(transform) {
            Some(RealForm::TermPairs { inverse, .. }) => inverse,
            Some(RealForm::Ends { backward }) => backward,
            Some(RealForm::HalfSpectrum { inverse }) => inverse,
            Some(RealForm::Extended { .. } | RealForm::Centered { .. }) => false,
            None => transform.transform1d == Transform1d::Backward,
        };
        UnitRoots { of: Roots::new(order as u64), order: order as u64, is_conjugate }
    }

    fn get(&self, numerator: usize) -> Complex<f64> {
        let root = self.of.get(numerator as u64 % self.order);
        if self.is_conjugate { root.conj() } else { root }
    }
}

/// The factors of a rank's part of the matrix, with k₁ along axis 0 and n₂ along axis 1. They are w_N^{n₂k₁}, and for
/// the N/2 elements of a [`RealForm::Ends`] w_{N/2}^{n₂k₁} r^{4n₂+1+4k₁} with r = w_{8N}. Those of a
/// [`RealForm::Centered`] have the sign (−1)^{n₂}, and [`real_signal`](crate::recipe::real_signal) derives those
/// of a [`RealForm::Extended`].
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn twiddles(signal: &Problem, [_, columns]: [usize; 2], ranges: &[Range<usize>]) -> Result<Multiplier> {
    let transform = &signal.transforms()[0];
    let (form, length) = (RealForm::of(transform), transform.n);
    let roots = |order: usize| UnitRoots::new(transform, order);
    match form {
        Some(RealForm::Ends { .. }) => {
            let roots = roots(8 * length);
            table(ranges, |k, n| roots.get(16 * k * n + 4 * (n + k) + 1))
        }
        Some(form @ RealForm::Extended { odd }) => {
            let (roots, by) = (roots(form.elements(length)), Complex::new(0.0, -1.0));
            table(ranges, |k, n| if odd { roots.get((columns - n) * k) * by } else { roots.get((columns - n) * k) })
        }
        Some(RealForm::Centered { .. }) => {
            let roots = roots(2 * length);
            table(ranges, |k, n| roots.get((2 * k + length) * n))
        }
        Some(RealForm::TermPairs { .. } | RealForm::HalfSpectrum { .. }) | None => {
            let roots = roots(length);
            table(ranges, |k, n| roots.get(k * n))
        }
    }
}

/// The factors r^{4N₂n₁} of the rows of a [`RealForm::Ends`].
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn row_factors(signal: &Problem, [rows, columns]: [usize; 2]) -> Result<Vec<Complex<f64>>> {
    let transform = &signal.transforms()[0];
    let roots = UnitRoots::new(transform, 8 * transform.n);
    list(0..rows, |n| roots.get(4 * columns * n))
}

/// The factors that make pairs of terms of the spectrum of a real signal, or the spectrum of pairs, with k₁
/// along axis 0 and k₂ along axis 1.
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn pair_factors(signal: &Problem, rows: usize, ranges: &[Range<usize>]) -> Result<Multiplier> {
    let transform @ AxisTransform { n: length, transform1d, end_weights, .. } = signal.transforms()[0];
    let [of_rows, of_columns] = [ranges[0].clone(), ranges[1].clone()];
    let real = |x: f64| Complex::new(x, 0.0);
    let (order, step, by) = match RealForm::of(&transform) {
        Some(RealForm::Ends { backward }) => {
            let roots = UnitRoots::new(&transform, 8 * length);
            // The factors of k₁ are among the twiddles.
            let by = if backward { Complex::new(0.0, -2.0) } else { real(2.0) };
            let lists = vec![list(of_rows, |_| by)?, list(of_columns, |k2| roots.get(4 * rows * k2))?];
            return Ok(Multiplier::ComplexSeparable(lists));
        }
        Some(RealForm::TermPairs { even_odd: true, inverse, map }) => {
            let half = if map == TermMap::Shifted { 0.5 } else { 1.0 };
            (4 * length, 3, real(if inverse { half } else { 2.0 * half }))
        }
        Some(RealForm::Centered { sine }) => {
            // The signs of the DCT-IV's signal are the others.
            let by = if sine { SQRT_2 } else { -SQRT_2 };
            (4 * length, 1, Complex::new(by, by))
        }
        _ => (1, 0, Complex::new(1.0, 1.0)),
    };
    let roots = UnitRoots::new(&transform, order);
    let weight = first_weight(transform1d, &end_weights);
    if weight != 1.0 && of_rows.contains(&0) && of_columns.contains(&0) {
        let factor = |k1: usize, k2: usize| {
            let k = k1 + rows * k2;
            roots.get(step * k) * by * if k == 0 { weight } else { 1.0 }
        };
        return table(ranges, factor);
    }
    let lists =
        vec![list(of_rows, |k1| roots.get(step * k1) * by)?, list(of_columns, |k2| roots.get(step * rows * k2))?];
    Ok(Multiplier::ComplexSeparable(lists))
}

/// The factor on term 0, which has no partner.
fn first_weight(transform: Transform1d, weights: &EndWeights) -> f64 {
    match transform {
        Transform1d::Dct2 => weights.output_first,
        Transform1d::Dct3 => weights.input_first,
        Transform1d::Dst2 => weights.output_last,
        Transform1d::Dst3 => weights.input_last,
        // No element has term 0, and the element 0 of the other side is 0 or ignored.
        Transform1d::Idxst | Transform1d::IdxstAdjoint => 0.0,
        _ => 1.0,
    }
}

fn list(range: Range<usize>, factor: impl Fn(usize) -> Complex<f64>) -> Result<Vec<Complex<f64>>> {
    let count = range.len();
    collected(count, range.map(factor), format_args!("{count} factors"))
}

/// A factor for each index of the ranges.
fn table(ranges: &[Range<usize>], factor: impl Fn(usize, usize) -> Complex<f64>) -> Result<Multiplier> {
    let (rows, columns) = (ranges[0].clone(), ranges[1].clone());
    let count = rows.len() * columns.len();
    let all = rows.flat_map(|k| columns.clone().map(move |n| (k, n))).map(|(k, n)| factor(k, n));
    Ok(Multiplier::ComplexTable(collected(count, all, format_args!("{count} twiddle factors"))?))
}

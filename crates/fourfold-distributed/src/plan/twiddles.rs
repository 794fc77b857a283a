//! The factors of a long signal: between its columns and its rows, and of pairs of terms.

use fourfold::engine::{AxisTransform, Roots, Transform1d, collected};
use fourfold::{Multiplier, Problem, Result};
use num_complex::Complex;
use std::ops::Range;

/// The factors w_N^{n₂k₁} of a rank's part of the matrix, with k₁ along axis 0 and n₂ along axis 1.
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn twiddles(signal: &Problem, ranges: &[Range<usize>]) -> Result<Multiplier> {
    let transform = signal.transforms()[0];
    let roots = Roots::new(transform.n as u64);
    let is_forward = !matches!(
        transform.transform1d,
        Transform1d::Backward | Transform1d::C2R | Transform1d::Dct3 | Transform1d::Dst3
    );
    let factor = |k: usize, n: usize| {
        // k < N₁ and n < N₂, so that the product is below N.
        let root = roots.get((k * n) as u64);
        if is_forward { root } else { root.conj() }
    };
    table(ranges, factor)
}

/// The factors that make pairs of terms of the spectrum of a real signal, or the spectrum of pairs, with k₁
/// along axis 0 and k₂ along axis 1.
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn pair_factors(signal: &Problem, rows: usize, ranges: &[Range<usize>]) -> Result<Multiplier> {
    let AxisTransform { n, transform1d, end_weights, .. } = signal.transforms()[0];
    let length = 4 * n as u64;
    let roots = Roots::new(length);
    let weight = match transform1d {
        Transform1d::Dct2 => end_weights.output_first,
        Transform1d::Dct3 => end_weights.input_first,
        Transform1d::Dst2 => end_weights.output_last,
        Transform1d::Dst3 => end_weights.input_last,
        _ => 1.0,
    };
    let factor = |k: usize| {
        let root = roots.get(3 * k as u64 % length);
        match transform1d {
            Transform1d::Dht => Complex::ONE,
            Transform1d::Dct2 | Transform1d::Dst2 => root,
            _ => root.conj(),
        }
    };
    let by = match transform1d {
        Transform1d::Dht => Complex::new(1.0, 1.0),
        Transform1d::Dct2 | Transform1d::Dst2 => Complex::new(2.0, 0.0),
        _ => Complex::ONE,
    };
    let [of_rows, of_columns] = [ranges[0].clone(), ranges[1].clone()];
    if weight != 1.0 && of_rows.contains(&0) && of_columns.contains(&0) {
        let factor = |k1: usize, k2: usize| {
            let k = k1 + rows * k2;
            factor(k) * by * if k == 0 { weight } else { 1.0 }
        };
        return table(ranges, factor);
    }
    let list = |range: Range<usize>, factor: &dyn Fn(usize) -> Complex<f64>| {
        let count = range.len();
        collected(count, range.map(factor), format_args!("{count} factors"))
    };
    let lists = vec![list(of_rows, &|k1| factor(k1) * by)?, list(of_columns, &|k2| factor(rows * k2))?];
    Ok(Multiplier::ComplexSeparable(lists))
}

/// A factor for each index of the ranges.
fn table(ranges: &[Range<usize>], factor: impl Fn(usize, usize) -> Complex<f64>) -> Result<Multiplier> {
    let (rows, columns) = (ranges[0].clone(), ranges[1].clone());
    let count = rows.len() * columns.len();
    let all = rows.flat_map(|k| columns.clone().map(move |n| (k, n))).map(|(k, n)| factor(k, n));
    Ok(Multiplier::ComplexTable(collected(count, all, format_args!("{count} twiddle factors"))?))
}

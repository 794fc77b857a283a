//! The factors between the columns and the rows of a long signal.

use fourfold::engine::{Roots, Transform1d, collected};
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
    let is_forward = matches!(transform.transform1d, Transform1d::Forward | Transform1d::R2C);
    let factor = |k: usize, n: usize| {
        // k < N₁ and n < N₂, so that the product is below N.
        let root = roots.get((k * n) as u64);
        if is_forward { root } else { root.conj() }
    };
    let (rows, columns) = (ranges[0].clone(), ranges[1].clone());
    let count = rows.len() * columns.len();
    let all = rows.flat_map(|k| columns.clone().map(move |n| (k, n))).map(|(k, n)| factor(k, n));
    let table: Vec<Complex<f64>> = collected(count, all, format_args!("{count} twiddle factors"))?;
    Ok(Multiplier::ComplexTable(table))
}

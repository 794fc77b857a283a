//! Single precision, with the scale factors of the eight-point transforms in the quantisation
//! table.

use crate::simd::isa::{Block, Floats, Vectors};
use fourfold::each;
use fourfold::engine::jpeg::Table;
use fourfold::engine::{dct8, idct8};

/// What every coefficient is multiplied by: of each row four, and four.
pub(crate) type Factors = [[[f32; 4]; 2]; 8];

/// Of the inverse.
pub(crate) fn dequantisers(table: &Table) -> Factors {
    factors(&table.dequantisers())
}

/// Of the forward transform.
pub(crate) fn quantisers(table: &Table) -> Factors {
    factors(&table.quantisers())
}

/// What takes back the factor of [`Vectors::to_floats`] too.
fn factors(of: &Block<f32>) -> Factors {
    let factor = |row: usize, column: usize| of[row][column] / 65536.0;
    std::array::from_fn(|row| std::array::from_fn(|half| std::array::from_fn(|i| factor(row, 4 * half + i))))
}

/// Whether no coefficients become samples beyond 32 bits: 2^15 times the table's sum, as no wave is
/// above 1/4.
pub(crate) fn is_tame(table: &Table) -> bool {
    table.rows().as_flattened().iter().map(|&q| u64::from(q)).sum::<u64>() < 1 << 17
}

/// Rows of the first four columns of blocks, and of the others. Two variables rather than an array
/// of arrays, which would go through memory.
type Halves<F> = ([F; 8], [F; 8]);

/// Exchanges rows and columns.
#[inline(always)]
fn transpose<F: Floats>((l, r): Halves<F>) -> Halves<F> {
    let (a, b) = (F::transpose([l[0], l[1], l[2], l[3]]), F::transpose([r[0], r[1], r[2], r[3]]));
    let (c, d) = (F::transpose([l[4], l[5], l[6], l[7]]), F::transpose([r[4], r[5], r[6], r[7]]));
    let joined = |x: [F; 4], y: [F; 4]| [x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]];
    (joined(a, b), joined(c, d))
}

/// Samples, as columns, of quantised coefficients, as rows.
#[inline(always)]
pub(crate) fn inverse<V: Vectors>(coefficients: [V::Words; 8], factors: &Factors) -> [V::Words; 8] {
    let left = each!(row < 8 => V::to_floats(coefficients[row])[0] * V::Floats::repeat(&factors[row][0]));
    let right = each!(row < 8 => V::to_floats(coefficients[row])[1] * V::Floats::repeat(&factors[row][1]));
    let (left, right) = transpose((idct8(left), idct8(right)));
    let (left, right) = (idct8(left), idct8(right));
    each!(column < 8 => V::to_words([left[column], right[column]]))
}

/// Quantised coefficients, as rows, of samples less 128, as rows.
#[inline(always)]
pub(crate) fn forward<V: Vectors>(samples: [V::Words; 8], factors: &Factors) -> [V::Words; 8] {
    let left = each!(row < 8 => V::to_floats(samples[row])[0]);
    let right = each!(row < 8 => V::to_floats(samples[row])[1]);
    let (left, right) = transpose((dct8(left), dct8(right)));
    let (left, right) = transpose((dct8(left), dct8(right)));
    let left = each!(row < 8 => left[row] * V::Floats::repeat(&factors[row][0]));
    let right = each!(row < 8 => right[row] * V::Floats::repeat(&factors[row][1]));
    each!(row < 8 => V::to_words([left[row], right[row]]))
}

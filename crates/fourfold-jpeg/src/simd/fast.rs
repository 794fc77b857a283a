//! Single precision. The scale factors of the 8-point transforms are multiplied into the
//! quantisation table.

use crate::simd::isa::vectors::{Block, Floats, Vectors};
use fourfold::each;
use fourfold::engine::jpeg::Table;
use fourfold::engine::{dct8, idct8};

/// The factor of each coefficient: for each row, those of columns 0 to 3 and of columns 4 to 7.
pub(crate) type Factors = [[[f32; 4]; 2]; 8];

/// The factors of the inverse transform.
pub(crate) fn dequantisers(table: &Table) -> Factors {
    factors(&table.dequantisers())
}

/// The factors of the forward transform.
pub(crate) fn quantisers(table: &Table) -> Factors {
    factors(&table.quantisers())
}

/// The same, divided by the 2^16 of [`Vectors::to_floats`].
fn factors(of: &Block<f32>) -> Factors {
    let factor = |row: usize, column: usize| of[row][column] / 65536.0;
    std::array::from_fn(|row| std::array::from_fn(|half| std::array::from_fn(|i| factor(row, 4 * half + i))))
}

/// Whether samples fit 32 bits for all coefficients. No basis function of the transform exceeds
/// 1/4, and no coefficient 2^15, so that |sample| ≤ 2^13 Σ q; a bound of 2^30 leaves a margin for
/// rounding.
pub(crate) fn fits_i32(table: &Table) -> bool {
    table.rows().as_flattened().iter().map(|&q| u64::from(q)).sum::<u64>() < 1 << 17
}

/// The 8 rows of columns 0 to 3, and those of columns 4 to 7. A tuple, since the compiler keeps an
/// array of arrays in memory.
type Halves<F> = ([F; 8], [F; 8]);

/// Transposes every block.
#[inline(always)]
fn transpose<F: Floats>((l, r): Halves<F>) -> Halves<F> {
    let (a, b) = (F::transpose([l[0], l[1], l[2], l[3]]), F::transpose([r[0], r[1], r[2], r[3]]));
    let (c, d) = (F::transpose([l[4], l[5], l[6], l[7]]), F::transpose([r[4], r[5], r[6], r[7]]));
    let joined = |x: [F; 4], y: [F; 4]| [x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]];
    (joined(a, b), joined(c, d))
}

/// The columns of the samples, from the rows of the quantised coefficients.
///
/// # Safety
/// The CPU has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn inverse<V: Vectors>(coefficients: [V::Words; 8], factors: &Factors) -> [V::Words; 8] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let left = each!(row < 8 => V::to_floats(coefficients[row])[0] * V::Floats::repeat(&factors[row][0]));
        let right = each!(row < 8 => V::to_floats(coefficients[row])[1] * V::Floats::repeat(&factors[row][1]));
        let (left, right) = transpose((idct8(left), idct8(right)));
        let (left, right) = (idct8(left), idct8(right));
        each!(column < 8 => V::to_words([left[column], right[column]]))
    }
}

/// The rows of the quantised coefficients, from the rows of the samples minus 128.
///
/// # Safety
/// The CPU has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn forward<V: Vectors>(samples: [V::Words; 8], factors: &Factors) -> [V::Words; 8] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let left = each!(row < 8 => V::to_floats(samples[row])[0]);
        let right = each!(row < 8 => V::to_floats(samples[row])[1]);
        let (left, right) = transpose((dct8(left), dct8(right)));
        let (left, right) = transpose((dct8(left), dct8(right)));
        let left = each!(row < 8 => left[row] * V::Floats::repeat(&factors[row][0]));
        let right = each!(row < 8 => right[row] * V::Floats::repeat(&factors[row][1]));
        each!(row < 8 => V::to_words([left[row], right[row]]))
    }
}

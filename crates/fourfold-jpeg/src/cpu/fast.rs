//! Single precision, with the scale factors of the eight-point transforms in the quantisation table.

use super::isa::{Floats, Vectors, each};
use fourfold::engine::{SCALES, dct8, idct8};

/// What every coefficient is multiplied by.
pub(super) type Factors = [[f32; 8]; 8];

/// Of the inverse: q s_k s_l.
pub(super) fn dequantisers(table: &[[u16; 8]; 8]) -> Factors {
    std::array::from_fn(|k| std::array::from_fn(|l| (f64::from(table[k][l]) * SCALES[k] * SCALES[l]) as f32))
}

/// Of the forward transform: 1 / (64 s_k s_l q).
pub(super) fn quantisers(table: &[[u16; 8]; 8]) -> Factors {
    let factor = |k: usize, l: usize| 1.0 / (64.0 * SCALES[k] * SCALES[l] * f64::from(table[k][l]));
    std::array::from_fn(|k| std::array::from_fn(|l| factor(k, l) as f32))
}

/// Samples, as columns, of quantised coefficients, as rows.
#[inline(always)]
pub(super) fn inverse<V: Vectors>(coefficients: [V::Words; 8], factors: &Factors) -> [V::Words; 8] {
    let floats = each!(row < 8 => V::to_floats(coefficients[row]));
    let halves = each!(half < 2 => {
        let rows = each!(row < 8 => floats[row][half] * V::Floats::repeat(&factors[row]));
        idct8(V::Floats::transpose(idct8(rows)))
    });
    each!(column < 8 => V::to_words([halves[0][column], halves[1][column]]))
}

/// Quantised coefficients, as rows, of samples less 128, as rows.
#[inline(always)]
pub(super) fn forward<V: Vectors>(samples: [V::Words; 8], factors: &Factors) -> [V::Words; 8] {
    let floats = each!(row < 8 => V::to_floats(samples[row]));
    let halves = each!(half < 2 => {
        let columns = V::Floats::transpose(dct8(each!(row < 8 => floats[row][half])));
        let rows = V::Floats::transpose(dct8(columns));
        each!(row < 8 => rows[row] * V::Floats::repeat(&factors[row]))
    });
    each!(row < 8 => V::to_words([halves[0][row], halves[1][row]]))
}

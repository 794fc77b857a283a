//! Single precision, with the scale factors of the eight-point transforms in the quantisation table.

use super::isa::{Block, Floats, Vectors};
use fourfold::each;
use fourfold::engine::{dct8, idct8};

/// Samples, as columns, of quantised coefficients, as rows.
#[inline(always)]
pub(super) fn inverse<V: Vectors>(coefficients: [V::Words; 8], factors: &Block<f32>) -> [V::Words; 8] {
    let floats = each!(row < 8 => V::to_floats(coefficients[row]));
    let halves = each!(half < 2 => {
        let rows = each!(row < 8 => floats[row][half] * V::Floats::repeat(&factors[row]));
        idct8(V::Floats::transpose(idct8(rows)))
    });
    each!(column < 8 => V::to_words([halves[0][column], halves[1][column]]))
}

/// Quantised coefficients, as rows, of samples less 128, as rows.
#[inline(always)]
pub(super) fn forward<V: Vectors>(samples: [V::Words; 8], factors: &Block<f32>) -> [V::Words; 8] {
    let floats = each!(row < 8 => V::to_floats(samples[row]));
    let halves = each!(half < 2 => {
        let columns = V::Floats::transpose(dct8(each!(row < 8 => floats[row][half])));
        let rows = V::Floats::transpose(dct8(columns));
        each!(row < 8 => rows[row] * V::Floats::repeat(&factors[row]))
    });
    each!(row < 8 => V::to_words([halves[0][row], halves[1][row]]))
}

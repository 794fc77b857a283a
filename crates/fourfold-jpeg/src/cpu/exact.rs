//! libjpeg's integer method, "islow", on blocks: its eight-point transforms are the core's.

use super::isa::{Block, Vectors};
use fourfold::each;
use fourfold::engine::jpeg::{Table, Words, dct8_first, dct8_last, divisor, idct8_first, idct8_last};

/// Samples, as columns, of quantised coefficients, as rows.
#[inline(always)]
pub(super) fn inverse<V: Vectors>(coefficients: [V::Words; 8], table: &Block<i16>) -> [V::Words; 8] {
    let rows = each!(row < 8 => coefficients[row].mul(V::repeat(&table[row])));
    idct8_last(V::transpose(idct8_first(rows)))
}

/// What divides by a quantisation table's values times eight; see [`divisor`].
pub(crate) struct Divisors {
    half: Block<i16>,
    first: Block<i16>,
    second: Block<i16>,
}

impl Divisors {
    pub(super) fn new(table: &Table) -> Divisors {
        let part = |part: usize| table.rows().map(|row| row.map(|value| divisor(value)[part] as i16));
        Divisors { half: part(0), first: part(1), second: part(2) }
    }
}

/// Quantised coefficients, as rows, of samples less 128, as rows.
#[inline(always)]
pub(super) fn forward<V: Vectors>(samples: [V::Words; 8], by: &Divisors) -> [V::Words; 8] {
    let rows = dct8_last(V::transpose(dct8_first(V::transpose(samples))));
    each!(row < 8 => {
        rows[row].scale(V::repeat(&by.half[row]), V::repeat(&by.first[row]), V::repeat(&by.second[row]))
    })
}

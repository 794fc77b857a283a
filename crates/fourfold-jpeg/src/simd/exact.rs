//! libjpeg's integer method, "islow", on blocks: its eight-point transforms are the core's.

use crate::simd::isa::{Block, Places, Vectors};
use crate::simd::{MOST_BLOCKS, blocks};
use fourfold::each;
use fourfold::engine::jpeg::{Table, Words, dct8_first, dct8_last, divisor, idct8_first, idct8_last, wrapped8};

/// Samples, as columns, of quantised coefficients, as rows.
#[inline(always)]
pub(crate) fn inverse<V: Vectors>(coefficients: [V::Words; 8], table: &Block<i16>) -> [V::Words; 8] {
    let mut rows = each!(row < 8 => coefficients[row].mul(V::repeat(&table[row])));
    let wrapped = wrapped8(rows[0]);
    if !V::are_zero(rows[0] - wrapped) {
        rows[0] = wrapped_where_alone::<V>(rows[0], coefficients);
    }
    idct8_last(V::transpose(idct8_first(rows)))
}

/// The first row, wrapped in blocks whose other rows are zero. Photographs have no values that this
/// changes, and so it need not be fast.
#[inline(always)]
fn wrapped_where_alone<V: Vectors>(first: V::Words, coefficients: [V::Words; 8]) -> V::Words {
    let (mut all, mut wrapped) = ([[0; 64]; MOST_BLOCKS], [[0; 64]; MOST_BLOCKS]);
    let places = |of| Places::new(of, None, V::BLOCKS).expect("room for any vector's blocks");
    V::store(coefficients, places(all.as_flattened_mut()));
    V::store(each!(row < 8 => if row == 0 { first } else { wrapped8(first) }), places(wrapped.as_flattened_mut()));
    for (block, wrapped) in all.iter().zip(&mut wrapped) {
        if block[8..].iter().all(|&value| value == 0) {
            wrapped.copy_within(8..16, 0);
        }
    }
    V::load(blocks(&wrapped))[0]
}

/// What divides by a quantisation table's values times eight; see [`divisor`].
pub(crate) struct Divisors {
    half: Block<i16>,
    first: Block<i16>,
    second: Block<i16>,
}

impl Divisors {
    pub(crate) fn new(table: &Table) -> Divisors {
        let part = |part: usize| table.rows().map(|row| row.map(|value| divisor(value)[part] as i16));
        Divisors { half: part(0), first: part(1), second: part(2) }
    }
}

/// Quantised coefficients, as rows, of samples less 128, as rows.
#[inline(always)]
pub(crate) fn forward<V: Vectors>(samples: [V::Words; 8], by: &Divisors) -> [V::Words; 8] {
    let rows = dct8_last(V::transpose(dct8_first(V::transpose(samples))));
    each!(row < 8 => {
        rows[row].scale(V::repeat(&by.half[row]), V::repeat(&by.first[row]), V::repeat(&by.second[row]))
    })
}

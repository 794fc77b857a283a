//! libjpeg's integer method "islow" on blocks. The 8-point transforms are in the core crate.

use crate::simd::isa::vectors::{Block, BlocksMut, MAX_BLOCKS, Vectors, as_rows};
use fourfold::each;
use fourfold::engine::jpeg::{Table, Words, dct8_first, dct8_last, divisor, idct8_first, idct8_last, wrapped8};

/// The columns of the samples, from the rows of the quantised coefficients.
///
/// # Safety
/// The CPU has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn inverse<V: Vectors>(coefficients: [V::Words; 8], table: &Block<i16>) -> [V::Words; 8] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let mut rows = each!(row < 8 => coefficients[row].mul(V::repeat(&table[row])));
        let wrapped = wrapped8(rows[0]);
        if !V::are_zero(rows[0] - wrapped) {
            rows[0] = wrap_where_other_rows_are_zero::<V>(rows[0], coefficients);
        }
        idct8_last(V::transpose(idct8_first(rows)))
    }
}

/// The first row, wrapped as by [`wrapped8`] in blocks whose other rows are zero. Only values
/// beyond ±8191 change, which coefficients of 8-bit images do not reach, so this need not be fast.
///
/// # Safety
/// The CPU has the instruction set of `V`.
#[inline(always)]
unsafe fn wrap_where_other_rows_are_zero<V: Vectors>(first: V::Words, coefficients: [V::Words; 8]) -> V::Words {
    // SAFETY: the caller guarantees it.
    unsafe {
        let (mut all, mut wrapped) = ([[0; 64]; MAX_BLOCKS], [[0; 64]; MAX_BLOCKS]);
        let to = |values| BlocksMut::new(values, None, V::BLOCKS).expect("room for any vector's blocks");
        V::store(coefficients, to(all.as_flattened_mut()));
        V::store(each!(row < 8 => if row == 0 { first } else { wrapped8(first) }), to(wrapped.as_flattened_mut()));
        for (block, wrapped) in all.iter().zip(&mut wrapped) {
            if block[8..].iter().all(|&value| value == 0) {
                wrapped.copy_within(8..16, 0);
            }
        }
        V::load(as_rows(&wrapped))[0]
    }
}

/// Factors that divide by 8 times the values of a quantisation table; see [`divisor`].
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

/// The rows of the quantised coefficients, from the rows of the samples minus 128.
///
/// # Safety
/// The CPU has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn forward<V: Vectors>(samples: [V::Words; 8], divisors: &Divisors) -> [V::Words; 8] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let rows = dct8_last(V::transpose(dct8_first(V::transpose(samples))));
        each!(row < 8 => {
            rows[row].scale(V::repeat(&divisors.half[row]), V::repeat(&divisors.first[row]), V::repeat(&divisors.second[row]))
        })
    }
}

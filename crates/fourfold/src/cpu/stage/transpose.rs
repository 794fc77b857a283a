//! Transposes, tile by tile, so that lines of the cache are used whole on both sides.

use super::digits;
use crate::cpu::engine::Precise;
use crate::cpu::memory::{AXES, Array};
use crate::cpu::threads::Pool;
use crate::stage::Stage;

/// The last axis of an array becomes another: a matrix of its lines is transposed.
pub(super) struct Transpose {
    /// The other axes, in the order of the array that is read.
    rows: Vec<usize>,
    sizes: Vec<usize>,
    column: usize,
}

/// Rows and columns of a tile.
const SIDE: usize = 16;

/// Rows of a task.
const BAND: usize = 64;

impl Transpose {
    pub(super) fn new(stage: &Stage) -> Self {
        let (axes, lengths) = (&stage.from.axes, &stage.from.lengths);
        let last = axes.len() - 1;
        Transpose { rows: axes[..last].to_vec(), sizes: lengths[..last].to_vec(), column: axes[last] }
    }

    /// # Safety
    /// The arrays are there, and nobody else's.
    pub(super) unsafe fn run<S: Precise>(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        let rows: usize = self.sizes.iter().product();
        pool.run(rows.div_ceil(BAND), &|_, band| {
            for start in (band * BAND..rows.min((band + 1) * BAND)).step_by(SIDE) {
                let count = SIDE.min(rows - start);
                let offsets: [[isize; 2]; SIDE] =
                    std::array::from_fn(|i| self.offsets(start + i.min(count - 1), [from, to]));
                // SAFETY: the caller's; rows do not meet.
                unsafe { self.band(from, to, &offsets[..count]) };
            }
        });
    }

    /// Where a row begins in both arrays.
    fn offsets<S>(&self, row: usize, arrays: [&Array<S>; 2]) -> [isize; 2] {
        let mut places = [0; AXES];
        digits(row, &self.sizes, &mut places[..self.rows.len()]);
        arrays
            .map(|array| self.rows.iter().zip(places).map(|(axis, place)| place as isize * array.strides[*axis]).sum())
    }

    /// # Safety
    /// As [`Transpose::run`].
    unsafe fn band<S: Precise>(&self, from: &Array<S>, to: &Array<S>, rows: &[[isize; 2]]) {
        let (n, steps) = (from.shape[self.column], [from.strides[self.column], to.strides[self.column]]);
        for start in (0..n).step_by(SIDE) {
            for column in start..n.min(start + SIDE) {
                let column = column as isize;
                for row in rows {
                    // SAFETY: the caller's.
                    unsafe {
                        *to.origin.offset(row[1] + column * steps[1]) = *from.origin.offset(row[0] + column * steps[0]);
                    }
                }
            }
        }
    }
}

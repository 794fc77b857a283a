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

/// Bytes of a line of the cache: a tile has so much of a row, and of a column.
const LINE: usize = 64;

/// Rows and columns of a tile of the narrowest reals.
const MOST: usize = LINE / size_of::<f32>();

/// Rows of a task: as many as an address cache has pages for.
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
        let (rows, side) = (self.sizes.iter().product::<usize>(), LINE / size_of::<S>());
        pool.run(rows.div_ceil(BAND), &|_, band| {
            let start = band * BAND;
            let count = BAND.min(rows - start);
            let offsets: [[isize; 2]; BAND] =
                std::array::from_fn(|i| self.offsets(start + i.min(count - 1), [from, to]));
            for column in (0..from.shape[self.column]).step_by(side) {
                for rows in offsets[..count].chunks(side) {
                    // SAFETY: the caller's; bands do not meet.
                    unsafe { self.tile(from, to, rows, column) };
                }
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

    /// A tile from column `start` on. It is read row by row and written column by column, a line of the cache at a time: where lines lie a power of two apart, few of
    /// them stay in the cache together.
    ///
    /// # Safety
    /// As [`Transpose::run`].
    unsafe fn tile<S: Precise>(&self, from: &Array<S>, to: &Array<S>, rows: &[[isize; 2]], start: usize) {
        let steps = [from.strides[self.column], to.strides[self.column]];
        let count = (LINE / size_of::<S>()).min(from.shape[self.column] - start);
        let mut tile = [[S::default(); MOST]; MOST];
        // SAFETY: the caller's.
        unsafe {
            for (row, line) in rows.iter().zip(&mut tile) {
                let first = from.origin.offset(row[0] + start as isize * steps[0]);
                (0..count).for_each(|i| line[i] = *first.offset(i as isize * steps[0]));
            }
            for column in 0..count {
                let first = to.origin.offset((start + column) as isize * steps[1]);
                rows.iter().zip(&tile).for_each(|(row, line)| *first.offset(row[1]) = line[column]);
            }
        }
    }
}

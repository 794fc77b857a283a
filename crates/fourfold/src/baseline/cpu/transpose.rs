//! Reorders from one fastest axis to another, transposes above all: tile by tile, so that lines of
//! the cache are used whole on both sides.

use crate::baseline::cpu::rows::digits;
use crate::baseline::stage::{Order, Stage};
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Dispatch;
use crate::recipe::reorder::EvenOdd;

/// A reorder in tiles of some rows, which are lines of the axis that is read fastest. Places are
/// those of the problem's order.
pub(crate) struct PreparedTranspose<S> {
    /// The other axes, the one that is written fastest last, and their lengths.
    rows: Vec<usize>,
    sizes: Vec<usize>,
    column: usize,
    /// Of every axis; nothing where all stay.
    moves: Vec<Option<Moves<S>>>,
}

/// For every place of an axis, where it is read, where it is written, and its sign.
type Moves<S> = Vec<([usize; 2], S)>;

/// Where something is read and written, and its sign.
#[derive(Clone, Copy)]
struct Ends<S> {
    offsets: [isize; 2],
    sign: S,
}

/// Bytes of a line of the cache: a tile has so much of a row, and of a column.
const LINE: usize = 64;

/// Rows and columns of a tile of the narrowest reals.
const MOST: usize = LINE / size_of::<f32>();

/// Rows of a task: as many as an address cache has pages for.
const BAND: usize = 64;

impl<S: Dispatch> PreparedTranspose<S> {
    pub(crate) fn new(stage: &Stage, orders: &[(usize, Order)]) -> Self {
        let (column, fastest) = (stage.from.fastest(), stage.to.fastest());
        let others = stage.from.axes.iter().copied().filter(|axis| ![column, fastest].contains(axis));
        let rows: Vec<usize> = others.chain([fastest]).collect();
        let sizes = rows.iter().map(|axis| stage.from.length(*axis)).collect();
        let order = |axis: usize| orders.iter().find(|(a, _)| *a == axis).map(|(_, order)| *order);
        let moves =
            (0..stage.from.axes.len()).map(|axis| order(axis).map(|order| moves(order, stage.from.length(axis))));
        PreparedTranspose { rows, sizes, column, moves: moves.collect() }
    }

    /// # Safety
    /// The arrays are there, and nobody else's.
    pub(crate) unsafe fn transpose(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        let (rows, side) = (self.sizes.iter().product::<usize>(), LINE / size_of::<S>());
        pool.run(rows.div_ceil(BAND), &|_, band| {
            let start = band * BAND;
            let count = BAND.min(rows - start);
            let lines: [Ends<S>; BAND] = std::array::from_fn(|i| self.row(start + i.min(count - 1), [from, to]));
            let n = from.shape[self.column];
            for column in (0..n).step_by(side) {
                let count_here = side.min(n - column);
                let columns: [Ends<S>; MOST] =
                    std::array::from_fn(|i| self.ends(self.column, column + i.min(count_here - 1), [from, to]));
                for rows in lines[..count].chunks(side) {
                    // SAFETY: the caller's; bands do not meet.
                    unsafe { tile(from, to, rows, &columns[..count_here]) };
                }
            }
        });
    }

    /// Where the first element of a row is.
    fn row(&self, row: usize, arrays: [&Array<S>; 2]) -> Ends<S> {
        let mut places = [0; AXES];
        digits(row, &self.sizes, &mut places[..self.rows.len()]);
        let none = Ends { offsets: [0; 2], sign: S::of(1.0) };
        self.rows.iter().zip(places).fold(none, |sum, (axis, place)| sum.and(self.ends(*axis, place, arrays)))
    }

    /// The offsets of a place along an axis, and its sign.
    fn ends(&self, axis: usize, place: usize, arrays: [&Array<S>; 2]) -> Ends<S> {
        let (places, sign) = self.moves[axis].as_ref().map_or(([place; 2], S::of(1.0)), |moves| moves[place]);
        Ends { offsets: [0, 1].map(|i| places[i] as isize * arrays[i].strides[axis]), sign }
    }
}

impl<S: Dispatch> Ends<S> {
    fn and(self, other: Ends<S>) -> Ends<S> {
        Ends { offsets: [0, 1].map(|i| self.offsets[i] + other.offsets[i]), sign: self.sign * other.sign }
    }
}

/// Where every place of a line of `n` is read and written, and its sign.
fn moves<S: Dispatch>(order: Order, n: usize) -> Moves<S> {
    let half = |i: usize| if i % 2 == 0 { i / 2 } else { n - i.div_ceil(2) };
    let ends = |i: usize| if order.writes_natural() { [half(i), i] } else { [i, half(i)] };
    let signs = matches!(order, Order::Split(EvenOdd { signs: true }) | Order::Merge(EvenOdd { signs: true }));
    (0..n).map(|i| (ends(i), S::of(if signs && i % 2 == 1 { -1.0 } else { 1.0 }))).collect()
}

/// One tile: read row by row and written column by column, a line of the cache at a time. Where
/// lines lie a power of two apart, few of them stay in the cache together.
///
/// # Safety
/// The arrays are there, and nobody else's.
unsafe fn tile<S: Dispatch>(from: &Array<S>, to: &Array<S>, rows: &[Ends<S>], columns: &[Ends<S>]) {
    let mut tile = [[S::of(0.0); MOST]; MOST];
    // SAFETY: the caller guarantees it.
    unsafe {
        for (row, line) in rows.iter().zip(&mut tile) {
            let first = from.origin.offset(row.offsets[0]);
            columns.iter().zip(line).for_each(|(column, x)| *x = first.offset(column.offsets[0]).read() * column.sign);
        }
        for (i, column) in columns.iter().enumerate() {
            let first = to.origin.offset(column.offsets[1]);
            rows.iter().zip(&tile).for_each(|(row, line)| first.offset(row.offsets[1]).write(line[i] * row.sign));
        }
    }
}

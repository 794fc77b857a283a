//! Executes reorders and transposes between arrays with different axes of stride 1. They work tile
//! by tile, so that cache lines are used completely on both sides.

use crate::baseline::cpu::rows::digits;
use crate::baseline::stage::{Order, Stage};
use crate::cpu::base::machine::{ALIGNMENT, Machine};
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Dispatch;
use crate::recipe::reorder::EvenOdd;

/// A reorder by tiles of rows, which are lines along the axis of stride 1 of the source. Indices
/// are those of the natural order.
pub(crate) struct PreparedTranspose<S> {
    /// The other axes and their lengths. The last one has stride 1 in the destination.
    rows: Vec<usize>,
    sizes: Vec<usize>,
    column: usize,
    /// The moves along every axis. `None` for axes that are not reordered.
    moves: Vec<Option<Moves<S>>>,
}

/// For every index of an axis, the indices at which it is read and written, and its sign.
type Moves<S> = Vec<([usize; 2], S)>;

/// The offsets at which an element is read and written, and its sign.
#[derive(Clone, Copy)]
struct Offsets<S> {
    offsets: [isize; 2],
    sign: S,
}

/// The bytes of a tile's rows and columns: a cache line of most machines. It is a constant, because
/// tiles are arrays.
const LINE: usize = ALIGNMENT;

/// The rows and columns of a tile of `f32`, which is the largest.
const MOST: usize = LINE / size_of::<f32>();

/// The columns of a task, a multiple of the columns of a tile, so that few rows also have tasks for
/// all threads.
const STRIP: usize = 1024;

/// The most rows of a task. A task has no more rows than the first-level TLB has entries.
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
    /// The arrays are in memory, and nothing else accesses them during the call.
    pub(crate) unsafe fn transpose(&self, from: &Array<S>, to: &Array<S>, pool: &Pool) {
        let (rows, side) = (self.sizes.iter().product::<usize>(), LINE / size_of::<S>());
        let most = BAND.min(Machine::this().tlb_entries);
        let n = from.shape[self.column];
        let strips = n.div_ceil(STRIP);
        pool.run_tasks(rows.div_ceil(most) * strips, &|_, task| {
            let (start, left) = (task / strips * most, task % strips * STRIP);
            let count = most.min(rows - start);
            let lines: [Offsets<S>; BAND] = std::array::from_fn(|i| self.row(start + i.min(count - 1), [from, to]));
            for column in (left..n.min(left + STRIP)).step_by(side) {
                let count_here = side.min(n - column);
                let columns: [Offsets<S>; MOST] =
                    std::array::from_fn(|i| self.ends(self.column, column + i.min(count_here - 1), [from, to]));
                for rows in lines[..count].chunks(side) {
                    // SAFETY: the caller guarantees it. Bands and strips are disjoint.
                    unsafe { tile(from, to, rows, &columns[..count_here]) };
                }
            }
        });
    }

    /// The offsets of the first element of a row.
    fn row(&self, row: usize, arrays: [&Array<S>; 2]) -> Offsets<S> {
        let mut places = [0; AXES];
        digits(row, &self.sizes, &mut places[..self.rows.len()]);
        let none = Offsets { offsets: [0; 2], sign: S::of(1.0) };
        self.rows.iter().zip(places).fold(none, |sum, (axis, place)| sum.and(self.ends(*axis, place, arrays)))
    }

    /// The offsets of an index along an axis, and its sign.
    fn ends(&self, axis: usize, place: usize, arrays: [&Array<S>; 2]) -> Offsets<S> {
        let (places, sign) = self.moves[axis].as_ref().map_or(([place; 2], S::of(1.0)), |moves| moves[place]);
        Offsets { offsets: [0, 1].map(|i| places[i] as isize * arrays[i].strides[axis]), sign }
    }
}

impl<S: Dispatch> Offsets<S> {
    fn and(self, other: Offsets<S>) -> Offsets<S> {
        Offsets { offsets: [0, 1].map(|i| self.offsets[i] + other.offsets[i]), sign: self.sign * other.sign }
    }
}

/// The moves of a line of `n` elements.
fn moves<S: Dispatch>(order: Order, n: usize) -> Moves<S> {
    let half = |i: usize| if i % 2 == 0 { i / 2 } else { n - i.div_ceil(2) };
    let ends = |i: usize| if order.writes_natural() { [half(i), i] } else { [i, half(i)] };
    let signs = matches!(order, Order::Split(EvenOdd { signs: true }) | Order::Merge(EvenOdd { signs: true }));
    (0..n).map(|i| (ends(i), S::of(if signs && i % 2 == 1 { -1.0 } else { 1.0 }))).collect()
}

/// Copies one tile, which is read row by row and written column by column. Each access is one cache
/// line, because only a few lines at a stride of a power of two can be in the cache at the same
/// time.
///
/// # Safety
/// The arrays are in memory, and nothing else accesses them during the call.
unsafe fn tile<S: Dispatch>(from: &Array<S>, to: &Array<S>, rows: &[Offsets<S>], columns: &[Offsets<S>]) {
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

//! Transposes of matrices: a thread moves a square of elements, or exchanges it with the one across
//! the diagonal.

use crate::baseline::kernels::moves::{StageKernelDesc, Strided};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::if_less;
use fourfold::engine::C;

/// A transpose of the matrix that a descriptor reads, by squares.
#[derive(Clone, Copy)]
pub(crate) struct Transpose<'a> {
    pub(crate) desc: &'a StageKernelDesc,
    pub(crate) side: usize,
    /// Elements that a thread reads or writes at once, if lines of both sides begin where so many
    /// elements do.
    pub(crate) width: usize,
    pub(crate) in_place: bool,
}

/// The elements of a square, row after row.
type Square = Vec<Vec<C<Sym>>>;

/// Squares of a matrix along columns, which are read fastest, and rows.
pub(crate) fn squares(desc: &StageKernelDesc, side: usize) -> [usize; 2] {
    [desc.from.stored[1].div_ceil(side), desc.from.stored[0].div_ceil(side)]
}

impl Transpose<'_> {
    /// A square, or in place two of them. Threads whose square is below the diagonal do nothing
    /// then.
    pub(crate) fn item(self, [row, column]: [Int; 2]) {
        let whole = self.desc.from.stored.iter().all(|n| n % self.side == 0);
        match (self.in_place, whole) {
            (false, true) => self.store([column, row], self.load([row, column])),
            (false, false) => self.elements([row, column]),
            (true, true) => if_less(row, column + 1, || self.exchange([row, column])),
            (true, false) => if_less(row, column + 1, || self.exchange_elements([row, column])),
        }
    }

    /// A square on the diagonal changes places with itself.
    fn exchange(self, [row, column]: [Int; 2]) {
        let above = self.load([row, column]);
        if_less(row, column, || self.store([row, column], self.load([column, row])));
        self.store([column, row], above);
    }

    /// A square from the array that is read.
    fn load(self, [row, column]: [Int; 2]) -> Square {
        let (side, from) = (self.side, &self.desc.from);
        let line = |i: usize| -> Vec<C<Sym>> {
            let row = row * side as i64 + i as i64;
            if self.is_wide() {
                let fours = (0..side / 2).map(|j| Array::Input.load_reals(four(from, row, column, side, j)));
                return fours.flat_map(|[a, b, c, d]| [C { re: a, im: b }, C { re: c, im: d }]).collect();
            }
            (0..side).map(|j| Array::Input.load_pair(pair(from, row, column * side as i64 + j as i64))).collect()
        };
        (0..side).map(line).collect()
    }

    /// The transpose of a square to the array that is written, whose rows are the columns of the
    /// other.
    fn store(self, [row, column]: [Int; 2], square: Square) {
        let (side, to) = (self.side, &self.desc.to);
        for i in 0..side {
            let (line, row): (Vec<C<Sym>>, _) =
                (square.iter().map(|line| line[i]).collect(), row * side as i64 + i as i64);
            if self.is_wide() {
                for (j, z) in line.chunks(2).enumerate() {
                    let reals = [z[0].re, z[0].im, z[1].re, z[1].im];
                    Array::Output.store_reals(four(to, row, column, side, j), reals);
                }
                continue;
            }
            for (j, z) in line.into_iter().enumerate() {
                Array::Output.store_pair(pair(to, row, column * side as i64 + j as i64), z);
            }
        }
    }

    /// Whether four reals are read and written at once: elements are neighbours, and all lines begin
    /// at multiples of four reals.
    fn is_wide(self) -> bool {
        let aligned = |side: &Strided| side.offset % 4 == 0 && step(side) % 4 == 0 && side.strides[side.axes[1]] == 2;
        self.width == 2 && aligned(&self.desc.from) && aligned(&self.desc.to)
    }

    /// A square at the edge may be cut off: every element is checked.
    fn elements(self, square: [Int; 2]) {
        let [height, width] = [self.desc.from.lengths[0], self.desc.from.lengths[1]];
        for [row, column] in places(square, self.side) {
            if_less(row, int(height), || {
                if_less(column, int(width), || {
                    let z = Array::Input.load_pair(pair(&self.desc.from, row, column));
                    Array::Output.store_pair(pair(&self.desc.to, column, row), z);
                });
            });
        }
    }

    /// The same in place: elements above the diagonal change places one by one.
    fn exchange_elements(self, square: [Int; 2]) {
        let (n, side) = (self.desc.from.lengths[0], &self.desc.from);
        for [row, column] in places(square, self.side) {
            if_less(column, int(n), || {
                if_less(row, column, || {
                    let (above, below) = (pair(side, row, column), pair(side, column, row));
                    let (x, y) = (Array::Input.load_pair(above), Array::Input.load_pair(below));
                    Array::Output.store_pair(above, y);
                    Array::Output.store_pair(below, x);
                });
            });
        }
    }
}

/// The elements of a square, row after row.
fn places([row, column]: [Int; 2], side: usize) -> impl Iterator<Item = [Int; 2]> {
    let (row, column) = (row * side as i64, column * side as i64);
    (0..side * side).map(move |i| [row + (i / side) as i64, column + (i % side) as i64])
}

/// Reals from a row to the next.
fn step(side: &Strided) -> i64 {
    side.strides[side.axes[0]]
}

/// The number of an element among all pairs of reals.
fn pair(side: &Strided, row: Int, column: Int) -> Int {
    row * (step(side) / 2) + column * (side.strides[side.axes[1]] / 2) + side.offset / 2
}

/// The number of elements 2j and 2j + 1 of a square's row among all fours of reals. `column` is
/// that of the square.
fn four(array: &Strided, row: Int, column: Int, side: usize, j: usize) -> Int {
    row * (step(array) / 4) + column * (side / 2) as i64 + j as i64 + array.offset / 4
}

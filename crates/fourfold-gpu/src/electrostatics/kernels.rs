//! Kernels of cells on a grid: their charge on every bin, and the force on each of them.
//!
//! A cell is work for one thread; where it meets many bins, its columns (bins of one y, which are
//! neighbours in memory) are dealt out to as many threads as each then has bins ([`parts`]): both a
//! thread's sum and the sum of theirs are short.
//!
//! **Sums of charges** are integers, in units of 2^-F of a bin, so that they are the same whichever
//! thread comes first. A cell charges a bin with 0 to 1: its density is in that range, its overlaps
//! are, and rounding does not leave it. So n cells make n at most, and with
//!
//! ```text
//! F = 62 − ⌈log2 n⌉
//! ```
//!
//! no sum is above 2^62. Each charge is rounded to half a unit: for a million cells 2^-43 of a bin,
//! and less where there are fewer.
//!
//! **Whatever positions and sizes are**, not numbers included, places are clamped to the grid
//! twice, as reals and as indices, and densities to 0 to 1: so no kernel reaches beyond the maps,
//! and no sum beyond its range.

use crate::backend::types::Grid;
use crate::electrostatics::fixed::{between, bin, greatest, least, quotient};
use crate::ir::frame::Frame;
use crate::ir::packed::real;
use crate::ir::statement::{Array, Int, Statement, Sym, int};
use crate::ir::trace::{block, comment, for_each, if_less, record, thread};
use crate::print::printer::{Dialect, print};
use fourfold::Precision;
use fourfold::electrostatics::Spreader;
use fourfold::engine::Real;

const THREADS: usize = 256;

/// Numbers before the rows of a list of items: how many items, how many cells, how many parts
/// beside the first of each cell.
pub(crate) const HEAD: usize = 3;

/// The threads that sum energies, and so what is left of the maps to be summed.
pub(crate) const SUMS: usize = 1 << 14;

/// Bins of a cell that are left to one thread: with fewer a second thread costs more than it takes
/// over.
const FEW: f64 = 64.0;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellWork {
    /// Adds the charge of cells to sums.
    Charge,
    /// Sums to density, with zeros left in their place.
    Density,
    /// Forces on cells, or on parts of them.
    Forces,
    /// Adds those on parts to those on cells.
    Join,
    /// Energies of some bins each.
    Energy,
}

/// All that specialises the kernels of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellKernelDesc {
    pub(crate) precision: Precision,
    bins: [usize; 2],
    low: [f64; 2],
    bin: [f64; 2],
    least: f64,
    /// Whether there is a fixed density to be added.
    fixed: bool,
}

/// A cell's interval along an axis, in bins.
#[derive(Clone, Copy)]
struct Span {
    low: Sym,
    high: Sym,
    bins: usize,
}

/// What a thread does: of the columns of a cell every `parts`th from `part` on.
struct Item {
    spans: [Span; 2],
    density: Sym,
    part: Int,
    parts: Int,
}

impl CellWork {
    pub(crate) const ALL: [CellWork; 5] =
        [CellWork::Charge, CellWork::Density, CellWork::Forces, CellWork::Join, CellWork::Energy];

    /// Reals of shared memory that a thread sums in: kernels have no variables that change.
    fn sums(self) -> usize {
        match self {
            CellWork::Charge | CellWork::Density => 0,
            CellWork::Energy => 1,
            CellWork::Forces | CellWork::Join => 2,
        }
    }
}

/// How many threads a cell of so many bins along each axis is worth.
pub(crate) fn parts(bins: [f64; 2]) -> usize {
    let all = bins[0] * bins[1];
    if all <= FEW { 1 } else { all.sqrt().min(bins[1]).ceil() as usize }
}

/// F, for so many cells.
pub(crate) fn fraction_bits(cells: usize) -> u32 {
    62 - cells.max(1).next_power_of_two().ilog2()
}

impl CellKernelDesc {
    pub(crate) fn new(spreader: &Spreader, precision: Precision) -> CellKernelDesc {
        let grid = spreader.grid();
        let ([low, _], bin) = (grid.region(), grid.bin_size());
        let fixed = spreader.fixed_density().is_some();
        CellKernelDesc { precision, bins: grid.bins(), low, bin, least: spreader.least(), fixed }
    }

    pub(crate) fn grid(&self, work: CellWork, items: usize) -> Grid {
        let shared_bytes = self.shared_bytes(work);
        Grid { blocks: items.div_ceil(THREADS), threads: THREADS, shared_bytes, follows: false, range: None }
    }

    pub(crate) fn shared_bytes(&self, work: CellWork) -> usize {
        work.sums() * THREADS * self.precision.bytes()
    }

    pub(crate) fn source(&self, work: CellWork, dialect: &Dialect) -> String {
        print(dialect, &self.frame(work), &self.kernel(work))
    }

    pub(crate) fn frame(&self, work: CellWork) -> Frame {
        Frame {
            storage: self.precision.into(),
            wide: self.count() + SUMS > i32::MAX as usize,
            threads: THREADS,
            range: None,
            resident: 0,
            evict_first: [false; 2],
            subgroup: 0,
            cluster: 1,
            shared_pairs: work.sums() * THREADS / 2,
        }
    }

    fn count(&self) -> usize {
        self.bins[0] * self.bins[1]
    }

    pub(crate) fn kernel(&self, work: CellWork) -> Vec<Statement> {
        record(|| {
            let thread = thread();
            let number = block() * THREADS as i64 + thread;
            match work {
                CellWork::Charge => listed(number, |n, cells| self.charge(&self.item(n, cells, number))),
                CellWork::Density => self.density(number),
                CellWork::Forces => listed(number, |n, cells| {
                    let sums = self.sums(&self.item(n, cells, number), thread);
                    Array::Output.store(number, sums[0]);
                    Array::Output.store(n + number, sums[1]);
                }),
                CellWork::Join => listed(number, |n, cells| join(n, cells, number, thread)),
                CellWork::Energy => self.energy(number, thread),
            }
        })
    }

    /// Item `number` of a list of `n`. The cells' x, y, widths and heights are rows of one array.
    fn item(&self, n: Int, cells: Int, number: Int) -> Item {
        let [cell, part, parts] = row(n, number);
        let mut density = Sym::lit(1.0);
        let spans = [0, 1].map(|axis| {
            let value = |row: usize| Array::Input.load(cells * row as i64 + cell);
            let per_bin = Sym::lit(1.0 / self.bin[axis]);
            let from = (value(axis) - Sym::lit(self.low[axis])) * per_bin;
            let extent = greatest(value(2 + axis) * per_bin, Sym::lit(0.0));
            let (from, wide) = match self.least > 0.0 {
                false => (from, extent),
                true => {
                    let wide = greatest(extent, Sym::lit(self.least));
                    density = density * least(quotient(extent, wide), Sym::lit(1.0));
                    (from - (wide - extent) * Sym::lit(0.5), wide)
                }
            };
            let (bins, most) = (self.bins[axis], self.bins[axis] as f64);
            Span { low: between(from, 0.0, most), high: between(from + wide, 0.0, most), bins }
        });
        Item { spans, density, part, parts }
    }

    fn charge(&self, item: &Item) {
        comment("charge the bins of cells".into());
        let unit = Array::Table.load(int(0));
        item.each_bin(self.bins[1], unit, |at, charge| Array::Scratch.add_fixed(at, charge));
    }

    fn density(&self, bin: Int) {
        comment("densities of sums".into());
        if_less(bin, int(self.count()), || {
            let cells = Array::Scratch.take_fixed(bin) * Array::Table.load(int(1));
            Array::Output.store(bin, if self.fixed { cells + Array::Input.load(bin) } else { cells });
        });
    }

    /// The forces on an item.
    fn sums(&self, item: &Item, thread: Int) -> [Sym; 2] {
        comment("forces on cells".into());
        let (places, maps) = ([thread, thread + THREADS as i64], [Array::Table, Array::Scratch]);
        places.into_iter().for_each(|place| Array::Shared.store(place, Sym::lit(0.0)));
        item.each_bin(self.bins[1], Sym::lit(1.0), |at, charge| {
            for (place, map) in places.into_iter().zip(maps) {
                Array::Shared.store(place, map.load(at).mul_add(charge, Array::Shared.load(place)));
            }
        });
        places.map(|place| Array::Shared.load(place) * Sym::lit(self.bin[0] * self.bin[1]))
    }

    fn energy(&self, number: Int, thread: Int) {
        comment("energies of bins".into());
        Array::Shared.store(thread, Sym::lit(0.0));
        for_each(number, int(self.count()), int(SUMS), |bin| {
            let [density, potential] = [Array::Input, Array::Table].map(|map| map.load(bin));
            Array::Shared.store(thread, density.mul_add(potential, Array::Shared.load(thread)));
        });
        Array::Output.store(number, Array::Shared.load(thread));
    }
}

/// Calls `body` with the numbers of items and of cells if the list has item `number`.
fn listed(number: Int, body: impl FnOnce(Int, Int)) {
    let [items, cells] = [0, 1].map(|i| Array::Indices.load_int(int(i)));
    if_less(number, items, || body(items, cells));
}

/// What a list of `n` items has of one.
fn row(n: Int, number: Int) -> [Int; 3] {
    [0, 1, 2].map(|row| Array::Indices.load_int(n * row + number + HEAD as i64))
}

/// Adds the forces on parts of a cell, in order, to what there is of it.
fn join(n: Int, cells: Int, number: Int, thread: Int) {
    comment("join the forces on parts of cells".into());
    let ([cell, start, end], parts) = (row(n, number), Array::Indices.load_int(int(2)));
    for axis in 0..2 {
        let (at, place) = (cells * axis + cell, thread + axis * THREADS as i64);
        Array::Shared.store(place, Array::Output.load(at));
        for_each(start, end, int(1), |part| {
            Array::Shared.store(place, Array::Shared.load(place) + Array::Input.load(parts * axis + part));
        });
        Array::Output.store(at, Array::Shared.load(place));
    }
}

impl Item {
    /// Calls `each` with every bin of the item and its charge there, times `unit`; the map's rows
    /// have `row` bins.
    fn each_bin(&self, row: usize, unit: Sym, each: impl FnOnce(Int, Sym)) {
        let [x, y] = self.spans;
        let ([first, end], [first_row, end_row]) = (y.bins(), x.bins());
        let start = first + self.part;
        for_each(first_row, end_row, int(1), |i| {
            let share = self.density * x.overlap(i) * unit;
            for_each(start, end, self.parts, |j| each(i * row as i64 + j, share * y.overlap(j)));
        });
    }
}

impl Span {
    /// The bins that it meets: the first, and one after the last.
    fn bins(&self) -> [Int; 2] {
        [bin(self.low, self.bins), bin(self.high, self.bins) + 1]
    }

    /// The part of bin `i` that it covers.
    fn overlap(&self, i: Int) -> Sym {
        let from = real(i);
        greatest(least(self.high, from + Sym::lit(1.0)) - greatest(self.low, from), Sym::lit(0.0))
    }
}

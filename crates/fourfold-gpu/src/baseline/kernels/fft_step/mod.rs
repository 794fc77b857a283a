//! Steps of complex FFTs that go through memory for every level: a thread a butterfly, an output,
//! an element or a square of elements. Those that have many levels are in [`blocks`].

pub(crate) mod blocks;

use crate::baseline::kernels::moves::{StageKernelDesc, Strided, THREADS, digits};
use crate::ir::packed::{cos, real, sin};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{comment, for_each, if_less, select};
use crate::write::dft::small_dft;
use fourfold::baseline::{Decimation, Factors, FftStep, FftWork, LaunchMode, Level};
use fourfold::engine::C;
use std::f64::consts::PI;

/// Terms of a sum that a thread adds up in registers, and how often before it adds what it has to
/// the rest: errors grow with the square roots of such numbers.
const TERMS: usize = 16;
const CHUNKS: usize = 32;

/// What is done by a kernel, and how often.
pub(crate) struct LaunchSize {
    /// Threads that have work, or thread blocks where items are done by all threads of one.
    pub(crate) items: usize,
    /// Launches, each for a line.
    pub(crate) launches: usize,
}

/// w_n^k, computed.
fn computed(k: Int, n: usize) -> C<Sym> {
    let angle = real(k) * Sym::lit(-2.0 * PI / n as f64);
    C { re: cos(angle), im: sin(angle) }
}

/// Elements of a line, and lines.
fn lines(desc: &StageKernelDesc, step: &FftStep) -> [usize; 2] {
    let n = step.axis().map_or(1, |axis| desc.from.length(axis));
    [n, desc.from.lengths.iter().product::<usize>() / n]
}

impl LaunchSize {
    pub(crate) fn new(desc: &StageKernelDesc, step: &FftStep) -> LaunchSize {
        let [n, lines] = lines(desc, step);
        let of_line = match step.work {
            FftWork::DigitReversal { .. } | FftWork::Sum { .. } => n,
            FftWork::Level(Level { radix, .. }) => n / radix,
            FftWork::Blocks { len, groups, .. } => n / len * groups,
            FftWork::Transpose { side } => return LaunchSize::of_transpose(desc, step, side),
        };
        match step.launches {
            LaunchMode::Lines => LaunchSize { items: of_line, launches: lines },
            _ => LaunchSize { items: of_line * lines, launches: 1 },
        }
    }

    fn of_transpose(desc: &StageKernelDesc, step: &FftStep, side: usize) -> LaunchSize {
        let squares = squares(desc, side);
        let items = match step.launches {
            LaunchMode::Groups(shape) => groups(squares, shape).iter().product(),
            _ => squares.iter().product(),
        };
        LaunchSize { items, launches: 1 }
    }

    pub(crate) fn blocks(&self, desc: &StageKernelDesc, step: &FftStep) -> usize {
        if items_are_blocks(step) { self.items } else { self.items.div_ceil(desc.threads()) }
    }
}

/// Whether items are thread blocks.
fn items_are_blocks(step: &FftStep) -> bool {
    matches!((&step.work, step.launches), (FftWork::Blocks { .. }, _) | (_, LaunchMode::Groups(_)))
}

/// Squares of a matrix along columns, which are read fastest, and rows.
fn squares(desc: &StageKernelDesc, side: usize) -> [usize; 2] {
    [desc.from.lengths[1].div_ceil(side), desc.from.lengths[0].div_ceil(side)]
}

fn groups(squares: [usize; 2], shape: [usize; 2]) -> [usize; 2] {
    [squares[0].div_ceil(shape[0]), squares[1].div_ceil(shape[1])]
}

/// Pairs of reals that a thread block keeps in shared memory.
pub(crate) fn shared_pairs(step: &FftStep) -> usize {
    match step.work {
        FftWork::Blocks { len, groups: 1, .. } => len,
        // With what comes from other groups, for one level and the next.
        FftWork::Blocks { len, groups, .. } => 3 * len / groups,
        FftWork::Sum { .. } => 2 * THREADS,
        _ => 0,
    }
}

/// Thread blocks that reach each other's shared memory.
pub(crate) fn cluster(step: &FftStep) -> usize {
    if let FftWork::Blocks { groups, .. } = step.work { groups } else { 1 }
}

/// The largest number that indices reach beside those of elements.
pub(crate) fn most(desc: &StageKernelDesc, step: &FftStep) -> usize {
    let [n, _] = lines(desc, step);
    if matches!(step.work, FftWork::Sum { .. }) { n.saturating_mul(n) } else { 0 }
}

pub(crate) fn fft_step(desc: &StageKernelDesc, step: &FftStep, thread: Int, block: Int) {
    comment(step.to_string());
    let writer = Writer { desc, step };
    match step.work {
        FftWork::Transpose { side } => writer.transpose(side, thread, block),
        FftWork::Blocks { .. } => blocks::blocks(desc, step, thread, block),
        _ => {
            let (item, size) = (block * desc.threads() as i64 + thread, LaunchSize::new(desc, step));
            if_less(item, int(size.items), || writer.item(item, thread));
        }
    }
}

/// A line of complex numbers on one side: the first, and the step to the next.
#[derive(Clone, Copy)]
struct LineView {
    array: Array,
    first: Int,
    step: i64,
}

impl LineView {
    fn at(self, place: Int) -> Int {
        self.first + place * self.step
    }

    fn load(self, place: Int) -> C<Sym> {
        self.array.load_pair(self.at(place))
    }

    fn store(self, place: Int, z: C<Sym>) {
        self.array.store_pair(self.at(place), z);
    }
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    desc: &'a StageKernelDesc,
    step: &'a FftStep,
}

impl Writer<'_> {
    /// Line number `number` on both sides; where every line has its launch, the number is given
    /// with that.
    fn lines(&self, number: Int, axis: usize) -> [LineView; 2] {
        let number = if self.step.launches == LaunchMode::Lines { Array::Indices.load_int(int(0)) } else { number };
        let others = self.desc.to.axes.iter().copied().zip(self.desc.to.lengths.iter().copied());
        let others: Vec<_> = others.filter(|(other, _)| *other != axis).collect();
        let places = digits(number, others.into_iter());
        [(Array::Input, &self.desc.from), (Array::Output, &self.desc.to)].map(|(array, side): (Array, &Strided)| {
            let first = places
                .iter()
                .fold(int(0) + side.offset / 2, |at, (axis, place)| at + *place * (side.strides[*axis] / 2));
            LineView { array, first, step: side.strides[axis] / 2 }
        })
    }

    fn item(&self, item: Int, thread: Int) {
        let [n, _] = lines(self.desc, self.step);
        let split = |of_line: usize| match self.step.launches {
            LaunchMode::Lines => (int(0), item),
            _ => (item / of_line as i64, item % of_line as i64),
        };
        match &self.step.work {
            FftWork::DigitReversal { axis, radices, scale } => {
                let (line, place) = split(n);
                let [from, to] = self.lines(line, *axis);
                to.store(place, from.load(reversed(place, radices)).scale(Sym::lit(*scale)));
            }
            FftWork::Sum { axis, backward, factors } => {
                let (line, k) = split(n);
                self.sum(self.lines(line, *axis), k, [*backward, *factors == Factors::Computed], thread);
            }
            FftWork::Level(level) => {
                let (line, item) = split(n / level.radix);
                level_item(level, self.lines(line, level.axis), item);
            }
            FftWork::Transpose { .. } | FftWork::Blocks { .. } => unreachable!("they have other kernels"),
        }
    }

    /// The sum of chunks of chunks of terms. What loops add to stands in shared memory: kernels
    /// have no variables that change.
    fn sum(&self, [from, to]: [LineView; 2], k: Int, [backward, computes]: [bool; 2], thread: Int) {
        let [n, _] = lines(self.desc, self.step);
        let places = [thread, thread + THREADS as i64];
        let add = |place: Int, z: C<Sym>| Array::Shared.store_pair(place, Array::Shared.load_pair(place) + z);
        let zero = C { re: Sym::lit(0.0), im: Sym::lit(0.0) };
        let terms = |start: Int, count: usize| {
            let first = multiple(start, k, n);
            let steps = (1..count).scan(first, |at, _| {
                let next = *at + k;
                *at = select(next, int(n), next, next - n as i64);
                Some(*at)
            });
            let at: Vec<Int> = std::iter::once(first).chain(steps).collect();
            let term = |(i, at): (usize, &Int)| {
                let w = if computes { computed(*at, n) } else { Array::Table.load_pair(*at) };
                let z = from.load(start + i as i64);
                if backward { z.mul_conj(w) } else { z.mul(w) }
            };
            at.iter().enumerate().map(term).reduce(|a, b| a + b).unwrap_or(zero)
        };
        let (chunk, whole) = ((TERMS * CHUNKS) as i64, n / TERMS * TERMS);
        Array::Shared.store_pair(places[1], zero);
        for_each(int(0), int(whole), Int::Lit(chunk), |start| {
            let end = select(start + chunk, int(whole), start + chunk, int(whole));
            Array::Shared.store_pair(places[0], zero);
            for_each(start, end, int(TERMS), |start| add(places[0], terms(start, TERMS)));
            add(places[1], Array::Shared.load_pair(places[0]));
        });
        let rest = terms(int(whole), n - whole);
        let all = Array::Shared.load_pair(places[1]);
        to.store(k, if whole == n { all } else { all + rest });
    }

    fn transpose(&self, side: usize, thread: Int, block: Int) {
        let squares = squares(self.desc, side);
        let (column, row) = match self.step.launches {
            LaunchMode::Groups(shape) => {
                let [across, _] = groups(squares, shape);
                let (across, columns, rows) = (across as i64, shape[0] as i64, shape[1] as i64);
                (block % across * columns + thread % columns, block / across * rows + thread / columns)
            }
            _ => {
                let item = block * THREADS as i64 + thread;
                (item % squares[0] as i64, item / squares[0] as i64)
            }
        };
        if_less(row, int(squares[1]), || {
            if_less(column, int(squares[0]), || match self.step.in_place {
                false => self.square([row, column], side),
                // One thread has a square and the one that it changes places with.
                true => if_less(row, column + 1, || self.squares_that_change([row, column], side)),
            });
        });
    }

    /// Complex number (row, column) of a side; rows and columns are those of the memory that is
    /// read.
    fn at(&self, side: &Strided, row: Int, column: Int) -> Int {
        let [rows, columns] = [self.desc.from.axes[0], self.desc.from.axes[1]];
        row * (side.strides[rows] / 2) + column * (side.strides[columns] / 2) + side.offset / 2
    }

    /// All is read before anything is written.
    fn square(&self, [row, column]: [Int; 2], side: usize) {
        let [height, width] = [self.desc.from.lengths[0], self.desc.from.lengths[1]];
        let even = height % side == 0 && width % side == 0;
        let places: Vec<[Int; 2]> = square([row, column], side).collect();
        let load = |[row, column]: [Int; 2]| Array::Input.load_pair(self.at(&self.desc.from, row, column));
        let store =
            |[row, column]: [Int; 2], z: C<Sym>| Array::Output.store_pair(self.at(&self.desc.to, row, column), z);
        if even {
            let z: Vec<C<Sym>> = places.iter().map(|place| load(*place)).collect();
            return places.into_iter().zip(z).for_each(|(place, z)| store(place, z));
        }
        for place in places {
            if_less(place[0], int(height), || if_less(place[1], int(width), || store(place, load(place))));
        }
    }

    /// On the diagonal both are one, written twice alike; at the edge of odd lengths, elements
    /// above the diagonal change places one by one.
    fn squares_that_change(&self, [row, column]: [Int; 2], side: usize) {
        let n = self.desc.from.lengths[0];
        let at = |[row, column]: [Int; 2]| self.at(&self.desc.from, row, column);
        let load = |place: [Int; 2]| Array::Input.load_pair(at(place));
        let store = |place: [Int; 2], z: C<Sym>| Array::Output.store_pair(at(place), z);
        let above: Vec<[Int; 2]> = square([row, column], side).collect();
        let pairs: Vec<_> = above.iter().map(|&[row, column]| ([row, column], [column, row])).collect();
        if n % side == 0 {
            let z: Vec<_> = pairs.iter().map(|(above, below)| (load(*above), load(*below))).collect();
            return pairs.into_iter().zip(z).for_each(|((above, below), (x, y))| {
                store(above, y);
                store(below, x);
            });
        }
        for (above, below) in pairs {
            if_less(above[1], int(n), || {
                if_less(above[0], above[1], || {
                    let (x, y) = (load(above), load(below));
                    store(above, y);
                    store(below, x);
                });
            });
        }
    }
}

/// The elements of a square, row after row.
fn square([row, column]: [Int; 2], side: usize) -> impl Iterator<Item = [Int; 2]> {
    let (row, column) = (row * side as i64, column * side as i64);
    (0..side * side).map(move |i| [row + (i / side) as i64, column + (i % side) as i64])
}

/// start · k mod n.
fn multiple(start: Int, k: Int, n: usize) -> Int {
    match start {
        Int::Lit(start) => k * start % n as i64,
        _ => start * k % n as i64,
    }
}

/// The place that has the digits of another in these radices the other way around.
fn reversed(place: Int, radices: &[usize]) -> Int {
    let Some((last, inner)) = radices.split_last() else { return place };
    let start = (int(0), place);
    let (result, rest) = inner
        .iter()
        .fold(start, |(result, rest), &radix| (result * radix as i64 + rest % radix as i64, rest / radix as i64));
    result * *last as i64 + rest
}

/// One small DFT of a level with its twiddle factors.
fn level_item(level: &Level, [from, to]: [LineView; 2], item: Int) {
    let Level { radix, distance, decimation, backward, .. } = *level;
    let k = item % distance as i64;
    let base = item / distance as i64 * (distance * radix) as i64 + k;
    let place = |j: usize| base + (j * distance) as i64;
    let with_twiddles = |z: Vec<C<Sym>>| -> Vec<C<Sym>> {
        let multiplied = |(j, z): (usize, C<Sym>)| match j {
            0 => z,
            _ if distance == 1 => z,
            _ => z.mul(Array::Table.load_pair(k * (radix - 1) as i64 + (j - 1) as i64)),
        };
        z.into_iter().enumerate().map(multiplied).collect()
    };
    let swap = |z: C<Sym>| if backward { z.swap() } else { z };
    let z: Vec<C<Sym>> = (0..radix).map(|j| swap(from.load(place(j)))).collect();
    let z = if decimation == Decimation::InTime { with_twiddles(z) } else { z };
    let z = small_dft(&z);
    let z = if decimation == Decimation::InFrequency { with_twiddles(z) } else { z };
    z.into_iter().enumerate().for_each(|(j, z)| to.store(place(j), swap(z)));
}

//! Steps of complex FFTs that go through memory for every level: a thread a butterfly, an output,
//! or an element. Those that have many levels are in [`blocks`], squares of
//! elements in [`transpose`].

pub(crate) mod blocks;
mod transpose;

use crate::baseline::kernels::fft_step::transpose::{Transpose, squares};
use crate::baseline::kernels::moves::{StageKernelDesc, Strided, THREADS, digits};
use crate::ir::packed::{cos, real, sin};
use crate::ir::range::Range;
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{block, comment, for_each, if_less, item, select, thread};
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
    /// Items of a line and lines, or squares of a row and rows of squares. An item is a thread's, or
    /// a thread block's if all its threads do it together.
    pub(crate) items: [usize; 2],
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
            FftWork::Whole { .. } => 1,
            FftWork::Blocks { len, groups, .. } => n / len * groups,
            FftWork::Transpose { side, .. } => return LaunchSize { items: squares(desc, side), launches: 1 },
        };
        match step.launches {
            LaunchMode::Lines(_) => LaunchSize { items: [of_line, 1], launches: lines },
            _ => LaunchSize { items: [of_line, lines], launches: 1 },
        }
    }

    /// The range of a launch, if a thread asks for its item.
    pub(crate) fn range(&self, step: &FftStep) -> Option<Range> {
        match step.launches {
            LaunchMode::Lines(groups) | LaunchMode::Range(groups) => Some(Range { items: self.items, groups }),
            LaunchMode::Once | LaunchMode::Host => None,
        }
    }

    pub(crate) fn blocks(&self, step: &FftStep) -> usize {
        let items: usize = self.items.iter().product();
        match self.range(step) {
            Some(range) => range.blocks().iter().product(),
            None if matches!(step.work, FftWork::Blocks { .. }) => items,
            None => items.div_ceil(THREADS),
        }
    }
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

pub(crate) fn fft_step(desc: &StageKernelDesc, step: &FftStep) {
    let (size, writer) = (LaunchSize::new(desc, step), Writer { desc, step });
    let [columns, rows] = size.items;
    match size.range(step) {
        Some(range) => {
            comment(step.to_string());
            let ([column, row], shape) = (item(), range.shape());
            let inside = |dimension: usize, at: Int, body: &mut dyn FnMut()| match range.items[dimension] {
                items if items % shape[dimension] == 0 => body(),
                items => if_less(at, int(items), body),
            };
            inside(1, row, &mut || inside(0, column, &mut || writer.item([column, row], None)));
        }
        None => {
            let (thread, block) = (thread(), block());
            comment(step.to_string());
            if let FftWork::Blocks { .. } = step.work {
                return blocks::blocks(desc, step, thread, block);
            }
            let item = block * THREADS as i64 + thread;
            if_less(item, int(columns * rows), || {
                let (row, column) = (item / columns as i64, item % columns as i64);
                writer.item([column, row], Some(thread));
            });
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
        let number =
            if matches!(self.step.launches, LaunchMode::Lines(_)) { Array::Indices.load_int(int(0)) } else { number };
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

    /// An item of a line, or a square. Only those of ranges have no number of their thread.
    fn item(&self, [column, row]: [Int; 2], thread: Option<Int>) {
        match &self.step.work {
            FftWork::DigitReversal { axis, radices, scale } => {
                let [from, to] = self.lines(row, *axis);
                to.store(column, from.load(reversed(column, radices)).scale(Sym::lit(*scale)));
            }
            FftWork::Sum { axis, backward, factors } => {
                let thread = thread.expect("sums are launched for the whole array");
                self.sum(self.lines(row, *axis), column, [*backward, *factors == Factors::Computed], thread);
            }
            FftWork::Level(level) => level_item(level, self.lines(row, level.axis), column, 0),
            FftWork::Whole { axis, radices, scale, .. } => self.whole(self.lines(row, *axis), radices, *scale),
            FftWork::Transpose { side, width } => {
                Transpose { desc: self.desc, side: *side, width: *width, in_place: self.step.in_place }
                    .item([row, column]);
            }
            FftWork::Blocks { .. } => unreachable!("they have another kernel"),
        }
    }

    /// All steps of a line by one thread, which sees what it has stored.
    fn whole(&self, [from, to]: [LineView; 2], radices: &[usize], scale: f64) {
        let [n, _] = lines(self.desc, self.step);
        for_each(int(0), int(n), int(1), |place| {
            to.store(place, from.load(reversed(place, radices)).scale(Sym::lit(scale)));
        });
        let mut table = 0;
        for level in self.step.work.levels() {
            for_each(int(0), int(n / level.radix), int(1), |item| level_item(&level, [to, to], item, table));
            table += level.table_len();
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
        // Without a rest there is no term to be read.
        let rest = (whole < n).then(|| terms(int(whole), n - whole));
        let all = Array::Shared.load_pair(places[1]);
        to.store(k, rest.map_or(all, |rest| all + rest));
    }
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

/// One small DFT of a level with its twiddle factors, which begin at this place of the table.
fn level_item(level: &Level, [from, to]: [LineView; 2], item: Int, table: usize) {
    let Level { radix, distance, decimation, backward, .. } = *level;
    let k = item % distance as i64;
    let base = item / distance as i64 * (distance * radix) as i64 + k;
    let place = |j: usize| base + (j * distance) as i64;
    let with_twiddles = |z: Vec<C<Sym>>| -> Vec<C<Sym>> {
        let multiplied = |(j, z): (usize, C<Sym>)| match j {
            0 => z,
            _ if distance == 1 => z,
            _ => z.mul(Array::Table.load_pair(k * (radix - 1) as i64 + (table + j - 1) as i64)),
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

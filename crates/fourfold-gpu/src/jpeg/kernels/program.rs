//! JPEG's 8×8 blocks: one thread has a block in its registers, so that nothing is transposed.
//!
//! A thread that read its own 128 bytes would meet its neighbours in no line of memory. So the work
//! group reads all its blocks together, sixteen bytes a thread and neighbouring threads
//! neighbouring bytes, into local memory, and each thread takes its own from there; results go back
//! the same way. Nine places of sixteen bytes for the eight of a block let neighbouring threads
//! meet different banks. Rows of an image need none of this: neighbouring threads have neighbouring
//! blocks, whose eight samples of a row are neighbours.
//!
//! The other ways to do it, beside which this one is measured, are in [`ladder`].

use crate::ir::frame::Frame;
use crate::ir::packed::{divide, multiply};
use crate::ir::trace::{Array, Int, Statement, barrier, comment, group, if_less, int, record, select, thread};
use crate::jpeg::kernels::spec::{BlockSpec, BlockWork, Way};
use fourfold::Precision;
use fourfold::engine::jpeg::{Mode, Order, Table, divisor};

/// A kernel, and how many blocks a work group has.
pub(crate) struct Program {
    pub(crate) frame: Frame,
    pub(crate) blocks: usize,
    pub(crate) statements: Vec<Statement>,
}

/// Threads of a work group, each with a block.
pub(crate) const THREADS: usize = 64;

/// Work groups of the fast forward transform that a multiprocessor shall hold. NVIDIA's have four
/// parts of 16,384 registers, so that of two warps a group six warps a part have 80 registers a
/// thread, five 96. The compiler would take 99, and four warps have room. 80 are enough for the
/// plain order and layout, 96 for the others; below, they are spilled. A thread reads half as much
/// at once as that of the inverse, so that more threads must be under way.
pub(crate) const RESIDENT: usize = 12;
pub(crate) const RESIDENT_ELSE: usize = 10;

/// Sixteen bytes of a block's coefficients, and of its samples in 8 bits.
pub(crate) const COEFFICIENTS: usize = 8;
pub(crate) const SAMPLES: usize = 4;

/// Places that a block has in local memory.
pub(crate) const PITCH: usize = 9;

/// A work group's threads and local memory.
pub(crate) fn frame(threads: usize, local_bytes: usize) -> Frame {
    let local_pairs = local_bytes / 8;
    Frame { precision: Precision::F32, wide: false, threads, resident: 0, cluster: 1, once: [false; 2], local_pairs }
}

/// The kernel of a spec.
pub(crate) fn program(spec: &BlockSpec) -> Program {
    let is_moving = matches!(spec.work, BlockWork::Move | BlockWork::MoveBack);
    let local_bytes = if is_moving { 0 } else { THREADS * PITCH * 16 };
    let resident = match (spec.work, spec.mode, spec.way) {
        (BlockWork::Forward, Mode::Fast, Way::Bits) if spec.order == Order::Raster && !spec.rows => RESIDENT,
        (BlockWork::Forward, Mode::Fast, Way::Bits) => RESIDENT_ELSE,
        _ => 0,
    };
    let frame = Frame { resident, ..frame(THREADS, local_bytes) };
    Program { frame, blocks: THREADS, statements: statements(spec) }
}

/// The table of reals that it needs.
pub(crate) fn reals(spec: &BlockSpec, table: &Table) -> Vec<f32> {
    let factors = match (spec.mode, spec.work) {
        (Mode::Exact, _) => return Vec::new(),
        (Mode::Fast, BlockWork::Forward) => table.quantisers(),
        (Mode::Fast, _) => table.dequantisers(),
    };
    factors.as_flattened().to_vec()
}

/// The tables of integers.
pub(crate) fn integers(spec: &BlockSpec, table: &Table) -> Vec<u32> {
    let values = || table.rows().as_flattened().iter().copied();
    match (spec.mode, spec.work) {
        (Mode::Fast, _) => Vec::new(),
        (Mode::Exact, BlockWork::Forward) => {
            (0..3).flat_map(|part| values().map(move |q| divisor(q)[part].into())).collect()
        }
        (Mode::Exact, _) => values().map(u32::from).collect(),
    }
}

/// A thread with its block.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) thread: Int,
    pub(crate) group: Int,
    /// Its block among all, and how many there are.
    pub(crate) own: Int,
    pub(crate) blocks: Int,
}

impl Place {
    pub(crate) fn new() -> Place {
        let (thread, group) = (thread(), group());
        Place { thread, group, own: group * THREADS as i64 + thread, blocks: count() }
    }

    /// The last block of the group, if it is full.
    pub(crate) fn last(self) -> Int {
        self.group * THREADS as i64 + (THREADS - 1) as i64
    }

    /// Its block; the first if it has none.
    pub(crate) fn there(self) -> Int {
        select(self.own, self.blocks, self.own, int(0))
    }
}

/// The number of blocks.
pub(crate) fn count() -> Int {
    Array::Indices.load_int(int(0))
}

pub(crate) fn statements(spec: &BlockSpec) -> Vec<Statement> {
    record(|| {
        let place = Place::new();
        match spec.work {
            BlockWork::Inverse => {
                collect(place, COEFFICIENTS);
                let samples = crate::jpeg::kernels::transform::inverse(spec, &load(place, COEFFICIENTS));
                put_samples(spec, place, &samples);
            }
            BlockWork::Forward => {
                let samples = take_samples(spec, place);
                store(place, &crate::jpeg::kernels::transform::forward(spec, &samples));
                deal(place, COEFFICIENTS);
            }
            BlockWork::Move => mix(place),
            BlockWork::MoveBack => double(place),
        }
    })
}

/// The words of the samples of a thread's block.
pub(crate) fn take_samples(spec: &BlockSpec, place: Place) -> Vec<Int> {
    if spec.rows {
        let rows = rows(place.there());
        return rows.into_iter().flat_map(|at| Array::Input.load_words(at, 2)).collect();
    }
    if spec.way == Way::BitsDirect {
        let first = place.there() * SAMPLES as i64;
        return (0..SAMPLES).flat_map(|i| Array::Input.load_words(first + i as i64, 4)).collect();
    }
    collect(place, SAMPLES);
    load(place, SAMPLES)
}

pub(crate) fn put_samples(spec: &BlockSpec, place: Place, words: &[Int]) {
    if !spec.rows {
        store(place, words);
        return deal(place, words.len() / 4);
    }
    comment("write rows".into());
    let rows = rows(place.own);
    if_less(place.own, place.blocks, || {
        let row_words = words.chunks(words.len() / 8);
        rows.iter().zip(row_words).for_each(|(at, words)| Array::Output.store_words(*at, words));
    });
}

/// Where the rows of a block stand in an image, in eights of samples.
pub(crate) fn rows(own: Int) -> Vec<Int> {
    let [across, stride] = [1, 2].map(|i| Array::Indices.load_int(int(i)));
    let [down, right] = divide(own, across);
    let first = multiply(down * 8, stride) + right;
    (0..8).scan(first, |at, _| Some(std::mem::replace(at, *at + stride))).collect()
}

/// Numbers in the array and places in local memory of the sixteen bytes that a thread moves of its
/// group's blocks.
pub(crate) fn portions(place: Place, count: usize) -> Vec<(Int, Int)> {
    let portion = |i: usize| {
        let own = place.thread + (i * THREADS) as i64;
        let local = own / count as i64 * PITCH as i64 + own % count as i64;
        (place.group * (count * THREADS) as i64 + own, local)
    };
    (0..count).map(portion).collect()
}

/// Moves the group's blocks from one memory to another. A group that is full has nothing to ask, so
/// that a thread has all its reads under way at once.
pub(crate) fn copy(from: Array, to: Array, portions: &[(Int, Int)], place: Place) {
    let ends = |array, (at, local): (Int, Int)| if array == Array::Local { local } else { at };
    if_less(place.last(), place.blocks, || {
        let words: Vec<_> = portions.iter().map(|&portion| from.load_words(ends(from, portion), 4)).collect();
        portions.iter().zip(words).for_each(|(&portion, words)| to.store_words(ends(to, portion), &words));
    });
    if_less(place.blocks, place.last() + 1, || {
        let all = place.blocks * portions.len() as i64;
        for &portion in portions {
            if_less(portion.0, all, || to.store_words(ends(to, portion), &from.load_words(ends(from, portion), 4)));
        }
    });
}

/// Reads the group's blocks.
pub(crate) fn collect(place: Place, count: usize) {
    comment(format!("read {THREADS} blocks"));
    copy(Array::Input, Array::Local, &portions(place, count), place);
    barrier();
}

/// Writes them.
pub(crate) fn deal(place: Place, count: usize) {
    barrier();
    comment(format!("write {THREADS} blocks"));
    copy(Array::Local, Array::Output, &portions(place, count), place);
}

/// The words of the thread's block, whose sixteen bytes are `count`.
pub(crate) fn load(place: Place, count: usize) -> Vec<Int> {
    (0..count).flat_map(|i| Array::Local.load_words(place.thread * PITCH as i64 + i as i64, 4)).collect()
}

/// The other way: no other thread reads the block's place before the next barrier.
pub(crate) fn store(place: Place, words: &[Int]) {
    for (i, words) in words.chunks(4).enumerate() {
        Array::Local.store_words(place.thread * PITCH as i64 + i as i64, words);
    }
}

/// The sixteen bytes that a thread of a yardstick moves of each half of the larger array.
pub(crate) fn at(place: Place, i: usize) -> Int {
    place.group * (SAMPLES * THREADS) as i64 + place.thread + (i * THREADS) as i64
}

/// Reads and writes them, all under way at once if the group is full.
pub(crate) fn with_halves<T>(place: Place, half: Int, read: impl Fn(usize) -> T, write: impl Fn(usize, T)) {
    if_less(place.last(), place.blocks, || {
        let all: Vec<T> = (0..SAMPLES).map(&read).collect();
        all.into_iter().enumerate().for_each(|(i, value)| write(i, value));
    });
    if_less(place.blocks, place.last() + 1, || {
        (0..SAMPLES).for_each(|i| if_less(at(place, i), half, || write(i, read(i))));
    });
}

/// Sums of sixteen bytes and others as far as half the array, such that all that is read matters.
pub(crate) fn mix(place: Place) {
    let half = place.blocks * SAMPLES as i64;
    let sum = |i: usize| -> Vec<Int> {
        let [near, far] = [int(0), half].map(|offset| Array::Input.load_words(at(place, i) + offset, 4));
        near.into_iter().zip(far).map(|(a, b)| a + b).collect()
    };
    with_halves(place, half, sum, |i, sum| Array::Output.store_words(at(place, i), &sum));
}

/// The same bytes at two places.
pub(crate) fn double(place: Place) {
    let half = place.blocks * SAMPLES as i64;
    let read = |i| Array::Input.load_words(at(place, i), 4);
    with_halves(place, half, read, |i, words| {
        [int(0), half].into_iter().for_each(|offset| Array::Output.store_words(at(place, i) + offset, &words));
    });
}

//! JPEG's 8×8 blocks: one thread has a block in its registers, so that nothing is transposed.
//!
//! A thread that read its own 128 bytes would meet its neighbours in no line of memory. So the
//! thread block reads all its blocks together, sixteen bytes a thread and neighbouring threads
//! neighbouring bytes, into shared memory, and each thread takes its own from there; results go
//! back the same way. Nine places of sixteen bytes for the eight of a block let neighbouring
//! threads meet different banks. Rows of an image need none of this: neighbouring threads have
//! neighbouring blocks, whose eight samples of a row are neighbours.
//!
//! The other ways to do it, beside which this one is measured, are in [`ladder`].

use crate::attributes::DeviceAttributes;
use crate::ir::frame::Frame;
use crate::ir::packed::{add_words, divide, multiply};
use crate::ir::statement::{Array, Int, Statement, int};
use crate::ir::trace::{barrier, block, comment, if_less, record, select, thread};
use crate::jpeg::kernels::desc::{BlockKernelDesc, BlockWork, Instructions};
use crate::limits::Limits;
use fourfold::engine::jpeg::{Mode, Order, Table, divisor};
use fourfold::{Result, Storage};

/// A kernel, and how many blocks a thread block has.
pub(crate) struct Program {
    pub(crate) frame: Frame,
    pub(crate) blocks: usize,
    pub(crate) statements: Vec<Statement>,
}

impl Program {
    /// Bytes of shared memory of a thread block.
    pub(crate) fn shared_bytes(&self) -> usize {
        8 * self.frame.shared_pairs
    }

    /// The same on a device, whose threads may exchange registers.
    pub(crate) fn on(mut self, limits: &Limits) -> Program {
        let DeviceAttributes { exchanges_registers, warp, .. } = limits.attributes;
        self.frame.subgroup = if exchanges_registers && self.exchanges() { warp } else { 0 };
        self
    }

    /// Whether threads exchange words. All take part, so that this stands outside branches.
    pub(crate) fn exchanges(&self) -> bool {
        self.statements.iter().any(|statement| matches!(statement, Statement::Exchange(..)))
    }

    /// An error if a device's thread blocks are too small.
    pub(crate) fn check_fits(&self, limits: &Limits) -> Result<()> {
        limits.check_block(self.frame.threads, self.shared_bytes())
    }
}

/// Threads of a thread block, each with a block.
pub(crate) const THREADS: usize = 64;

/// Thread blocks of the fast forward transform that an SM shall hold. NVIDIA's have four parts of
/// 16,384 registers, so that of two warps each six warps a part have 80 registers a thread, five
/// 96. The compiler would take 99, and four warps have room. 80 are enough for the plain order and
/// layout, 96 for the others; below, they are spilled. A thread reads half as much at once as that
/// of the inverse, so that more threads must be under way.
pub(crate) const RESIDENT: usize = 12;
pub(crate) const RESIDENT_ELSE: usize = 10;

/// Sixteen bytes of a block's coefficients, and of its samples in 8 bits.
pub(crate) const COEFFICIENTS: usize = 8;
pub(crate) const SAMPLES: usize = 4;

/// Places that a block has in shared memory.
pub(crate) const PITCH: usize = 9;

/// A thread block's threads and shared memory.
pub(crate) fn frame(threads: usize, shared_bytes: usize) -> Frame {
    let shared_pairs = shared_bytes / 8;
    Frame {
        storage: Storage::F32,
        wide: false,
        threads,
        range: None,
        resident: 0,
        cluster: 1,
        evict_first: [false; 2],
        subgroup: 0,
        shared_pairs,
    }
}

/// The kernel of a descriptor.
pub(crate) fn program(desc: &BlockKernelDesc) -> Program {
    let is_moving = matches!(desc.work, BlockWork::Move | BlockWork::MoveBack);
    let shared_bytes = if is_moving { 0 } else { THREADS * PITCH * 16 };
    let resident = match (desc.work, desc.mode, desc.instructions) {
        (BlockWork::Forward, Mode::Fast, Instructions::Bits) if desc.order == Order::Raster && !desc.rows => RESIDENT,
        (BlockWork::Forward, Mode::Fast, Instructions::Bits) => RESIDENT_ELSE,
        _ => 0,
    };
    let frame = Frame { resident, ..frame(THREADS, shared_bytes) };
    Program { frame, blocks: THREADS, statements: statements(desc) }
}

/// The table of reals that it needs.
pub(crate) fn reals(desc: &BlockKernelDesc, table: &Table) -> Vec<f32> {
    let factors = match (desc.mode, desc.work) {
        (Mode::Exact, _) => return Vec::new(),
        (Mode::Fast, BlockWork::Forward) => table.quantisers(),
        (Mode::Fast, _) => table.dequantisers(),
    };
    factors.as_flattened().to_vec()
}

/// The tables of integers.
pub(crate) fn integers(desc: &BlockKernelDesc, table: &Table) -> Vec<u32> {
    let values = || table.rows().as_flattened().iter().copied();
    match (desc.mode, desc.work) {
        (Mode::Fast, _) => Vec::new(),
        (Mode::Exact, BlockWork::Forward) => {
            (0..3).flat_map(|part| values().map(move |q| divisor(q)[part].into())).collect()
        }
        (Mode::Exact, _) => values().map(u32::from).collect(),
    }
}

/// A thread with its block.
#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub(crate) thread: Int,
    pub(crate) thread_block: Int,
    /// Its block among all, and how many there are.
    pub(crate) own: Int,
    pub(crate) blocks: Int,
}

impl Thread {
    pub(crate) fn new() -> Thread {
        let (thread, thread_block) = (thread(), block());
        Thread { thread, thread_block, own: thread_block * THREADS as i64 + thread, blocks: count() }
    }

    /// The last block of the thread block, if it is full.
    pub(crate) fn last(self) -> Int {
        self.thread_block * THREADS as i64 + (THREADS - 1) as i64
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

pub(crate) fn statements(desc: &BlockKernelDesc) -> Vec<Statement> {
    record(|| {
        let place = Thread::new();
        match desc.work {
            BlockWork::Inverse => {
                collect(place, COEFFICIENTS);
                let samples = crate::jpeg::kernels::transform::inverse(desc, &load(place, COEFFICIENTS));
                put_samples(desc, place, &samples);
            }
            BlockWork::Forward => {
                let samples = take_samples(desc, place);
                store(place, &crate::jpeg::kernels::transform::forward(desc, &samples));
                deal(place, COEFFICIENTS);
            }
            BlockWork::Move => mix(place),
            BlockWork::MoveBack => double(place),
        }
    })
}

/// The words of the samples of a thread's block.
pub(crate) fn take_samples(desc: &BlockKernelDesc, place: Thread) -> Vec<Int> {
    if desc.rows {
        let rows = rows(place.there());
        return rows.into_iter().flat_map(|at| Array::Input.load_words(at, 2)).collect();
    }
    if desc.instructions == Instructions::BitsDirect {
        let first = place.there() * SAMPLES as i64;
        return (0..SAMPLES).flat_map(|i| Array::Input.load_words(first + i as i64, 4)).collect();
    }
    collect(place, SAMPLES);
    load(place, SAMPLES)
}

pub(crate) fn put_samples(desc: &BlockKernelDesc, place: Thread, words: &[Int]) {
    if !desc.rows {
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

/// Numbers in the array and places in shared memory of the sixteen bytes that a thread moves of its
/// thread block's blocks.
pub(crate) fn portions(place: Thread, count: usize) -> Vec<(Int, Int)> {
    let portion = |i: usize| {
        let own = place.thread + (i * THREADS) as i64;
        let shared = own / count as i64 * PITCH as i64 + own % count as i64;
        (place.thread_block * (count * THREADS) as i64 + own, shared)
    };
    (0..count).map(portion).collect()
}

/// Moves the thread block's blocks from one memory to another. A thread block that is full has
/// nothing to check, so that a thread has all its reads under way at once.
pub(crate) fn copy(from: Array, to: Array, portions: &[(Int, Int)], place: Thread) {
    let ends = |array, (at, shared): (Int, Int)| if array == Array::Shared { shared } else { at };
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

/// Reads the thread block's blocks.
pub(crate) fn collect(place: Thread, count: usize) {
    comment(format!("read {THREADS} blocks"));
    copy(Array::Input, Array::Shared, &portions(place, count), place);
    barrier();
}

/// Writes them.
pub(crate) fn deal(place: Thread, count: usize) {
    barrier();
    comment(format!("write {THREADS} blocks"));
    copy(Array::Shared, Array::Output, &portions(place, count), place);
}

/// The words of the thread's block, whose sixteen bytes are `count`.
pub(crate) fn load(place: Thread, count: usize) -> Vec<Int> {
    (0..count).flat_map(|i| Array::Shared.load_words(place.thread * PITCH as i64 + i as i64, 4)).collect()
}

/// The other way: no other thread reads the block's place before the next barrier.
pub(crate) fn store(place: Thread, words: &[Int]) {
    for (i, words) in words.chunks(4).enumerate() {
        Array::Shared.store_words(place.thread * PITCH as i64 + i as i64, words);
    }
}

/// The sixteen bytes that a thread of a yardstick moves of each half of the larger array.
pub(crate) fn at(place: Thread, i: usize) -> Int {
    place.thread_block * (SAMPLES * THREADS) as i64 + place.thread + (i * THREADS) as i64
}

/// Reads and writes them, all under way at once if the thread block is full.
pub(crate) fn with_halves<T>(place: Thread, half: Int, read: impl Fn(usize) -> T, write: impl Fn(usize, T)) {
    if_less(place.last(), place.blocks, || {
        let all: Vec<T> = (0..SAMPLES).map(&read).collect();
        all.into_iter().enumerate().for_each(|(i, value)| write(i, value));
    });
    if_less(place.blocks, place.last() + 1, || {
        (0..SAMPLES).for_each(|i| if_less(at(place, i), half, || write(i, read(i))));
    });
}

/// Sums of sixteen bytes and others as far as half the array, such that all that is read matters.
pub(crate) fn mix(place: Thread) {
    let half = place.blocks * SAMPLES as i64;
    let sum = |i: usize| -> Vec<Int> {
        let [near, far] = [int(0), half].map(|offset| Array::Input.load_words(at(place, i) + offset, 4));
        near.into_iter().zip(far).map(|(a, b)| add_words(a, b)).collect()
    };
    with_halves(place, half, sum, |i, sum| Array::Output.store_words(at(place, i), &sum));
}

/// The same bytes at two places.
pub(crate) fn double(place: Thread) {
    let half = place.blocks * SAMPLES as i64;
    let read = |i| Array::Input.load_words(at(place, i), 4);
    with_halves(place, half, read, |i, words| {
        [int(0), half].into_iter().for_each(|offset| Array::Output.store_words(at(place, i) + offset, &words));
    });
}

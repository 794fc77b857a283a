//! JPEG's 8×8 blocks: one thread has a block in its registers, so that nothing is transposed.
//!
//! A thread that read its own 128 bytes would meet its neighbours in no line of memory. So the work group reads all its blocks
//! together, sixteen bytes a thread and neighbouring threads neighbouring bytes, into local memory, and each thread takes its own from there; results go
//! back the same way. Nine places of sixteen bytes for the eight of a block let neighbouring threads meet different banks.

use crate::dialect::Frame;
use crate::trace::{
    Array, Int, Narrow, Statement, Sym, barrier, comment, group, if_less, int, nearest, parts, record, thread,
};
use fourfold::Precision;
use fourfold::engine::{Real, dct8, idct8};

/// What a kernel does with blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockWork {
    /// Coefficients (16 bits) to samples (8 bits): times the table's factors, inverse DCT, plus 128, clamped.
    Inverse,
    /// Samples to coefficients: less 128, DCT, times the factors, to the nearest.
    Forward,
    /// As many bytes in and out as the inverse has, with hardly any arithmetic: the yardstick.
    Move,
}

/// Threads of a work group, each with a block.
pub(crate) const THREADS: usize = 64;

/// Sixteen bytes of a block's coefficients, and of its samples.
pub(crate) const COEFFICIENTS: usize = 8;
pub(crate) const SAMPLES: usize = 4;

/// Places that a block has in local memory.
const PITCH: usize = 9;

pub(crate) fn frame(work: BlockWork) -> Frame {
    let bytes = if work == BlockWork::Move { 0 } else { THREADS * PITCH * 16 };
    Frame {
        precision: Precision::F32,
        wide: false,
        threads: THREADS,
        lonely: false,
        cluster: 1,
        local_pairs: bytes / 8,
    }
}

/// The statements; the number of blocks is the first of the indices, so that one kernel serves all.
pub(crate) fn kernel(work: BlockWork) -> Vec<Statement> {
    record(|| {
        let (thread, group, blocks) = (thread(), group(), Array::Indices.load_int(int(0)));
        match work {
            BlockWork::Inverse => {
                collect(thread, group, blocks, COEFFICIENTS);
                inverse(thread);
                deal(thread, group, blocks, SAMPLES);
            }
            BlockWork::Forward => {
                collect(thread, group, blocks, SAMPLES);
                forward(thread);
                deal(thread, group, blocks, COEFFICIENTS);
            }
            BlockWork::Move => mix(thread, group, blocks),
        }
    })
}

/// Numbers in the array and places in local memory of the sixteen bytes that a thread moves of its group's blocks.
fn portions(thread: Int, group: Int, count: usize) -> Vec<(Int, Int)> {
    let portion = |i: usize| {
        let own = thread + (i * THREADS) as i64;
        let place = own / count as i64 * PITCH as i64 + own % count as i64;
        (group * (count * THREADS) as i64 + own, place)
    };
    (0..count).map(portion).collect()
}

/// Moves the group's blocks from one memory to another. A group that is full has nothing to ask, so that a thread has all its reads
/// under way at once.
fn copy(from: Array, to: Array, portions: &[(Int, Int)], group: Int, blocks: Int) {
    let ends = |array, (at, place): (Int, Int)| if array == Array::Local { place } else { at };
    let last = group * THREADS as i64 + (THREADS - 1) as i64;
    if_less(last, blocks, || {
        let words: Vec<_> = portions.iter().map(|&portion| from.load_words(ends(from, portion))).collect();
        portions.iter().zip(words).for_each(|(&portion, words)| to.store_words(ends(to, portion), words));
    });
    if_less(blocks, last + 1, || {
        let all = blocks * portions.len() as i64;
        for &portion in portions {
            if_less(portion.0, all, || to.store_words(ends(to, portion), from.load_words(ends(from, portion))));
        }
    });
}

/// Reads the group's blocks.
fn collect(thread: Int, group: Int, blocks: Int, count: usize) {
    comment(format!("read {THREADS} blocks"));
    copy(Array::Input, Array::Local, &portions(thread, group, count), group, blocks);
    barrier();
}

/// Writes them.
fn deal(thread: Int, group: Int, blocks: Int, count: usize) {
    barrier();
    comment(format!("write {THREADS} blocks"));
    copy(Array::Local, Array::Output, &portions(thread, group, count), group, blocks);
}

/// The thread's block, whose sixteen bytes are `count`, as reals.
fn load(thread: Int, count: usize, narrow: Narrow) -> Vec<Sym> {
    let words = (0..count).flat_map(|i| Array::Local.load_words(thread * PITCH as i64 + i as i64));
    words.flat_map(|word| parts(word, narrow)).collect()
}

/// The other way: no other thread reads the block's place before the next barrier.
fn store(thread: Int, block: &[Sym], narrow: Narrow) {
    let a_word = if narrow == Narrow::Byte { 4 } else { 2 };
    for (i, block) in block.chunks(4 * a_word).enumerate() {
        let words = std::array::from_fn(|j| nearest(&block[j * a_word..][..a_word], narrow));
        Array::Local.store_words(thread * PITCH as i64 + i as i64, words);
    }
}

fn factors() -> impl Iterator<Item = Sym> {
    (0..16).flat_map(|i| Array::Table.load_reals(int(i)))
}

/// Columns, then rows, or rows of columns: in a block, either first.
fn both_ways(block: &mut [Sym], pass: fn([Sym; 8]) -> [Sym; 8]) {
    for [start, step] in (0..8).map(|i| [i, 8]).chain((0..8).map(|i| [8 * i, 1])) {
        let line = pass(std::array::from_fn(|k| block[start + k * step]));
        line.into_iter().enumerate().for_each(|(k, x)| block[start + k * step] = x);
    }
}

fn inverse(thread: Int) {
    comment("dequantise, inverse DCT, clamp".into());
    let coefficients = load(thread, COEFFICIENTS, Narrow::Short);
    let mut block: Vec<_> = coefficients.into_iter().zip(factors()).map(|(c, f)| c * f).collect();
    // The first term stands for itself in all samples.
    block[0] = block[0] + Sym::lit(128.0);
    both_ways(&mut block, idct8);
    store(thread, &block, Narrow::Byte);
}

fn forward(thread: Int) {
    comment("DCT, quantise".into());
    let mut block = load(thread, SAMPLES, Narrow::Byte);
    both_ways(&mut block, dct8);
    block[0] = block[0] - Sym::lit(64.0 * 128.0);
    let block: Vec<_> = block.into_iter().zip(factors()).map(|(c, f)| c * f).collect();
    store(thread, &block, Narrow::Short);
}

/// Sums of sixteen bytes and others as far as half the array, such that all that is read matters.
fn mix(thread: Int, group: Int, blocks: Int) {
    let half = blocks * SAMPLES as i64;
    let at = |i: usize| group * (SAMPLES * THREADS) as i64 + thread + (i * THREADS) as i64;
    let sum = |i: usize| {
        let (near, far) = (Array::Input.load_words(at(i)), Array::Input.load_words(at(i) + half));
        std::array::from_fn(|j| near[j] + far[j])
    };
    let last = group * THREADS as i64 + (THREADS - 1) as i64;
    if_less(last, blocks, || {
        let sums: Vec<[Int; 4]> = (0..SAMPLES).map(sum).collect();
        sums.into_iter().enumerate().for_each(|(i, sum)| Array::Output.store_words(at(i), sum));
    });
    if_less(blocks, last + 1, || {
        (0..SAMPLES).for_each(|i| if_less(at(i), half, || Array::Output.store_words(at(i), sum(i))));
    });
}

//! A thread a sample.

use crate::ir::narrow::Narrow;
use crate::ir::packed::{cos, nearest, real};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{barrier, block, comment, if_less, record, thread};
use crate::jpeg::kernels::program::{Program, count, frame};
use fourfold::engine::Real;
use std::f64::consts::PI;

/// Blocks of a thread block.
const BLOCKS: usize = 4;
const THREADS: usize = 64 * BLOCKS;

/// A thread's sample: where the group's memory has the coefficients of its block, and its row and
/// column.
#[derive(Clone, Copy)]
struct Sample {
    thread: Int,
    block: Int,
    row: Int,
    column: Int,
}

/// The thread block's coefficients, dequantised, in shared memory; then a sum for each sample.
fn program(local_reals: usize, sum: fn(Sample) -> Sym) -> Program {
    let statements = record(|| {
        comment("a thread a sample".into());
        let (thread, thread_block, all) = (thread(), block(), count() * 64);
        let (at, within) = (thread_block * THREADS as i64 + thread, thread % 64);
        if_less(at, all, || {
            let coefficient = real(Array::Input.load_narrow(at, Narrow::Short));
            Array::Shared.store(thread, coefficient * Array::Table.load(within));
        });
        barrier();
        let sample = Sample { thread, block: thread - within, row: within / 8, column: within % 8 };
        let value = sum(sample) + Sym::lit(128.0);
        if_less(at, all, || Array::Output.store_narrow(at, nearest(value, Narrow::Byte), Narrow::Byte));
    });
    Program { frame: frame(THREADS, 4 * local_reals), blocks: BLOCKS, statements }
}

/// Σ of eight terms.
fn sum(term: impl Fn(usize) -> [Sym; 2]) -> Sym {
    let [x, y] = term(0);
    (1..8).map(term).fold(x * y, |sum, [x, y]| x.mul_add(y, sum))
}

/// Σ_k wave_k Σ_l wave_l c(k, l).
fn both_sums(sample: Sample, rows: &[Sym], columns: &[Sym]) -> Sym {
    let at = |k: usize, l: usize| Array::Shared.load(sample.block + (8 * k + l) as i64);
    sum(|k| [rows[k], sum(|l| [columns[l], at(k, l)])])
}

/// The waves at sample n, from the table behind that of quantisation.
fn looked_up(n: Int) -> Vec<Sym> {
    (0..8).map(|k| Array::Table.load(n + (64 + 8 * k))).collect()
}

/// The same, computed.
fn computed(n: Int) -> Vec<Sym> {
    let angle = real(n * 2 + 1) * Sym::lit(PI / 16.0);
    let wave = |k: usize| match k {
        0 => Sym::lit(0.125f64.sqrt()),
        _ => cos(angle * Sym::lit(k as f64)) * Sym::lit(0.5),
    };
    (0..8).map(wave).collect()
}

/// 64 terms, cosines computed.
pub(crate) fn naive() -> Program {
    program(THREADS, |sample| both_sums(sample, &computed(sample.row), &computed(sample.column)))
}

/// 64 terms, cosines from a table.
pub(crate) fn lut() -> Program {
    program(THREADS, |sample| both_sums(sample, &looked_up(sample.row), &looked_up(sample.column)))
}

/// Eight terms of the row, then eight of the column, with the first sums in shared memory.
pub(crate) fn separable() -> Program {
    program(2 * THREADS, |sample| {
        let (rows, columns) = (looked_up(sample.row), looked_up(sample.column));
        let own_row = sample.block + sample.row * 8;
        let of_row = sum(|l| [columns[l], Array::Shared.load(own_row + l as i64)]);
        Array::Shared.store(sample.thread + THREADS as i64, of_row);
        barrier();
        let own_column = sample.block + sample.column + int(THREADS);
        sum(|k| [rows[k], Array::Shared.load(own_column + 8 * k as i64)])
    })
}

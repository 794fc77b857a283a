//! Four threads a block, each with two rows, then two columns.

use crate::ir::narrow::Narrow;
use crate::ir::packed::{bits, nearest, of_bits, packed, parts, permute, real};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{block, comment, if_less, record, select, thread};
use crate::jpeg::kernels::program::{Program, count, frame};
use crate::jpeg::ladder::eight::transposed;
use crate::jpeg::ladder::points::decomposed;

/// Blocks of a thread block.
const BLOCKS: usize = 64;
const THREADS: usize = 4 * BLOCKS;

/// Pairs of rows are four by four squares of two by two terms, of which a thread has a row of four:
/// so half as many exchanges a block as with eight threads. On the way back bytes are exchanged,
/// four in a word.
pub(crate) fn next16() -> Program {
    let statements = record(|| {
        comment("four threads a block".into());
        let (thread, thread_block, all) = (thread(), block(), count() * 4);
        let (at, pair) = (thread_block * THREADS as i64 + thread, thread % 4);
        let rows = load(select(at, all, at, int(0)), pair).map(decomposed);
        let squares =
            std::array::from_fn(|s| [rows[0][2 * s], rows[0][2 * s + 1], rows[1][2 * s], rows[1][2 * s + 1]].map(bits));
        let squares: [[Int; 4]; 4] = transposed(thread, squares);
        let column = |c: usize| std::array::from_fn(|row| of_bits(squares[row / 2][row % 2 * 2 + c]));
        let columns = [0, 1].map(|c| decomposed(column(c)));
        let words = back(thread, columns);
        if_less(at, all, || Array::Output.store_words(at, &words));
    });
    // Room for what is exchanged at once, where that takes shared memory.
    Program { frame: frame(THREADS, 4 * 4 * THREADS), blocks: BLOCKS, statements }
}

/// A pair of rows, times the table.
fn load(at: Int, pair: Int) -> [[Sym; 8]; 2] {
    let words = [0, 1].map(|i| Array::Input.load_words(at * 2 + i, 4)).concat();
    let table = (0..4).flat_map(|i| Array::Table.load_reals(pair * 4 + i));
    let terms: Vec<_> = parts(&words, Narrow::Short).into_iter().zip(table).map(|(c, q)| real(c) * q).collect();
    let mut rows = [0, 8].map(|first| std::array::from_fn(|i| terms[first + i]));
    rows[0][0] = rows[0][0] + Array::Table.load(pair * 2 + 64);
    rows
}

/// Two rows of samples, four words, of two columns.
fn back(thread: Int, columns: [[Sym; 8]; 2]) -> Vec<Int> {
    let samples = columns.map(|column| column.map(|x| nearest(x, Narrow::Byte)));
    let square = |s: usize| [samples[0][2 * s], samples[1][2 * s], samples[0][2 * s + 1], samples[1][2 * s + 1]];
    let squares = transposed(thread, std::array::from_fn::<_, 4, _>(|s| [packed(&square(s), Narrow::Byte)[0]]));
    let halves = |bytes| [0, 2].map(|s| permute(squares[s][0], squares[s + 1][0], bytes));
    [halves([0, 1, 4, 5]), halves([2, 3, 6, 7])].concat()
}

//! Eight threads a block, each with a row, then a column.

use crate::ir::narrow::Narrow;
use crate::ir::packed::{bits, exchange, nearest, of_bits, packed, parts, real};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{barrier, block, comment, if_less, record, select, thread};
use crate::jpeg::kernels::program::{Program, count, frame};
use crate::jpeg::ladder::points::{decomposed as decomposed8, lifted};
use fourfold::engine::Real;

/// Blocks of a thread block.
const BLOCKS: usize = 32;
const THREADS: usize = 8 * BLOCKS;

/// A thread's row.
#[derive(Clone, Copy)]
struct Row {
    thread: Int,
    /// Among the rows of all blocks, and how many these are.
    at: Int,
    all: Int,
    /// In its block.
    row: Int,
}

impl Row {
    fn new() -> Row {
        let (thread, thread_block, all) = (thread(), block(), count() * 8);
        Row { thread, at: thread_block * THREADS as i64 + thread, all, row: thread % 8 }
    }

    /// Its coefficients times the table. Threads beyond the last row take the first.
    fn load(self) -> [Sym; 8] {
        let at = select(self.at, self.all, self.at, int(0));
        let coefficients = parts(&Array::Input.load_words(at, 4), Narrow::Short);
        let table = [0, 1].map(|i| Array::Table.load_reals(self.row * 2 + i));
        let products = coefficients.into_iter().zip(table.concat()).map(|(c, q)| real(c) * q);
        products.collect::<Vec<_>>().try_into().expect("a row has eight")
    }

    /// Writes a row of samples.
    fn store(self, samples: [Sym; 8]) {
        let words = packed(&samples.map(|x| nearest(x, Narrow::Byte)), Narrow::Byte);
        if_less(self.at, self.all, || Array::Output.store_words(self.at, &words));
    }
}

/// One of √8 · √8 that two passes of `decomposed` leave, and the level shift.
fn leveled(x: [Sym; 8], factor: f64) -> [Sym; 8] {
    x.map(|x| x.mul_add(Sym::lit(factor), Sym::lit(128.0)))
}

/// The orthonormal inverse by even and odd terms.
fn normalised(y: [Sym; 8]) -> [Sym; 8] {
    decomposed8(y).map(|x| x * Sym::lit(0.125f64.sqrt()))
}

/// Element i of thread j becomes element j of thread i, of all groups of as many threads as there
/// are elements: pairs of elements whose numbers differ in a bit are exchanged by pairs of threads
/// that do, bit by bit.
pub(crate) fn transposed<const N: usize, const WORDS: usize>(
    thread: Int,
    mut elements: [[Int; WORDS]; N],
) -> [[Int; WORDS]; N] {
    let mut bit = 1;
    while bit < N {
        let side = thread / bit as i64 % 2;
        for i in (0..N).filter(|i| i & bit == 0) {
            let (low, high) = (elements[i], elements[i + bit]);
            let given: Vec<_> = low.iter().zip(high).map(|(&low, high)| select(side, int(1), high, low)).collect();
            let taken = exchange(&given, bit);
            for (word, taken) in taken.into_iter().enumerate() {
                elements[i][word] = select(side, int(1), low[word], taken);
                elements[i + bit][word] = select(side, int(1), taken, high[word]);
            }
        }
        bit *= 2;
    }
    elements
}

fn transposed_reals(thread: Int, x: [Sym; 8]) -> [Sym; 8] {
    transposed(thread, x.map(|x| [bits(x)])).map(|[word]| of_bits(word))
}

fn program(local_reals: usize, body: fn(Row)) -> Program {
    let statements = record(|| {
        comment("eight threads a block".into());
        body(Row::new());
    });
    Program { frame: frame(THREADS, 4 * local_reals), blocks: BLOCKS, statements }
}

/// Room for as many words as are exchanged at once, where that takes shared memory.
const EXCHANGED: usize = THREADS;

/// Rows become columns in shared memory; samples are written one by one.
pub(crate) fn decomposed() -> Program {
    program(64 * BLOCKS, |row| {
        let first = (row.thread - row.row) * 8;
        for (i, x) in normalised(row.load()).into_iter().enumerate() {
            Array::Shared.store(first + row.row * 8 + i as i64, x);
        }
        barrier();
        let column = normalised(std::array::from_fn(|i| Array::Shared.load(first + row.row + 8 * i as i64)));
        let samples = leveled(column, 1.0);
        if_less(row.at, row.all, || {
            for (i, x) in samples.into_iter().enumerate() {
                let at = (row.at - row.row) * 8 + row.row + 8 * i as i64;
                Array::Output.store_narrow(at, nearest(x, Narrow::Byte), Narrow::Byte);
            }
        });
    })
}

/// Rows become columns, and these rows, by exchanges.
pub(crate) fn no_shared() -> Program {
    program(EXCHANGED, |row| {
        let columns = transposed_reals(row.thread, normalised(row.load()));
        let rows = transposed_reals(row.thread, normalised(columns));
        row.store(leveled(rows, 1.0));
    })
}

/// The same with all factors, and the level shift, in the table.
pub(crate) fn next() -> Program {
    program(EXCHANGED, |row| {
        let mut terms = row.load();
        terms[0] = terms[0] + Array::Table.load(row.row + 64);
        let columns = transposed_reals(row.thread, decomposed8(terms));
        row.store(transposed_reals(row.thread, decomposed8(columns)));
    })
}

/// Columns, then rows, all through shared memory, where a row of a block has nine places.
pub(crate) fn gpujpeg() -> Program {
    program(72 * BLOCKS, |row| {
        let place = |k: Int| (row.thread / 8) * 72 + k;
        for (i, x) in row.load().into_iter().enumerate() {
            Array::Shared.store(place(row.row * 9 + i as i64), x);
        }
        barrier();
        let column = lifted(std::array::from_fn(|i| Array::Shared.load(place(row.row + 9 * i as i64))));
        for (i, x) in column.into_iter().enumerate() {
            Array::Shared.store(place(row.row + 9 * i as i64), x);
        }
        barrier();
        let samples = lifted(std::array::from_fn(|i| Array::Shared.load(place(row.row * 9 + i as i64))));
        row.store(leveled(samples, 1.0));
    })
}

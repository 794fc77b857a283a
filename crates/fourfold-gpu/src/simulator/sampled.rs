//! Some threads of a kernel, without its arrays: whether indices stay within their type and their
//! arrays in launches too large to be run.
//!
//! The first and last threads of the first and last blocks run alone, and of every loop the first
//! two turns and the last. Memory has any values, so that what depends on them is right whatever
//! they are: positions of cells, or a file's coefficients.

use crate::ir::narrow::Narrow;
use crate::ir::range::Range;
use crate::ir::statement::{Array, Int, Statement};
use crate::simulator::machine::place;
use crate::simulator::values::{Surroundings, Thread};
use fastrand::Rng;
use fourfold::Storage;

/// A kernel as it is launched.
pub(crate) struct Sampled<'a> {
    /// What it is, for the message if it is wrong.
    pub(crate) name: String,
    pub(crate) statements: &'a [Statement],
    /// The type of reals in input and output.
    pub(crate) storage: Storage,
    /// Whether indices have 64 bits.
    pub(crate) wide: bool,
    pub(crate) range: Option<Range>,
    pub(crate) blocks: usize,
    pub(crate) threads: usize,
    /// Bytes of input, output, scratch and shared memory. An array of no bytes is not accessed.
    pub(crate) bytes: [usize; 4],
    /// Bytes of the table, if they are known.
    pub(crate) table: Option<usize>,
    /// What is in the table of indices.
    pub(crate) indices: &'a dyn Fn(usize, &mut Rng) -> u32,
}

impl Sampled<'_> {
    /// Panics if an integer leaves its type, a dividend is negative, or an array is left.
    pub(crate) fn check(&self) {
        for block in ends(self.blocks) {
            for thread in ends(self.threads) {
                let rng = Rng::with_seed((block * self.threads + thread) as u64);
                let around = Around { launch: self, who: [block, thread], rng };
                OneThread { thread: Thread::new(self.wide, self.storage.precision()), around, at: None }
                    .all(self.statements);
            }
        }
    }

    /// Bytes of an array.
    fn bytes(&self, array: Array) -> Option<usize> {
        match array {
            Array::Input => Some(self.bytes[0]),
            Array::Output => Some(self.bytes[1]),
            Array::Scratch => Some(self.bytes[2]),
            Array::Shared | Array::Peer(_) => Some(self.bytes[3]),
            Array::Table | Array::Factors => self.table,
            Array::Indices => None,
        }
    }
}

/// Numbers below `count` at both ends, and one between.
fn ends(count: usize) -> Vec<usize> {
    let mut all: Vec<_> =
        [0, 1, count / 2, count.saturating_sub(2), count - 1].into_iter().filter(|i| *i < count).collect();
    all.dedup();
    all
}

/// What a thread sees.
struct Around<'a> {
    launch: &'a Sampled<'a>,
    /// Block and thread.
    who: [usize; 2],
    rng: Rng,
}

impl Around<'_> {
    /// Panics unless an array has number `at` of values of so many bytes.
    fn check(&self, array: Array, at: i64, size: usize) {
        let has = self.launch.bytes(array);
        let inside = at >= 0 && has.is_none_or(|has| (at as usize + 1) * size <= has);
        assert!(inside, "{array:?} has {has:?} bytes: value {at} of {size} bytes is outside");
    }

    fn check_reals(&self, array: Array, at: i64, count: usize) {
        let storage = self.launch.storage;
        let bytes =
            if matches!(array, Array::Input | Array::Output) { storage.bytes() } else { storage.precision().bytes() };
        self.check(array, at, count * bytes);
    }

    /// Any real.
    fn real(&mut self) -> f64 {
        match self.rng.u8(0..8) {
            0 => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0][self.rng.usize(0..4)],
            1 => 1e30 * (self.rng.f64() - 0.5),
            _ => 100.0 * (self.rng.f64() - 0.5),
        }
    }

    /// Any word.
    fn word(&mut self) -> u32 {
        match self.rng.u8(0..8) {
            0 => [u32::MAX, i32::MAX as u32, 1 << 31, 0][self.rng.usize(0..4)],
            _ => self.rng.u32(..),
        }
    }
}

impl Surroundings for Around<'_> {
    fn load(&mut self, array: Array, at: i64) -> f64 {
        self.check_reals(array, at, 1);
        self.real()
    }

    fn load_int(&mut self, at: i64) -> i64 {
        (self.launch.indices)(at.try_into().expect("a place from 0 on"), &mut self.rng).into()
    }

    fn load_narrow(&mut self, array: Array, at: i64, narrow: Narrow) -> i64 {
        self.check(array, at, 4 / narrow.per_word());
        match narrow {
            Narrow::Byte => self.rng.u8(..).into(),
            Narrow::Short => self.rng.i16(..).into(),
        }
    }

    fn numbers(&self) -> [i64; 2] {
        let [block, thread] = self.who;
        [thread as i64, block as i64]
    }

    fn item(&self, dimension: usize) -> i64 {
        let range = self.launch.range.expect("the kernel is for a range");
        place(range, self.who[0], self.who[1])[dimension] as i64
    }
}

struct OneThread<'a> {
    thread: Thread,
    around: Around<'a>,
    /// The statement that it is at.
    at: Option<&'a Statement>,
}

impl Drop for OneThread<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}, block and thread {:?}: {:?}", self.around.launch.name, self.around.who, self.at);
        }
    }
}

impl<'a> OneThread<'a> {
    fn all(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            self.at = Some(statement);
            self.one(statement);
        }
    }

    fn one(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Let(name, expr) => self.thread.bind(*name, expr, &mut self.around),
            Statement::LetPair(names, array, at) => self.reals(names, *array, *at),
            Statement::LetReals(names, array, at) => self.reals(names, *array, *at),
            Statement::LetWords(names, array, at) => self.words(names, *array, *at),
            Statement::Store(array, at, _) => self.around.check_reals(*array, self.thread.int(*at), 1),
            Statement::StorePair(array, at, _) => self.around.check_reals(*array, self.thread.int(*at), 2),
            Statement::StoreReals(array, at, _) => self.around.check_reals(*array, self.thread.int(*at), 4),
            Statement::StoreWords(array, at, words) => {
                self.around.check(*array, self.thread.int(*at), 4 * words.len());
            }
            Statement::StoreNarrow(array, at, _, narrow) => {
                self.around.check(*array, self.thread.int(*at), 4 / narrow.per_word());
            }
            Statement::AddFixed(array, at, _) => self.around.check(*array, self.thread.int(*at), 8),
            Statement::Exchange(names, ..) => names.iter().for_each(|name| {
                let word = self.around.word();
                self.thread.set_int(*name, self.thread.of_word(word));
            }),
            Statement::ExchangeReals(names, ..) => names.iter().for_each(|name| {
                let real = self.around.real();
                self.thread.set_real(*name, real);
            }),
            Statement::For(name, range, body) => self.turns(*name, range.map(|x| self.thread.int(x)), body),
            Statement::IfLess(a, b, body) if self.thread.int(*a) < self.thread.int(*b) => self.all(body),
            Statement::IfLess(..)
            | Statement::Comment(_)
            | Statement::Barrier
            | Statement::ClusterBegin
            | Statement::ClusterArrive
            | Statement::ClusterWait => {}
        }
    }

    /// The first two turns of a loop and the last: bodies have no variables that change.
    fn turns(&mut self, name: u32, [start, end, step]: [i64; 3], body: &'a [Statement]) {
        assert!(step > 0, "a loop has steps of {step}");
        if start >= end {
            return;
        }
        let last = start + (end - 1 - start) / step * step;
        self.thread.check(last + step);
        for i in [start, start + step, last].into_iter().filter(|i| *i <= last) {
            self.thread.set_int(name, i);
            self.all(body);
        }
    }

    fn reals(&mut self, names: &[u32], array: Array, at: Int) {
        self.around.check_reals(array, self.thread.int(at), names.len());
        for name in names {
            let real = self.around.real();
            self.thread.set_real(*name, real);
        }
    }

    fn words(&mut self, names: &[u32], array: Array, at: Int) {
        let at = self.thread.int(at);
        self.around.check(array, at, 4 * names.len());
        for (i, name) in names.iter().enumerate() {
            let word = match array {
                Array::Indices => (self.around.launch.indices)(at as usize * names.len() + i, &mut self.around.rng),
                _ => self.around.word(),
            };
            self.thread.set_int(*name, self.thread.of_word(word));
        }
    }
}

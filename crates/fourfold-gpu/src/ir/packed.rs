//! What kernels of JPEG's blocks do beside real arithmetic: 32-bit words, the narrow integers in
//! them, and words of other threads.

use crate::ir::narrow::Narrow;
use crate::ir::statement::{Array, Expr, Int, Operator, Statement, Sym, Var};
use crate::ir::trace::{bind, emit, name, select};
use fourfold::engine::jpeg::Words;
use std::ops::{Add, Sub};

impl Array {
    /// So many words, two or four, number `at` of such groups.
    pub(crate) fn load_words(self, at: Int, count: usize) -> Vec<Int> {
        let names: Vec<_> = (0..count).map(|_| name()).collect();
        emit(Statement::LetWords(names.clone(), self, at));
        names.into_iter().map(Var::Name).collect()
    }

    /// The other way.
    pub(crate) fn store_words(self, at: Int, words: &[Int]) {
        emit(Statement::StoreWords(self, at, words.to_vec()));
    }

    /// Four reals.
    pub(crate) fn load_reals(self, at: Int) -> [Sym; 4] {
        let names = [name(), name(), name(), name()];
        emit(Statement::LetReals(names, self, at));
        names.map(Var::Name)
    }

    /// The other way.
    pub(crate) fn store_reals(self, at: Int, reals: [Sym; 4]) {
        emit(Statement::StoreReals(self, at, reals));
    }

    /// Narrow integer `at`.
    pub(crate) fn load_narrow(self, at: Int, narrow: Narrow) -> Int {
        bind(Expr::LoadNarrow(self, at, narrow))
    }

    /// The lowest bits of a word as narrow integer `at`.
    pub(crate) fn store_narrow(self, at: Int, value: Int, narrow: Narrow) {
        emit(Statement::StoreNarrow(self, at, value, narrow));
    }
}

/// The narrow integers in words.
pub(crate) fn parts(words: &[Int], narrow: Narrow) -> Vec<Int> {
    let parts = |&word: &Int| (0..narrow.per_word()).map(move |i| bind(Expr::Part(word, narrow, i)));
    words.iter().flat_map(parts).collect()
}

/// Words of narrow integers, of which the lowest bits count.
pub(crate) fn packed(integers: &[Int], narrow: Narrow) -> Vec<Int> {
    integers.chunks(narrow.per_word()).map(|parts| bind(Expr::Pack(parts.to_vec(), narrow))).collect()
}

/// The nearest integer that is narrow.
pub(crate) fn nearest(x: Sym, narrow: Narrow) -> Int {
    bind(Expr::Nearest(x, narrow))
}

/// An integer as a real.
pub(crate) fn real(x: Int) -> Sym {
    bind(Expr::OfInt(x))
}

pub(crate) fn cos(x: Sym) -> Sym {
    bind(Expr::Cos(x))
}

pub(crate) fn sin(x: Sym) -> Sym {
    bind(Expr::Sin(x))
}

/// The bits of a real in single precision, and the real of such bits.
pub(crate) fn bits(x: Sym) -> Int {
    bind(Expr::Bits(x))
}

pub(crate) fn of_bits(x: Int) -> Sym {
    bind(Expr::OfBits(x))
}

/// A word of four bytes out of eight, those of `a` from 0, those of `b` from 4.
pub(crate) fn permute(a: Int, b: Int, bytes: [u8; 4]) -> Int {
    bind(Expr::Permute(a, b, bytes))
}

/// Quotient and remainder.
pub(crate) fn divide(a: Int, b: Int) -> [Int; 2] {
    let quotient = bind(Expr::Int(Operator::Div, a, b));
    [quotient, a - multiply(quotient, b)]
}

/// The sum of words, modulo 2^32.
pub(crate) fn add_words(a: Int, b: Int) -> Int {
    bind(Expr::Wrapping(Operator::Add, a, b))
}

pub(crate) fn multiply(a: Int, b: Int) -> Int {
    bind(Expr::Int(Operator::Mul, a, b))
}

/// What the thread whose number differs in the bits `bits` has in place of these words. All threads
/// of a block must come here.
pub(crate) fn exchange(words: &[Int], bits: usize) -> Vec<Int> {
    let names: Vec<_> = words.iter().map(|_| name()).collect();
    emit(Statement::Exchange(names.clone(), words.to_vec(), bits));
    names.into_iter().map(Var::Name).collect()
}

/// The threads that come to an exchange of the first so many: whole warps, or a part of one.
pub(crate) fn exchanging(threads: usize, warp: usize) -> usize {
    if threads < warp { threads } else { threads.next_multiple_of(warp) }
}

/// The same of reals, where the first `threads` threads of the block exchange.
pub(crate) fn exchange_reals(reals: &[Sym], bits: usize, threads: usize) -> Vec<Sym> {
    let names: Vec<_> = reals.iter().map(|_| name()).collect();
    emit(Statement::ExchangeReals(names.clone(), reals.to_vec(), bits, threads));
    names.into_iter().map(Var::Name).collect()
}

/// A 16-bit integer with libjpeg's arithmetic.
#[derive(Clone, Copy)]
pub(crate) struct Short(pub(crate) Int);

/// A 32-bit one.
#[derive(Clone, Copy)]
pub(crate) struct Wide(Int);

/// The lowest 16 bits, with sign.
fn short(x: Int) -> Short {
    Short(bind(Expr::Part(x, Narrow::Short, 0)))
}

/// The nearest integer between.
pub(crate) fn clamp(x: Int, range: [i64; 2]) -> Int {
    bind(Expr::Clamp(x, range))
}

/// 1 where one of them is not zero, else 0.
pub(crate) fn any(integers: &[Int]) -> Int {
    let all = integers.iter().copied().reduce(|a, b| bind(Expr::Int(Operator::Or, a, b))).unwrap_or(Var::Lit(0));
    let sign = clamp(all, [-1, 1]);
    sign * sign
}

const SHORTS: [i64; 2] = [i16::MIN as i64, i16::MAX as i64];

impl Add for Short {
    type Output = Short;
    fn add(self, b: Short) -> Short {
        short(self.0 + b.0)
    }
}

impl Sub for Short {
    type Output = Short;
    fn sub(self, b: Short) -> Short {
        short(self.0 - b.0)
    }
}

impl Add for Wide {
    type Output = Wide;
    fn add(self, b: Wide) -> Wide {
        Wide(add_words(self.0, b.0))
    }
}

impl Sub for Wide {
    type Output = Wide;
    fn sub(self, b: Wide) -> Wide {
        Wide(bind(Expr::Wrapping(Operator::Sub, self.0, b.0)))
    }
}

/// The sign of the first, which is not the least integer, for the second.
fn with_sign(of: Int, x: Int) -> Int {
    select(of, Var::Lit(0), Var::Lit(0) - x, x)
}

impl Words for Short {
    type Wide = Wide;

    fn mul(self, b: Short) -> Short {
        short(bind(Expr::Wrapping(Operator::Mul, self.0, b.0)))
    }
    /// Two products of libjpeg's constants fit 32 bits together: these are below 2^15 in sum.
    fn dot(self, factor: i16, b: Short, other: i16) -> Wide {
        Wide(self.0 * i64::from(factor) + b.0 * i64::from(other))
    }
    fn splat(_: Wide, value: i32) -> Wide {
        Wide(Var::Lit(value.into()))
    }
    fn widen<const SHIFT: i32>(self) -> Wide {
        Wide(self.0 * (1 << SHIFT))
    }
    fn narrow<const SHIFT: i32>(wide: Wide) -> Short {
        Short(clamp(wide.0 >> SHIFT.into(), SHORTS))
    }
    fn shift_right<const SHIFT: i32>(self, bias: i16) -> Short {
        Short((self + Short(Var::Lit(bias.into()))).0 >> SHIFT.into())
    }
    fn scale(self, half: Short, first: Short, second: Short) -> Short {
        let high = |a, b| bind(Expr::HighHalf(a, b));
        let scaled = high(high(with_sign(self.0, self.0) + half.0, first.0), second.0);
        Short(with_sign(self.0, scaled))
    }
}

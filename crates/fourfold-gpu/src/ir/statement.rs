//! Statements of kernels, as data.
//!
//! A kernel's statements are a tree; the dialects print it.

use crate::ir::narrow::Narrow;

/// A literal, or the variable with this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Var<K> {
    Lit(K),
    Name(u32),
}

/// A real number of the kernel's precision.
pub(crate) type Sym = Var<f64>;

/// An index.
pub(crate) type Int = Var<i64>;

/// A memory that kernels see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Array {
    /// The array that a pass reads.
    Input,
    /// The array that it writes.
    Output,
    /// Coefficients.
    Table,
    /// The same memory, where a multiplier has a factor for each element of an array.
    Factors,
    /// Orders.
    Indices,
    /// The block's own memory.
    Shared,
    /// The same of the cluster's block with this number.
    Peer(Int),
    /// The same in device memory.
    Scratch,
}

/// An operator on two reals, or on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    /// The remainder of integers that are not negative.
    Rem,
    /// A shift to the right, which keeps the sign.
    Shr,
    /// Bits that one of them has.
    Or,
}

/// What a variable is bound to.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Real(Operator, Sym, Sym),
    Int(Operator, Int, Int),
    Neg(Sym),
    /// a · b + c
    MulAdd(Sym, Sym, Sym),
    /// a · b − c
    MulSub(Sym, Sym, Sym),
    Load(Array, Int),
    LoadInt(Array, Int),
    /// The third if the first is less than the second, else the fourth.
    Select(Int, Int, Int, Int),
    SelectReal(Int, Int, Sym, Sym),
    /// 0 if the magnitude of the first is below the second, else the first.
    CutOff(Sym, Sym),
    /// 1/x, or 0 if x is 0.
    Reciprocal(Sym),
    /// 1/x of a normal x whose reciprocal is normal, too.
    NormalReciprocal(Sym),
    LoadNarrow(Array, Int, Narrow),
    /// One of the narrow integers in a word.
    Part(Int, Narrow, usize),
    /// The nearest integer that is narrow.
    Nearest(Sym, Narrow),
    /// A word of the lowest bits of integers, the first lowest.
    Pack(Vec<Int>, Narrow),
    OfInt(Int),
    /// A real without its fraction.
    Whole(Sym),
    /// The lesser of two; if one is no number, the other.
    Least(Sym, Sym),
    /// The greater, alike.
    Greatest(Sym, Sym),
    Cos(Sym),
    Sin(Sym),
    Bits(Sym),
    OfBits(Int),
    /// Bytes out of those of two words.
    Permute(Int, Int, [u8; 4]),
    /// The nearest integer between two.
    Clamp(Int, [i64; 2]),
    /// Modulo 2^32.
    Wrapping(Operator, Int, Int),
    /// The upper half of the product of numbers of 16 bits without signs.
    HighHalf(Int, Int),
    /// The thread's number in its block.
    Thread,
    /// The block's number.
    Block,
    /// The column (0) or the row (1) of the thread's item in a [range](crate::ir::range::Range).
    Item(usize),
}

/// A statement of a kernel.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Comment(String),
    Let(u32, Expr),
    /// Two variables, and the pair of neighbours that they are: number i has reals 2i and 2i + 1.
    LetPair([u32; 2], Array, Int),
    /// Two or four variables, and the 32-bit words that they are, with their number among all twos
    /// or fours.
    LetWords(Vec<u32>, Array, Int),
    /// The same of four, of reals.
    LetReals([u32; 4], Array, Int),
    StoreReals(Array, Int, [Sym; 4]),
    StoreWords(Array, Int, Vec<Int>),
    StoreNarrow(Array, Int, Int, Narrow),
    /// Variables, and words of the thread whose number differs in these bits that they are.
    Exchange(Vec<u32>, Vec<Int>, usize),
    /// The same of reals, among so many threads of the block, the first ones.
    ExchangeReals(Vec<u32>, Vec<Sym>, usize, usize),
    /// Adds the integer nearest to a real to one of 64 bits in device memory, whoever else does.
    AddFixed(Array, Int, Sym),
    Store(Array, Int, Sym),
    StorePair(Array, Int, [Sym; 2]),
    /// Variable, start, end, step.
    For(u32, [Int; 3], Vec<Statement>),
    /// If a < b.
    IfLess(Int, Int, Vec<Statement>),
    Barrier,
    ClusterBegin,
    ClusterArrive,
    ClusterWait,
}

impl Statement {
    /// Whether it changes nothing but memory.
    pub(crate) fn only_stores(&self) -> bool {
        match self {
            Statement::Store(..) | Statement::StorePair(..) | Statement::StoreReals(..) => true,
            Statement::IfLess(_, _, body) => body.iter().all(Statement::only_stores),
            _ => false,
        }
    }

    /// Whether it changes memory, and perhaps does other things.
    pub(crate) fn stores(&self) -> bool {
        match self {
            Statement::IfLess(_, _, body) | Statement::For(_, _, body) => body.iter().any(Statement::stores),
            Statement::StoreWords(..) | Statement::StoreNarrow(..) | Statement::AddFixed(..) => true,
            _ => self.only_stores(),
        }
    }
}

impl Sym {
    /// The literal `value`.
    pub(crate) fn lit(value: f64) -> Sym {
        Var::Lit(value)
    }
}

/// The literal `n`.
pub(crate) fn int(n: usize) -> Int {
    Var::Lit(n as i64)
}

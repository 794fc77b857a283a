//! Kernels are written by running: the operators of [`Sym`] and [`Int`] record statements.
//!
//! A kernel's statements are a tree of data; the dialects print it. Operators on literals are done
//! at once, and what adds 0 or multiplies by 1 leaves no statement.

use crate::ir::narrow::Narrow;
use crate::ir::operator::Operator;
use fourfold::engine::C;
use std::cell::RefCell;

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

/// The statements of the scopes that are open, and the last name given.
#[derive(Default)]
struct Recorder {
    scopes: Vec<Vec<Statement>>,
    names: u32,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

pub(crate) fn name() -> u32 {
    RECORDER.with_borrow_mut(|r| {
        r.names += 1;
        r.names
    })
}

pub(crate) fn emit(statement: Statement) {
    RECORDER.with_borrow_mut(|r| r.scopes.last_mut().expect("a kernel is being recorded").push(statement));
}

pub(crate) fn bind<K>(expr: Expr) -> Var<K> {
    let n = name();
    emit(Statement::Let(n, expr));
    Var::Name(n)
}

fn statements_of(body: impl FnOnce()) -> Vec<Statement> {
    RECORDER.with_borrow_mut(|r| r.scopes.push(vec![]));
    body();
    RECORDER.with_borrow_mut(|r| r.scopes.pop()).expect("the scope just opened")
}

/// The statements that `body` records.
pub(crate) fn record(body: impl FnOnce()) -> Vec<Statement> {
    RECORDER.set(Recorder::default());
    statements_of(body)
}

pub(crate) fn comment(text: String) {
    emit(Statement::Comment(text));
}

/// All threads of the block wait for one another, and see what they stored.
pub(crate) fn barrier() {
    emit(Statement::Barrier);
}

/// What this thread has stored until here, all of the cluster see after [`cluster_wait`]; what it
/// has loaded, they may store then.
pub(crate) fn cluster_arrive() {
    emit(Statement::ClusterArrive);
}

/// The same of a thread that has stored nothing yet.
pub(crate) fn cluster_begin() {
    emit(Statement::ClusterBegin);
}

/// All threads of the cluster wait for one another, and see what they stored.
pub(crate) fn cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}

/// Until all threads of the cluster have arrived.
pub(crate) fn cluster_wait() {
    emit(Statement::ClusterWait);
}

/// `body`, with all that it stores after all that it loads; what it stores must not be what it
/// loads later.
pub(crate) fn loads_first(body: impl FnOnce()) {
    let (stores, others): (Vec<_>, Vec<_>) = statements_of(body).into_iter().partition(Statement::only_stores);
    others.into_iter().chain(stores).for_each(emit);
}

/// `body`, storing where a < b alone. What it loads must be there in any case.
pub(crate) fn store_if_less(a: Int, b: Int, body: impl FnOnce()) {
    if let (Var::Lit(_), Var::Lit(_)) = (a, b) {
        return if_less(a, b, body);
    }
    let (stores, others): (Vec<_>, Vec<_>) = statements_of(body).into_iter().partition(Statement::only_stores);
    others.into_iter().for_each(emit);
    emit(Statement::IfLess(a, b, stores));
}

impl Statement {
    fn only_stores(&self) -> bool {
        match self {
            Statement::Store(..) | Statement::StorePair(..) | Statement::StoreReals(..) => true,
            Statement::IfLess(_, _, body) => body.iter().all(Statement::only_stores),
            _ => false,
        }
    }
}

/// `body` for every value from `start` below `end` by `step`.
pub(crate) fn for_each(start: Int, end: Int, step: Int, body: impl FnOnce(Int)) {
    let n = name();
    let statements = statements_of(|| body(Var::Name(n)));
    emit(Statement::For(n, [start, end, step], statements));
}

/// `body` where a < b.
pub(crate) fn if_less(a: Int, b: Int, body: impl FnOnce()) {
    match (a, b) {
        (Var::Lit(a), Var::Lit(b)) if a < b => body(),
        (Var::Lit(_), Var::Lit(_)) => {}
        _ => {
            let statements = statements_of(body);
            emit(Statement::IfLess(a, b, statements));
        }
    }
}

pub(crate) fn thread() -> Int {
    bind(Expr::Thread)
}

pub(crate) fn block() -> Int {
    bind(Expr::Block)
}

impl Array {
    pub(crate) fn load(self, at: Int) -> Sym {
        bind(Expr::Load(self, at))
    }

    pub(crate) fn load_int(self, at: Int) -> Int {
        bind(Expr::LoadInt(self, at))
    }

    /// Complex number `at`.
    pub(crate) fn load_pair(self, at: Int) -> C<Sym> {
        let names = [name(), name()];
        emit(Statement::LetPair(names, self, at));
        C { re: Var::Name(names[0]), im: Var::Name(names[1]) }
    }

    pub(crate) fn store_pair(self, at: Int, z: C<Sym>) {
        emit(Statement::StorePair(self, at, [z.re, z.im]));
    }

    pub(crate) fn store(self, at: Int, value: Sym) {
        emit(Statement::Store(self, at, value));
    }
}

/// `x` where a < b, else `y`.
pub(crate) fn select(a: Int, b: Int, x: Int, y: Int) -> Int {
    match (a, b) {
        (Var::Lit(a), Var::Lit(b)) => {
            if a < b {
                x
            } else {
                y
            }
        }
        _ if x == y => x,
        _ => bind(Expr::Select(a, b, x, y)),
    }
}

/// `x` where a < b, else `y`.
pub(crate) fn select_real(a: Int, b: Int, x: Sym, y: Sym) -> Sym {
    match (a, b) {
        (Var::Lit(a), Var::Lit(b)) => {
            if a < b {
                x
            } else {
                y
            }
        }
        _ if x == y => x,
        _ => bind(Expr::SelectReal(a, b, x, y)),
    }
}

/// 0 if |x| < threshold, else x.
pub(crate) fn cut_off(x: Sym, threshold: Sym) -> Sym {
    bind(Expr::CutOff(x, threshold))
}

/// The literal `n`.
pub(crate) fn int(n: usize) -> Int {
    Var::Lit(n as i64)
}

impl Sym {
    /// The literal `value`.
    pub(crate) fn lit(value: f64) -> Sym {
        Var::Lit(value)
    }
}

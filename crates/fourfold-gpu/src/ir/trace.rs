//! Kernels are written by running: the operators of [`Sym`] and [`Int`] record statements.

use crate::ir::known::{AffineIndices, KnownRoot, Relation};
use crate::ir::statement::{Array, Expr, Int, Statement, Sym, Var};
use fourfold::engine::C;
use std::cell::RefCell;

/// The scopes that are open, the last name given, and what is known of indices.
#[derive(Default)]
struct Recorder {
    scopes: Vec<Scope>,
    names: u32,
    indices: AffineIndices,
}

/// A scope: its statements, and the roots that are read in it.
#[derive(Default)]
struct Scope {
    statements: Vec<Statement>,
    roots: Vec<KnownRoot>,
}

impl Recorder {
    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a kernel is being recorded")
    }
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
    RECORDER.with_borrow_mut(|r| r.scope().statements.push(statement));
}

pub(crate) fn bind<K>(expr: Expr) -> Var<K> {
    let n = name();
    RECORDER.with_borrow_mut(|r| r.indices.bind(n, &expr));
    emit(Statement::Let(n, expr));
    Var::Name(n)
}

fn scope_of(body: impl FnOnce()) -> Scope {
    RECORDER.with_borrow_mut(|r| r.scopes.push(Scope::default()));
    body();
    RECORDER.with_borrow_mut(|r| r.scopes.pop()).expect("the scope just opened")
}

fn statements_of(body: impl FnOnce()) -> Vec<Statement> {
    scope_of(body).statements
}

/// The statements of `body` that are for later, and the others, which stay in the scope that is open.
fn set_apart(body: impl FnOnce(), later: fn(&Statement) -> bool) -> Vec<Statement> {
    let Scope { statements, roots } = scope_of(body);
    let (later, now): (Vec<_>, Vec<_>) = statements.into_iter().partition(later);
    RECORDER.with_borrow_mut(|r| {
        r.scope().statements.extend(now);
        r.scope().roots.extend(roots);
    });
    later
}

/// A root of a list that was read, and how number `i` follows from it. After a barrier none is known, so that no
/// register holds one for long.
pub(crate) fn known_root(list: [usize; 2], i: Int) -> Option<(Relation, C<Sym>)> {
    RECORDER.with_borrow(|r| {
        let known = r.scopes.iter().flat_map(|scope| &scope.roots).filter(|known| known.list == list);
        known.filter_map(|known| Some((r.indices.relation(i, known.i)?, known.root))).next()
    })
}

/// No root is known any more, so that no register holds one.
pub(crate) fn forget_roots() {
    RECORDER.with_borrow_mut(|r| r.scopes.iter_mut().for_each(|scope| scope.roots.clear()));
}

/// Others follow from this root.
pub(crate) fn remember_root(known: KnownRoot) {
    RECORDER.with_borrow_mut(|r| {
        if r.indices.is_exact(known.i) {
            r.scope().roots.push(known);
        }
    });
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
    forget_roots();
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
    set_apart(body, Statement::only_stores).into_iter().for_each(emit);
}

/// `body`, storing only where a < b. What it loads must be there in any case.
pub(crate) fn store_if_less(a: Int, b: Int, body: impl FnOnce()) {
    if let (Var::Lit(_), Var::Lit(_)) = (a, b) {
        return if_less(a, b, body);
    }
    let stores = set_apart(body, Statement::stores);
    emit(Statement::IfLess(a, b, stores));
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

/// Column and row of the thread's item in a range.
pub(crate) fn item() -> [Int; 2] {
    [0, 1].map(|dimension| bind(Expr::Item(dimension)))
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

/// [`select`] whose result counts only where it is `i`.
pub(crate) fn select_counted(a: Int, b: Int, x: Int, y: Int, i: Int) -> Int {
    let selected = select(a, b, x, y);
    if let Var::Name(n) = selected {
        RECORDER.with_borrow_mut(|r| r.indices.alias(n, i));
    }
    selected
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

/// `x` where a < b, else `y`.
pub(crate) fn select_pair(a: Int, b: Int, x: C<Sym>, y: C<Sym>) -> C<Sym> {
    C { re: select_real(a, b, x.re, y.re), im: select_real(a, b, x.im, y.im) }
}

/// 1/x, or 0 if x is 0.
pub(crate) fn reciprocal(x: Sym) -> Sym {
    bind(Expr::Reciprocal(x))
}

/// 1/x of a normal x whose reciprocal is normal, too.
pub(crate) fn normal_reciprocal(x: Sym) -> Sym {
    bind(Expr::NormalReciprocal(x))
}

/// 0 if |x| < threshold, else x.
pub(crate) fn cut_off(x: Sym, threshold: Sym) -> Sym {
    bind(Expr::CutOff(x, threshold))
}

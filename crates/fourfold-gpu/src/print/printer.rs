//! Prints kernels: the only code that writes source text.

use crate::ir::frame::Frame;
use crate::ir::narrow::Narrow;
use crate::ir::statement::{Array, Expr, Int, Operator, Statement, Sym, Var};
use crate::limits::Api;
use fourfold::{Precision, Storage};
use std::fmt::Write;

/// A variable, and what it stands for.
pub(crate) type Named = (String, String);

/// How a language spells what the printer does not: the rest is C in all of them.
pub(crate) struct Dialect {
    pub(crate) api: Api,
    /// What stands before a kernel: its types `real`, `real2`, `index` and `places` (an index
    /// without sign).
    pub(crate) types: fn(&Frame) -> String,
    /// Functions that read and write arrays of 16 bits a real, of the type [`STORED`].
    ///
    /// [`STORED`]: crate::print::c::STORED
    pub(crate) halves: fn(&Frame) -> String,
    /// A kernel up to its first statement: its name and its arguments, each an [array](array_name),
    /// and the shared memory.
    pub(crate) signature: fn(&Frame) -> String,
    /// A value in an array that is seen as one of another type.
    pub(crate) view: fn(&View<'_>) -> String,
    /// Functions that read, and write, so that caches evict the value first, if there are any.
    pub(crate) evict_first: Option<[&'static str; 2]>,
    /// A pair of two values.
    pub(crate) pair: fn(x: &str, y: &str) -> String,
    /// Two or four values, as a vector of the type named.
    pub(crate) vector: fn(kind: &str, values: &[String]) -> String,
    /// The nearest integer, halves to even ones, within a narrow type.
    pub(crate) nearest: fn(x: &str, Narrow) -> String,
    /// 1/x of an x that is not 0, and perhaps known to be normal with a normal reciprocal.
    pub(crate) reciprocal: fn(x: &str, Precision, normal: bool) -> String,
    /// The bits of a float, and the float of bits.
    pub(crate) bits: [&'static str; 2],
    /// Bytes out of those of two words.
    pub(crate) permute: fn(words: [&str; 2], [u8; 4]) -> String,
    /// Lines that exchange values of a type between threads whose numbers differ in these bits, and
    /// name those that a thread gets. The first `threads` threads of a block exchange.
    pub(crate) exchange: fn(kind: &str, &[Named], bits: usize, threads: usize) -> Vec<String>,
    /// Adds the integer nearest to a real to integer `at` of 64 bits of an array, as one operation.
    pub(crate) add_fixed: fn(array: &str, at: &str, x: &str) -> String,
    /// The thread's number in its block.
    pub(crate) thread: fn(&Frame) -> &'static str,
    /// The block's number.
    pub(crate) block: &'static str,
    /// Column and row of the thread's item in a range.
    pub(crate) item: [&'static str; 2],
    /// Functions that read and write four reals of the caller's arrays, of which they expect no
    /// more alignment than that of a real, if there are any: `read(at, array)`,
    /// `write(four, at, array)`.
    pub(crate) four: Option<[&'static str; 2]>,
    pub(crate) barrier: &'static str,
    /// How a kernel's blocks form clusters, if they can.
    pub(crate) cluster: Option<Cluster>,
}

/// How the blocks of a cluster reach each other's shared memory.
pub(crate) struct Cluster {
    /// Functions that stand before a kernel.
    pub(crate) functions: fn(Precision) -> String,
    /// Stores a pair at number `at` of the shared memory of block `peer`.
    pub(crate) store: fn(at: &str, peer: &str, pair: &str) -> String,
    pub(crate) begin: &'static str,
    pub(crate) arrive: &'static str,
    pub(crate) wait: &'static str,
}

/// A value in an array that is seen as an array of another type.
pub(crate) struct View<'a> {
    pub(crate) array: Array,
    /// The type of its values.
    pub(crate) kind: &'a str,
    /// The value's number.
    pub(crate) at: String,
    /// Whether the value is written, or else read.
    pub(crate) written: bool,
}

/// The name of every kernel.
pub(crate) const NAME: &str = "pass";

/// The text of a kernel.
pub(crate) fn print(dialect: &Dialect, frame: &Frame, statements: &[Statement]) -> String {
    let mut text = (dialect.types)(frame);
    if frame.storage.is_half() {
        text += &(dialect.halves)(frame);
    }
    if frame.cluster > 1 {
        text += &dialect.cluster.as_ref().map_or(String::new(), |cluster| (cluster.functions)(frame.precision()));
    }
    text += &(dialect.signature)(frame);
    let [read, written] = frame.evict_first;
    let named = |yes: bool, name: usize| dialect.evict_first.filter(|_| yes).map(|names| names[name]);
    let evict_first = [named(read, 0), named(written, 1), named(read || written, 0)];
    let (storage, threads, thread) = (frame.storage, frame.threads, (dialect.thread)(frame));
    let mut printer = Printer { dialect, storage, threads, thread, evict_first, text, depth: 1 };
    printer.print_all(statements);
    printer.text + "}\n"
}

pub(crate) struct Printer<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) storage: Storage,
    pub(crate) threads: usize,
    thread: &'static str,
    /// Functions that read the input, write the output, and read the factors of either, if these
    /// are not accessed as other arrays are.
    evict_first: [Option<&'static str>; 3],
    pub(crate) text: String,
    pub(crate) depth: usize,
}

impl Printer<'_> {
    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.depth);
    }

    pub(crate) fn nested(&mut self, head: &str, body: &[Statement]) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.print_all(body);
        self.depth -= 1;
        self.line("}");
    }

    pub(crate) fn print_all(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    pub(crate) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Comment(text) => self.line(&format!("// {text}")),
            Statement::Let(n, expr) => {
                let (kind, value) = self.expr(expr);
                self.line(&format!("const {kind} v{n} = {value};"));
            }
            Statement::LetPair([a, b], array, at) => {
                let half = self.read_half(2, *array, *at);
                let pair = half.unwrap_or_else(|| self.read(*array, self.group("real2", *array, *at)));
                self.line(&format!("const real2 p{a} = {pair}; const real v{a} = p{a}.x, v{b} = p{a}.y;"));
            }
            Statement::StorePair(Array::Peer(peer), at, [x, y]) => {
                let pair = (self.dialect.pair)(&self.real(*x), &self.real(*y));
                let line = (cluster(self.dialect).store)(&index(*at), &index(*peer), &pair);
                self.line(&line);
            }
            Statement::StorePair(array, at, [x, y]) => {
                let pair = (self.dialect.pair)(&self.real(*x), &self.real(*y));
                let half = self.write_half(2, *array, *at, &pair);
                self.line(&half.unwrap_or_else(|| self.write(*array, self.place("real2", *array, *at), &pair)));
            }
            Statement::Store(array, at, value) => {
                let (x, half) = (self.real(*value), self.write_half(1, *array, *at, &self.real(*value)));
                self.line(&half.unwrap_or_else(|| self.write(*array, self.element(*array, *at), &x)));
            }
            Statement::For(n, [start, end, step], body) => {
                let [start, end, step] = [*start, *end, *step].map(index);
                self.nested(&format!("for (index v{n} = {start}; v{n} < {end}; v{n} += {step})"), body);
            }
            Statement::IfLess(a, b, body) => self.nested(&format!("if ({} < {})", index(*a), index(*b)), body),
            Statement::Barrier => self.line(self.dialect.barrier),
            Statement::ClusterBegin => self.line(cluster(self.dialect).begin),
            Statement::ClusterArrive => self.line(cluster(self.dialect).arrive),
            Statement::ClusterWait => self.line(cluster(self.dialect).wait),
            other => self.words(other),
        }
    }

    /// Statements on [words](crate::ir::packed) and on
    /// [sums of integers](crate::electrostatics::fixed).
    pub(crate) fn words(&mut self, statement: &Statement) {
        match statement {
            Statement::LetWords(names, array, at) => {
                let kind = format!("uint{}", names.len());
                self.line(&format!("const {kind} q{} = {};", names[0], self.group(&kind, *array, *at)));
                for (name, part) in names.iter().zip(["x", "y", "z", "w"]) {
                    self.line(&format!("const index v{name} = (index)q{}.{part};", names[0]));
                }
            }
            Statement::LetReals(names, array, at) => {
                self.line(&format!("const {} q{} = {};", self.four(), names[0], self.read_four(*array, *at)));
                for (name, part) in names.iter().zip(["x", "y", "z", "w"]) {
                    self.line(&format!("const real v{name} = q{}.{part};", names[0]));
                }
            }
            Statement::StoreWords(array, at, words) => {
                let kind = format!("uint{}", words.len());
                let words: Vec<_> = words.iter().map(|word| format!("(unsigned){}", index(*word))).collect();
                let (words, place) = ((self.dialect.vector)(&kind, &words), self.place(&kind, *array, *at));
                self.line(&format!("{place} = {words};"));
            }
            Statement::StoreReals(array, at, reals) => {
                let line = self.write_four(*array, *at, &reals.map(|x| self.real(x)));
                self.line(&line);
            }
            Statement::StoreNarrow(array, at, value, narrow) => {
                let (kind, place) = (narrow_name(*narrow), self.place(narrow_name(*narrow), *array, *at));
                self.line(&format!("{place} = ({kind}){};", index(*value)));
            }
            Statement::Exchange(names, words, bits) => {
                let words = names.iter().zip(words).map(|(name, word)| (format!("v{name}"), index(*word)));
                self.exchange("index", &words.collect::<Vec<_>>(), *bits, self.threads);
            }
            Statement::ExchangeReals(names, reals, bits, threads) => {
                let reals = names.iter().zip(reals).map(|(name, x)| (format!("v{name}"), self.real(*x)));
                self.exchange("real", &reals.collect::<Vec<_>>(), *bits, *threads);
            }
            Statement::AddFixed(array, at, x) => {
                let line = (self.dialect.add_fixed)(array_name(*array), &index(*at), &self.real(*x));
                self.line(&line);
            }
            other => unreachable!("{other:?} is printed elsewhere"),
        }
    }

    pub(crate) fn exchange(&mut self, kind: &str, values: &[Named], bits: usize, threads: usize) {
        (self.dialect.exchange)(kind, values, bits, threads).iter().for_each(|line| self.line(line));
    }

    /// Type and value.
    pub(crate) fn expr(&self, expr: &Expr) -> (&'static str, String) {
        let real = |x: &Sym| self.real(*x);
        match expr {
            Expr::Real(op, a, b) => ("real", format!("{} {} {}", real(a), symbol(*op), real(b))),
            // Dividing without a sign is cheaper.
            Expr::Int(op @ (Operator::Div | Operator::Rem), a, b) => ("index", unsigned(*op, *a, *b)),
            Expr::Int(op, a, b) => ("index", format!("{} {} {}", index(*a), symbol(*op), index(*b))),
            Expr::Neg(a) => ("real", format!("-{}", real(a))),
            Expr::MulAdd(a, b, c) => ("real", format!("{} * {} + {}", real(a), real(b), real(c))),
            Expr::MulSub(a, b, c) => ("real", format!("{} * {} - {}", real(a), real(b), real(c))),
            Expr::Load(array, at) => {
                let half = self.read_half(1, *array, *at);
                ("real", half.unwrap_or_else(|| self.read(*array, self.element(*array, *at))))
            }
            Expr::Select(a, b, x, y) => {
                ("index", format!("{} < {} ? {} : {}", index(*a), index(*b), index(*x), index(*y)))
            }
            Expr::SelectReal(a, b, x, y) => {
                ("real", format!("{} < {} ? {} : {}", index(*a), index(*b), real(x), real(y)))
            }
            Expr::CutOff(x, threshold) => {
                ("real", format!("fabs({}) < {} ? 0 : {}", real(x), real(threshold), real(x)))
            }
            Expr::Reciprocal(x) => {
                let inverse = (self.dialect.reciprocal)(&real(x), self.storage.precision(), false);
                ("real", format!("{} == 0 ? 0 : {inverse}", real(x)))
            }
            Expr::NormalReciprocal(x) => ("real", (self.dialect.reciprocal)(&real(x), self.storage.precision(), true)),
            Expr::LoadInt(array, at) => ("index", format!("{}[{}]", array_name(*array), index(*at))),
            Expr::Thread => ("index", self.thread.into()),
            Expr::Block => ("index", self.dialect.block.into()),
            Expr::Item(dimension) => ("index", self.dialect.item[*dimension].into()),
            other => self.narrow(other),
        }
    }

    /// Expressions of [words](crate::ir::packed).
    pub(crate) fn narrow(&self, expr: &Expr) -> (&'static str, String) {
        let real = |x: &Sym| self.real(*x);
        let [to_bits, of_bits] = self.dialect.bits;
        match expr {
            Expr::LoadNarrow(array, at, narrow) => {
                ("index", format!("(index){}", self.group(narrow_name(*narrow), *array, *at)))
            }
            Expr::Part(word, Narrow::Short, 0) => ("index", format!("(index)(short){}", index(*word))),
            Expr::Part(word, Narrow::Short, _) => ("index", format!("{} >> 16", index(*word))),
            Expr::Part(word, Narrow::Byte, i) => ("index", format!("({} >> {}) & 255", index(*word), 8 * i)),
            Expr::Nearest(x, narrow) => ("index", (self.dialect.nearest)(&real(x), *narrow)),
            Expr::Pack(parts, narrow) => ("index", pack(parts, *narrow)),
            Expr::OfInt(x) => ("real", format!("(real){}", index(*x))),
            Expr::Whole(x) => ("index", format!("(index){}", real(x))),
            Expr::Least(x, y) => ("real", format!("fmin({}, {})", real(x), real(y))),
            Expr::Greatest(x, y) => ("real", format!("fmax({}, {})", real(x), real(y))),
            Expr::Cos(x) => ("real", format!("cos({})", real(x))),
            Expr::Sin(x) => ("real", format!("sin({})", real(x))),
            Expr::Bits(x) => ("index", format!("{to_bits}({})", real(x))),
            Expr::OfBits(x) => ("real", format!("{of_bits}({})", index(*x))),
            Expr::Permute(a, b, bytes) => ("index", (self.dialect.permute)([&index(*a), &index(*b)], *bytes)),
            Expr::Clamp(x, [least, most]) => ("index", format!("min(max({}, {least}), {most})", index(*x))),
            Expr::Wrapping(op, a, b) => ("index", unsigned(*op, *a, *b)),
            Expr::HighHalf(a, b) => ("index", format!("(index)((places){} * (places){} >> 16)", index(*a), index(*b))),
            other => unreachable!("{other:?} is printed elsewhere"),
        }
    }

    /// What is at a place.
    pub(crate) fn read(&self, array: Array, place: String) -> String {
        let function = match array {
            Array::Input => self.evict_first[0],
            Array::Factors => self.evict_first[2],
            _ => None,
        };
        match function {
            Some(function) => format!("{function}(&{place})"),
            None => place,
        }
    }

    /// A value to a place.
    pub(crate) fn write(&self, array: Array, place: String, value: &str) -> String {
        match self.evict_first[1].filter(|_| array == Array::Output) {
            Some(function) => format!("{function}(&{place}, {value});"),
            None => format!("{place} = {value};"),
        }
    }

    /// A value of an array of this type, to be read.
    pub(crate) fn group(&self, kind: &str, array: Array, at: Int) -> String {
        (self.dialect.view)(&View { array, kind, at: index(at), written: false })
    }

    /// The same, to be written.
    pub(crate) fn place(&self, kind: &str, array: Array, at: Int) -> String {
        (self.dialect.view)(&View { array, kind, at: index(at), written: true })
    }

    /// A real; shared memory is declared as pairs of them.
    pub(crate) fn element(&self, array: Array, at: Int) -> String {
        if array == Array::Shared {
            return self.place("real", array, at);
        }
        format!("{}[{}]", array_name(array), index(at))
    }

    pub(crate) fn real(&self, x: Sym) -> String {
        match (x, self.storage.precision()) {
            (Var::Name(n), _) => format!("v{n}"),
            (Var::Lit(x), Precision::F32) => format!("({:e}f)", x as f32),
            (Var::Lit(x), Precision::F64) => format!("({x:e})"),
        }
    }
}

/// Kernels with clusters are written for devices that have them only.
fn cluster(dialect: &Dialect) -> &Cluster {
    dialect.cluster.as_ref().expect("the dialect has clusters")
}

/// An operator, as all dialects have it.
fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::Mul => "*",
        Operator::Div => "/",
        Operator::Rem => "%",
        Operator::Shr => ">>",
        Operator::Or => "|",
    }
}

/// An operator on integers without sign, whose overflow is defined.
fn unsigned(operator: Operator, a: Int, b: Int) -> String {
    format!("(index)((places){} {} (places){})", index(a), symbol(operator), index(b))
}

pub(crate) fn narrow_name(narrow: Narrow) -> &'static str {
    match narrow {
        Narrow::Byte => "unsigned char",
        Narrow::Short => "short",
    }
}

/// Narrow integers as a word, the first lowest.
pub(crate) fn pack(parts: &[Int], narrow: Narrow) -> String {
    let (bits, mask) = match narrow {
        Narrow::Byte => (8, "255u"),
        Narrow::Short => (16, "65535u"),
    };
    let part = |(i, part): (usize, &Int)| format!("((unsigned){} & {mask}) << {}", index(*part), bits * i);
    format!("(index)({})", parts.iter().enumerate().map(part).collect::<Vec<_>>().join(" | "))
}

pub(crate) fn index(i: Int) -> String {
    match i {
        Var::Lit(i) if i < 0 => format!("({i})"),
        Var::Lit(i) => i.to_string(),
        Var::Name(n) => format!("v{n}"),
    }
}

/// What a kernel calls an array; all dialects have these names.
pub(crate) fn array_name(array: Array) -> &'static str {
    match array {
        Array::Input => "input",
        Array::Output => "output",
        Array::Table | Array::Factors => "table",
        Array::Indices => "indices",
        Array::Shared | Array::Peer(_) => "local_",
        Array::Scratch => "scratch",
    }
}

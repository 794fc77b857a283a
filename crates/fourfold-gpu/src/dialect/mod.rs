//! Prints kernels: the only code that writes source text.

mod cuda;
mod opencl;

use crate::Api;
use crate::trace::{Array, Expr, Int, Narrow, Statement, Sym, Var};
use fourfold::Precision;
use std::fmt::Write;

pub(crate) use cuda::CUDA;
pub(crate) use opencl::OPENCL;

/// What a kernel's text needs to know beside its statements.
pub(crate) struct Frame {
    pub(crate) precision: Precision,
    /// Whether indices have 64 bits.
    pub(crate) wide: bool,
    pub(crate) threads: usize,
    /// Whether the compiler may take all registers for one work group.
    pub(crate) lonely: bool,
    /// Work groups that share their local memory.
    pub(crate) cluster: usize,
    /// Local memory, in pairs of reals.
    pub(crate) local_pairs: usize,
}

/// How C is spelled on a device.
pub(crate) struct Dialect {
    pub(crate) api: Api,
    /// Lines before the kernel, for `f64`.
    pub(crate) double: &'static str,
    /// Opens the kernel.
    pub(crate) opening: fn(&Frame) -> String,
    /// The integer type of 64 bits.
    pub(crate) wide: &'static str,
    /// Qualifies pointers to device memory.
    pub(crate) global: &'static str,
    /// Qualifies pointers to local memory.
    pub(crate) shared: &'static str,
    /// Declares the local memory `local_` of so many pairs.
    pub(crate) local: fn(pairs: usize) -> String,
    /// A pair of two values.
    pub(crate) pair: fn(x: &str, y: &str) -> String,
    /// Four 32-bit words.
    pub(crate) quad: fn(words: [String; 4]) -> String,
    /// The nearest integer, halves to even ones, within a narrow type.
    pub(crate) nearest: fn(x: &str, Narrow) -> String,
    pub(crate) thread: &'static str,
    pub(crate) group: &'static str,
    pub(crate) barrier: &'static str,
    /// What comes first: where kernels may begin early, the wait for the one before.
    pub(crate) begin: &'static str,
    /// Functions for the local memory of a cluster.
    pub(crate) cluster: fn(Precision) -> String,
}

/// The name of every kernel.
pub(crate) const NAME: &str = "pass";

/// The text of a kernel.
pub(crate) fn print(dialect: &Dialect, frame: &Frame, statements: &[Statement]) -> String {
    let (real, double) = match frame.precision {
        Precision::F32 => ("float", ""),
        Precision::F64 => ("double", dialect.double),
    };
    let index = if frame.wide { dialect.wide } else { "int" };
    let global = dialect.global;
    let mut text = format!(
        "{double}typedef {real} real;\ntypedef {real}2 real2;\ntypedef {index} index;\n\
                                 typedef unsigned {index} places;\n"
    );
    if frame.cluster > 1 {
        text += &(dialect.cluster)(frame.precision);
    }
    let _ = writeln!(
        text,
        "{opening}({global}const real* input, {global}real* output, {global}const real* table,\n    \
         {global}const int* indices, {global}real* scratch) {{",
        opening = (dialect.opening)(frame),
    );
    text += dialect.begin;
    if frame.local_pairs > 0 {
        let _ = writeln!(text, "    {}", (dialect.local)(frame.local_pairs));
    }
    let mut printer = Printer { dialect, precision: frame.precision, text, depth: 1 };
    printer.block(statements);
    printer.text + "}\n"
}

struct Printer<'a> {
    dialect: &'a Dialect,
    precision: Precision,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.depth);
    }

    fn nested(&mut self, head: &str, body: &[Statement]) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
        self.line("}");
    }

    fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Comment(text) => self.line(&format!("// {text}")),
                Statement::Let(n, expr) => {
                    let (kind, value) = self.expr(expr);
                    self.line(&format!("const {kind} v{n} = {value};"));
                }
                Statement::LetPair([a, b], array, at) => {
                    let pair =
                        format!("((const {}real2*){})[{}]", self.qualifier(*array), array_name(*array), index(*at));
                    self.line(&format!("const real2 p{a} = {pair}; const real v{a} = p{a}.x, v{b} = p{a}.y;"));
                }
                Statement::StorePair(Array::Peer(peer), at, [x, y]) => {
                    let pair = (self.dialect.pair)(&self.real(*x), &self.real(*y));
                    let peer = index(*peer);
                    self.line(&format!("to_peer(&((real2*)local_)[{}], {peer}, {pair});", index(*at)));
                }
                Statement::LetWords(names, array, at) => {
                    self.line(&format!("const uint4 q{} = {};", names[0], self.quad("uint4", *array, *at)));
                    for (name, part) in names.iter().zip(["x", "y", "z", "w"]) {
                        self.line(&format!("const index v{name} = (index)q{}.{part};", names[0]));
                    }
                }
                Statement::LetReals(names, array, at) => {
                    let four = format!("{}4", if self.precision == Precision::F32 { "float" } else { "double" });
                    self.line(&format!("const {four} q{} = {};", names[0], self.quad(&four, *array, *at)));
                    for (name, part) in names.iter().zip(["x", "y", "z", "w"]) {
                        self.line(&format!("const real v{name} = q{}.{part};", names[0]));
                    }
                }
                Statement::StoreWords(array, at, words) => {
                    let quad = (self.dialect.quad)(words.map(|word| format!("(unsigned){}", index(word))));
                    let name = array_name(*array);
                    self.line(&format!("(({}uint4*){name})[{}] = {quad};", self.qualifier(*array), index(*at)));
                }
                Statement::StorePair(array, at, [x, y]) => {
                    let pair = (self.dialect.pair)(&self.real(*x), &self.real(*y));
                    let name = array_name(*array);
                    self.line(&format!("(({}real2*){name})[{}] = {pair};", self.qualifier(*array), index(*at)));
                }
                Statement::Store(array, at, value) => {
                    let line = format!("{}[{}] = {};", array_name(*array), index(*at), self.real(*value));
                    self.line(&line);
                }
                Statement::For(n, [start, end, step], body) => {
                    let [start, end, step] = [*start, *end, *step].map(index);
                    self.nested(&format!("for (index v{n} = {start}; v{n} < {end}; v{n} += {step})"), body);
                }
                Statement::IfLess(a, b, body) => self.nested(&format!("if ({} < {})", index(*a), index(*b)), body),
                Statement::Barrier => self.line(self.dialect.barrier),
                Statement::ClusterBegin => self.line("cluster_begin();"),
                Statement::ClusterArrive => self.line("cluster_arrive();"),
                Statement::ClusterWait => self.line("cluster_wait();"),
            }
        }
    }

    /// Type and value.
    fn expr(&self, expr: &Expr) -> (&'static str, String) {
        let real = |x: &Sym| self.real(*x);
        match expr {
            Expr::Real(op, a, b) => ("real", format!("{} {op} {}", real(a), real(b))),
            // Dividing without a sign is cheaper.
            Expr::Int(op @ ("/" | "%"), a, b) => {
                ("index", format!("(index)((places){} {op} (places){})", index(*a), index(*b)))
            }
            Expr::Int(op, a, b) => ("index", format!("{} {op} {}", index(*a), index(*b))),
            Expr::Neg(a) => ("real", format!("-{}", real(a))),
            Expr::MulAdd(a, b, c) => ("real", format!("{} * {} + {}", real(a), real(b), real(c))),
            Expr::MulSub(a, b, c) => ("real", format!("{} * {} - {}", real(a), real(b), real(c))),
            Expr::Load(array, at) => ("real", format!("{}[{}]", array_name(*array), index(*at))),
            Expr::Select(a, b, x, y) => {
                ("index", format!("{} < {} ? {} : {}", index(*a), index(*b), index(*x), index(*y)))
            }
            Expr::SelectReal(a, b, x, y) => {
                ("real", format!("{} < {} ? {} : {}", index(*a), index(*b), real(x), real(y)))
            }
            Expr::CutOff(x, threshold) => {
                ("real", format!("fabs({}) < {} ? 0 : {}", real(x), real(threshold), real(x)))
            }
            Expr::Part(word, Narrow::Short, 0) => ("real", format!("(real)(short){}", index(*word))),
            Expr::Part(word, Narrow::Short, _) => ("real", format!("(real)({} >> 16)", index(*word))),
            Expr::Part(word, Narrow::Byte, i) => ("real", format!("(real)(({} >> {}) & 255)", index(*word), 8 * i)),
            Expr::Nearest(x, narrow) => ("index", (self.dialect.nearest)(&real(x), *narrow)),
            Expr::Pack(parts, narrow) => ("index", pack(parts, *narrow)),
            Expr::LoadInt(array, at) => ("index", format!("{}[{}]", array_name(*array), index(*at))),
            Expr::Thread => ("index", self.dialect.thread.into()),
            Expr::Group => ("index", self.dialect.group.into()),
        }
    }

    /// Four neighbours of 32 bits.
    fn quad(&self, kind: &str, array: Array, at: Int) -> String {
        format!("((const {}{kind}*){})[{}]", self.qualifier(array), array_name(array), index(at))
    }

    fn qualifier(&self, array: Array) -> &'static str {
        if array == Array::Local { self.dialect.shared } else { self.dialect.global }
    }

    fn real(&self, x: Sym) -> String {
        match (x, self.precision) {
            (Var::Name(n), _) => format!("v{n}"),
            (Var::Lit(x), Precision::F32) => format!("({:e}f)", x as f32),
            (Var::Lit(x), Precision::F64) => format!("({x:e})"),
        }
    }
}

/// Narrow integers as a word, the first lowest.
fn pack(parts: &[Int], narrow: Narrow) -> String {
    let (bits, mask) = match narrow {
        Narrow::Byte => (8, "255u"),
        Narrow::Short => (16, "65535u"),
    };
    let part = |(i, part): (usize, &Int)| format!("((unsigned){} & {mask}) << {}", index(*part), bits * i);
    format!("(index)({})", parts.iter().enumerate().map(part).collect::<Vec<_>>().join(" | "))
}

fn index(i: Int) -> String {
    match i {
        Var::Lit(i) if i < 0 => format!("({i})"),
        Var::Lit(i) => i.to_string(),
        Var::Name(n) => format!("v{n}"),
    }
}

fn array_name(array: Array) -> &'static str {
    match array {
        Array::Input => "input",
        Array::Output => "output",
        Array::Table => "table",
        Array::Indices => "indices",
        Array::Local | Array::Peer(_) => "local_",
        Array::Scratch => "scratch",
    }
}

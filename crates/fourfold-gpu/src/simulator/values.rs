//! What expressions are worth. Integers are as wide as the kernel's indices: one that does not fit
//! is an error here, where a device would go on with another number.

use crate::ir::narrow::Narrow;
use crate::ir::statement::{Array, Expr, Int, Operator, Sym, Var};
use fourfold::Precision;
use std::collections::HashMap;

/// The variables of a thread.
#[derive(Clone)]
pub(crate) struct Thread {
    /// Whether integers have 64 bits.
    wide: bool,
    precision: Precision,
    reals: HashMap<u32, f64>,
    ints: HashMap<u32, i64>,
}

/// What a thread sees beside its variables.
pub(crate) trait Surroundings {
    fn load(&mut self, array: Array, at: i64) -> f64;

    fn load_int(&mut self, at: i64) -> i64;

    fn load_narrow(&mut self, array: Array, at: i64, narrow: Narrow) -> i64;

    /// The thread's number in its block, and the block's.
    fn numbers(&self) -> [i64; 2];

    /// The column or row of the thread's item in a range.
    fn item(&self, dimension: usize) -> i64;
}

impl Thread {
    pub(crate) fn new(wide: bool, precision: Precision) -> Thread {
        Thread { wide, precision, reals: HashMap::new(), ints: HashMap::new() }
    }

    /// The variables, which leaves none.
    pub(crate) fn take(&mut self) -> Thread {
        std::mem::replace(self, Thread::new(self.wide, self.precision))
    }

    pub(crate) fn int(&self, x: Int) -> i64 {
        match x {
            Var::Lit(x) => x,
            Var::Name(name) => self.ints[&name],
        }
    }

    /// Literals are rounded as they are printed.
    pub(crate) fn real(&self, x: Sym) -> f64 {
        match (x, self.precision) {
            (Var::Lit(x), Precision::F32) => f64::from(x as f32),
            (Var::Lit(x), Precision::F64) => x,
            (Var::Name(name), _) => self.reals[&name],
        }
    }

    pub(crate) fn set_int(&mut self, name: u32, value: i64) {
        self.check(value);
        self.ints.insert(name, value);
    }

    pub(crate) fn set_real(&mut self, name: u32, value: f64) {
        self.reals.insert(name, value);
    }

    /// Panics unless an index can be this number.
    pub(crate) fn check(&self, value: i64) {
        assert!(self.wide || i32::try_from(value).is_ok(), "{value} is beyond the range of an int");
    }

    /// The integer of 32 bits that a word is.
    pub(crate) fn of_word(&self, word: u32) -> i64 {
        if self.wide { word.into() } else { (word as i32).into() }
    }

    /// Binds a variable.
    pub(crate) fn bind(&mut self, name: u32, expr: &Expr, around: &mut dyn Surroundings) {
        match self.real_value(expr, around) {
            Some(value) => self.set_real(name, value),
            None => self.set_int(name, self.int_value(expr, around)),
        }
    }

    /// The value of an expression that is a real.
    fn real_value(&self, expr: &Expr, around: &mut dyn Surroundings) -> Option<f64> {
        let int = |x: &Int| self.int(*x);
        let real = |x: &Sym| self.real(*x);
        Some(match expr {
            Expr::Real(Operator::Add, a, b) => real(a) + real(b),
            Expr::Real(Operator::Sub, a, b) => real(a) - real(b),
            Expr::Real(Operator::Mul, a, b) => real(a) * real(b),
            Expr::Real(Operator::Div, a, b) => real(a) / real(b),
            Expr::Neg(a) => -real(a),
            Expr::MulAdd(a, b, c) => real(a).mul_add(real(b), real(c)),
            Expr::MulSub(a, b, c) => real(a).mul_add(real(b), -real(c)),
            Expr::SelectReal(a, b, x, y) => real(if int(a) < int(b) { x } else { y }),
            Expr::CutOff(x, threshold) if real(x).abs() < real(threshold) => 0.0,
            Expr::CutOff(x, _) => real(x),
            Expr::Reciprocal(x) if real(x) == 0.0 => 0.0,
            Expr::Reciprocal(x) | Expr::NormalReciprocal(x) => 1.0 / real(x),
            Expr::Load(array, at) => around.load(*array, int(at)),
            Expr::OfInt(x) => int(x) as f64,
            Expr::Least(x, y) => real(x).min(real(y)),
            Expr::Greatest(x, y) => real(x).max(real(y)),
            Expr::Cos(x) => real(x).cos(),
            Expr::Sin(x) => real(x).sin(),
            Expr::OfBits(x) => f32::from_bits(int(x) as u32).into(),
            _ => return None,
        })
    }

    /// The value of one that is an integer.
    fn int_value(&self, expr: &Expr, around: &mut dyn Surroundings) -> i64 {
        let int = |x: &Int| self.int(*x);
        let real = |x: &Sym| self.real(*x);
        match expr {
            Expr::Int(op, a, b) => operation(*op, int(a), int(b)),
            Expr::Wrapping(op, a, b) if self.wide => operation(*op, int(a), int(b)),
            Expr::Wrapping(op, a, b) => (operation(*op, int(a), int(b)) as i32).into(),
            Expr::Select(a, b, x, y) => int(if int(a) < int(b) { x } else { y }),
            Expr::LoadInt(_, at) => around.load_int(int(at)),
            Expr::LoadNarrow(array, at, narrow) => around.load_narrow(*array, int(at), *narrow),
            Expr::Part(word, Narrow::Short, 0) => (int(word) as i16).into(),
            Expr::Part(word, Narrow::Short, _) => int(word) >> 16,
            Expr::Part(word, Narrow::Byte, i) => int(word) >> (8 * i) & 255,
            Expr::Nearest(x, narrow) => nearest(real(x), *narrow),
            Expr::Pack(parts, narrow) => self.of_word(packed(parts.iter().map(int), *narrow)),
            Expr::Whole(x) => whole(real(x)),
            Expr::Bits(x) => self.of_word((real(x) as f32).to_bits()),
            Expr::Permute(a, b, bytes) => {
                let words = [int(a), int(b)].map(|word| (word as u32).to_le_bytes());
                let byte = |at: u8| words.as_flattened()[usize::from(at)];
                self.of_word(u32::from_le_bytes(bytes.map(byte)))
            }
            Expr::Clamp(x, [least, most]) => int(x).clamp(*least, *most),
            Expr::HighHalf(a, b) => self.of_word((int(a) as u32).wrapping_mul(int(b) as u32) >> 16),
            Expr::Thread => around.numbers()[0],
            Expr::Block => around.numbers()[1],
            Expr::Item(dimension) => around.item(*dimension),
            other => unreachable!("{other:?} is no integer"),
        }
    }
}

/// Dialects divide without signs, so that only numbers from 0 on give quotients.
fn operation(operator: Operator, a: i64, b: i64) -> i64 {
    if let Operator::Div | Operator::Rem = operator {
        assert!(a >= 0 && b > 0, "{a} is divided by {b}");
    }
    match operator {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a * b,
        Operator::Div => a / b,
        Operator::Rem => a % b,
        Operator::Shr => a >> b,
        Operator::Or => a | b,
    }
}

fn nearest(x: f64, narrow: Narrow) -> i64 {
    let [least, most] = match narrow {
        Narrow::Byte => [0.0, 255.0],
        Narrow::Short => [-32768.0, 32767.0],
    };
    x.round_ties_even().clamp(least, most) as i64
}

/// A conversion to an integer that does not fit is undefined in C.
fn whole(x: f64) -> i64 {
    assert!(x.abs() < 2f64.powi(62), "{x} as an integer");
    x as i64
}

fn packed(parts: impl Iterator<Item = i64>, narrow: Narrow) -> u32 {
    let bits = 32 / narrow.per_word();
    parts.enumerate().fold(0, |word, (i, part)| word | (part as u32 & ((1 << bits) - 1)) << (bits * i))
}

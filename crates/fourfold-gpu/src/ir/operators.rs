//! The operators of [`Sym`] and [`Int`].
//!
//! Operators on literals are done at once, and what adds 0 or multiplies by 1 leaves no statement.

use crate::ir::statement::{Expr, Int, Operator, Sym, Var};
use crate::ir::trace::bind;
use fourfold::engine::Real;
use std::ops::{Add, Div, Mul, Neg, Rem, Shr, Sub};

impl Real for Sym {
    fn constant(self, value: f64) -> Sym {
        Sym::lit(value)
    }

    fn mul_add(self, a: Sym, b: Sym) -> Sym {
        match (self, a, b) {
            (Var::Name(_), Var::Name(_), Var::Name(_)) => bind(Expr::MulAdd(self, a, b)),
            (Var::Name(_), Var::Lit(x), Var::Name(_)) | (Var::Lit(x), Var::Name(_), Var::Name(_))
                if x != 0.0 && x != 1.0 =>
            {
                bind(Expr::MulAdd(self, a, b))
            }
            _ => self * a + b,
        }
    }

    fn mul_sub(self, a: Sym, b: Sym) -> Sym {
        match (self, a, b) {
            (Var::Name(_), Var::Name(_), Var::Name(_)) => bind(Expr::MulSub(self, a, b)),
            _ => self * a - b,
        }
    }
}

impl Add for Sym {
    type Output = Sym;
    fn add(self, b: Sym) -> Sym {
        match (self, b) {
            (Var::Lit(x), Var::Lit(y)) => Var::Lit(x + y),
            (x, Var::Lit(0.0)) | (Var::Lit(0.0), x) => x,
            _ => bind(Expr::Real(Operator::Add, self, b)),
        }
    }
}

impl Sub for Sym {
    type Output = Sym;
    fn sub(self, b: Sym) -> Sym {
        match (self, b) {
            (Var::Lit(x), Var::Lit(y)) => Var::Lit(x - y),
            (_, Var::Lit(0.0)) => self,
            (Var::Lit(0.0), _) => -b,
            _ => bind(Expr::Real(Operator::Sub, self, b)),
        }
    }
}

impl Mul for Sym {
    type Output = Sym;
    fn mul(self, b: Sym) -> Sym {
        match (self, b) {
            (Var::Lit(x), Var::Lit(y)) => Var::Lit(x * y),
            (x, Var::Lit(1.0)) | (Var::Lit(1.0), x) => x,
            (x, Var::Lit(-1.0)) | (Var::Lit(-1.0), x) => -x,
            (_, Var::Lit(0.0)) | (Var::Lit(0.0), _) => Var::Lit(0.0),
            _ => bind(Expr::Real(Operator::Mul, self, b)),
        }
    }
}

impl Neg for Sym {
    type Output = Sym;
    fn neg(self) -> Sym {
        match self {
            Var::Lit(x) => Var::Lit(-x),
            Var::Name(_) => bind(Expr::Neg(self)),
        }
    }
}

/// Indices are never negative, but for the constants in them, so that `/`, `%` and `>>` are those
/// of C.
macro_rules! int_operators {
    ($($trait:ident $method:ident $op:tt $neutral:literal),*) => { $(
        impl $trait<i64> for Int {
            type Output = Int;
            fn $method(self, b: i64) -> Int {
                match self {
                    Var::Lit(a) => Var::Lit(a $op b),
                    _ if b == $neutral => self,
                    _ => bind(Expr::Int(Operator::$trait, self, Var::Lit(b))),
                }
            }
        }
    )* };
}
int_operators!(Sub sub - 0, Div div / 1, Shr shr >> 0);

impl Add<i64> for Int {
    type Output = Int;
    fn add(self, b: i64) -> Int {
        self + Var::Lit(b)
    }
}

impl Mul<i64> for Int {
    type Output = Int;
    fn mul(self, b: i64) -> Int {
        match (self, b) {
            (Var::Lit(a), _) => Var::Lit(a * b),
            (_, 0) => Var::Lit(0),
            (_, 1) => self,
            _ => bind(Expr::Int(Operator::Mul, self, Var::Lit(b))),
        }
    }
}

impl Mul for Int {
    type Output = Int;
    fn mul(self, b: Int) -> Int {
        match b {
            Var::Lit(b) => self * b,
            Var::Name(_) => bind(Expr::Int(Operator::Mul, self, b)),
        }
    }
}

impl Rem<i64> for Int {
    type Output = Int;
    fn rem(self, b: i64) -> Int {
        match (self, b) {
            (Var::Lit(a), _) => Var::Lit(a % b),
            (_, 1) => Var::Lit(0),
            _ => bind(Expr::Int(Operator::Rem, self, Var::Lit(b))),
        }
    }
}

impl Add for Int {
    type Output = Int;
    fn add(self, b: Int) -> Int {
        match (self, b) {
            (Var::Lit(x), Var::Lit(y)) => Var::Lit(x + y),
            (x, Var::Lit(0)) | (Var::Lit(0), x) => x,
            _ => bind(Expr::Int(Operator::Add, self, b)),
        }
    }
}

impl Sub for Int {
    type Output = Int;
    fn sub(self, b: Int) -> Int {
        match (self, b) {
            (Var::Lit(x), Var::Lit(y)) => Var::Lit(x - y),
            (x, Var::Lit(0)) => x,
            _ => bind(Expr::Int(Operator::Sub, self, b)),
        }
    }
}

//! The operations of a kernel.

use crate::ir::statement::{Array, Expr, Operator, Statement, Sym, Var};
use std::collections::HashMap;

/// Operations of a kernel as it was written, each statement counted once: of one thread, where
/// there are no loops. A fused multiply-add is one of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Elements of the input that are read; a complex number read whole is one.
    pub reads: usize,
    /// Elements of the output that are written.
    pub writes: usize,
    /// Multiplications of reals.
    pub multiplications: usize,
    /// Additions and subtractions of reals.
    pub additions: usize,
    /// The most of these multiplications and additions of which each needs the result of the one
    /// before. What goes through memory begins anew.
    pub depth: usize,
}

impl Counts {
    pub(crate) fn of(statements: &[Statement]) -> Counts {
        let (mut counts, mut depths) = (Counts::default(), Depths::default());
        statements.iter().for_each(|statement| counts.add(statement, &mut depths));
        counts
    }

    fn add(&mut self, statement: &Statement, depths: &mut Depths) {
        match statement {
            Statement::Let(name, expr) => {
                self.depth = self.depth.max(depths.bind(*name, expr));
                self.add_expr(expr);
            }
            Statement::LetPair(_, Array::Input, _) => self.reads += 1,
            Statement::Store(Array::Output, ..) | Statement::StorePair(Array::Output, ..) => self.writes += 1,
            Statement::For(_, _, body) | Statement::IfLess(_, _, body) => {
                body.iter().for_each(|inner| self.add(inner, depths));
            }
            _ => {}
        }
    }

    fn add_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(Array::Input, _) => self.reads += 1,
            Expr::Real(Operator::Mul, ..) => self.multiplications += 1,
            Expr::Real(..) | Expr::Reciprocal(_) | Expr::NormalReciprocal(_) => self.additions += 1,
            Expr::MulAdd(..) | Expr::MulSub(..) => {
                self.multiplications += 1;
                self.additions += 1;
            }
            _ => {}
        }
    }
}

/// The operations before each variable, on the longest way to it.
#[derive(Default)]
struct Depths(HashMap<u32, usize>);

impl Depths {
    fn get(&self, x: &Sym) -> usize {
        if let Var::Name(name) = x { self.0.get(name).copied().unwrap_or(0) } else { 0 }
    }

    /// The depth of a variable that is bound to an expression.
    fn bind(&mut self, name: u32, expr: &Expr) -> usize {
        let most = |x: &Sym, y: &Sym| self.get(x).max(self.get(y));
        let depth = match expr {
            Expr::Real(_, a, b) => 1 + most(a, b),
            Expr::MulAdd(a, b, c) | Expr::MulSub(a, b, c) => 1 + (1 + most(a, b)).max(self.get(c)),
            Expr::SelectReal(_, _, x, y) => most(x, y),
            Expr::Neg(x) | Expr::CutOff(x, _) => self.get(x),
            Expr::Reciprocal(x) | Expr::NormalReciprocal(x) => 1 + self.get(x),
            _ => 0,
        };
        self.0.insert(name, depth);
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::statement::int;
    use crate::ir::trace::record;
    use fourfold::engine::Real;

    #[test]
    fn chains_and_operations_are_counted() {
        let counts = Counts::of(&record(|| {
            let [a, b] = [0, 1].map(|at| Array::Input.load(int(at)));
            // (a b + a) (a + b): a product, then a sum, then a product, and a sum beside them.
            Array::Output.store(int(0), a.mul_add(b, a) * (a + b));
        }));
        assert_eq!(counts, Counts { reads: 2, writes: 1, multiplications: 2, additions: 2, depth: 3 });
    }
}

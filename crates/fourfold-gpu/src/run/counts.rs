//! The operations of a kernel.

use crate::ir::statement::{Array, Expr, Operator, Statement};

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
}

impl Counts {
    pub(crate) fn of(statements: &[Statement]) -> Counts {
        let mut counts = Counts::default();
        statements.iter().for_each(|statement| counts.add(statement));
        counts
    }

    fn add(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(_, Expr::Load(Array::Input, _)) | Statement::LetPair(_, Array::Input, _) => self.reads += 1,
            Statement::Store(Array::Output, ..) | Statement::StorePair(Array::Output, ..) => self.writes += 1,
            Statement::Let(_, Expr::Real(Operator::Mul, ..)) => self.multiplications += 1,
            Statement::Let(_, Expr::Real(..)) => self.additions += 1,
            Statement::Let(_, Expr::MulAdd(..) | Expr::MulSub(..)) => {
                self.multiplications += 1;
                self.additions += 1;
            }
            Statement::For(_, _, body) | Statement::IfLess(_, _, body) => body.iter().for_each(|inner| self.add(inner)),
            _ => {}
        }
    }
}

//! What is known of variables while a kernel is recorded: indices that are another one and a constant, and roots that
//! were read. From such a root follow those of its list at constant distances, so that a thread reads one of them.

use crate::ir::statement::{Expr, Int, Operator, Sym, Var};
use fourfold::engine::C;
use std::collections::HashMap;

/// An index: `offset` and a variable, or `offset` less a variable.
#[derive(Clone, Copy)]
struct Affine {
    variable: u32,
    is_less: bool,
    offset: i64,
    /// Whether it is so always, and not only where what is made of it counts.
    is_exact: bool,
}

/// The indices that are so.
#[derive(Default)]
pub(crate) struct AffineIndices(HashMap<u32, Affine>);

/// How an index follows from another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Relation {
    /// The other one and this.
    Further(i64),
    /// This less the other one.
    Reflected(i64),
}

impl AffineIndices {
    fn of(&self, i: Int) -> Affine {
        match i {
            Var::Lit(offset) => Affine { variable: 0, is_less: false, offset, is_exact: true },
            Var::Name(variable) => {
                let itself = Affine { variable, is_less: false, offset: 0, is_exact: true };
                self.0.get(&variable).copied().unwrap_or(itself)
            }
        }
    }

    /// Variable `name` is bound to an expression.
    pub(crate) fn bind(&mut self, name: u32, expr: &Expr) {
        let (sum, by) = match *expr {
            Expr::Int(Operator::Add, i, Var::Lit(by)) | Expr::Int(Operator::Add, Var::Lit(by), i) => (self.of(i), by),
            Expr::Int(Operator::Sub, i, Var::Lit(by)) => (self.of(i), -by),
            Expr::Int(Operator::Sub, Var::Lit(by), i) => (self.of(i).less(), by),
            Expr::Int(Operator::Mul, i, Var::Lit(-1)) => (self.of(i).less(), 0),
            _ => return,
        };
        self.0.insert(name, Affine { offset: sum.offset + by, ..sum });
    }

    /// Where what is made of variable `name` counts, it is `i`.
    pub(crate) fn alias(&mut self, name: u32, i: Int) {
        self.0.insert(name, Affine { is_exact: false, ..self.of(i) });
    }

    /// Whether others follow from this index.
    pub(crate) fn is_exact(&self, i: Int) -> bool {
        self.of(i).is_exact
    }

    /// How `i` follows from `other`.
    pub(crate) fn relation(&self, i: Int, other: Int) -> Option<Relation> {
        let (i, other) = (self.of(i), self.of(other));
        let relation = match i.is_less == other.is_less {
            true => Relation::Further(i.offset - other.offset),
            false => Relation::Reflected(i.offset + other.offset),
        };
        (i.variable == other.variable).then_some(relation)
    }
}

impl Affine {
    fn less(self) -> Affine {
        Affine { is_less: !self.is_less, offset: -self.offset, ..self }
    }
}

/// A root that was read: number `i` of the list whose factors begin at these reals of the table.
#[derive(Clone, Copy)]
pub(crate) struct KnownRoot {
    pub(crate) list: [usize; 2],
    pub(crate) i: Int,
    pub(crate) root: C<Sym>,
}

#[cfg(test)]
mod tests {
    use super::{AffineIndices, KnownRoot, Relation};
    use crate::ir::statement::{Expr, Int, Operator, Var, int};
    use crate::ir::trace::{
        barrier, if_less, known_root, loads_first, record, remember_root, select_counted, store_if_less, thread,
    };
    use fourfold::engine::C;

    const ZERO: C<Var<f64>> = C { re: Var::Lit(0.0), im: Var::Lit(0.0) };

    #[test]
    fn affine_indices_are_known() {
        let mut sums = AffineIndices::default();
        let i: Int = Var::Name(1);
        // 5 − (i + 3) and, of that, −1 times, less 7.
        let parts = [
            (2, Expr::Int(Operator::Add, i, int(3))),
            (3, Expr::Int(Operator::Sub, int(5), Var::Name(2))),
            (4, Expr::Int(Operator::Mul, Var::Name(3), Var::Lit(-1))),
            (5, Expr::Int(Operator::Sub, Var::Name(4), int(7))),
            (6, Expr::Int(Operator::Mul, i, int(2))),
        ];
        parts.iter().for_each(|(name, expr)| sums.bind(*name, expr));
        let relation = |a: u32, b: u32| sums.relation(Var::Name(a), Var::Name(b));
        assert_eq!(relation(2, 1), Some(Relation::Further(3)));
        assert_eq!(relation(3, 1), Some(Relation::Reflected(2)));
        assert_eq!(relation(1, 3), Some(Relation::Reflected(2)));
        assert_eq!(relation(5, 1), Some(Relation::Further(-9)));
        assert_eq!(relation(6, 1), None);
        assert_eq!(sums.relation(int(4), int(9)), Some(Relation::Further(-5)));
    }

    #[test]
    fn roots_are_known_where_they_were_read_and_until_the_next_barrier() {
        let known = |i: Int| known_root([7, 7], i).map(|(relation, _)| relation);
        let remember = |i: Int| remember_root(KnownRoot { list: [7, 7], i, root: ZERO });
        record(|| {
            let i = thread();
            if_less(i, int(9), || remember(i + 1));
            assert_eq!(known(i), None, "read in another scope");
            loads_first(|| store_if_less(i, int(9), || remember(i + 1)));
            assert_eq!(known(i + 5), Some(Relation::Further(4)));
            assert_eq!(known(int(8) - i), Some(Relation::Reflected(9)));
            if_less(i, int(9), || assert_eq!(known(i), Some(Relation::Further(-1))));
            // Another list of which the second factors are those of this one.
            assert!(known_root([7, 99], i).is_none());
            barrier();
            assert_eq!(known(i), None);
            // What counts only where it is i follows from others, and none from it.
            let clamped = select_counted(i, int(3), i, int(3), i);
            remember(clamped + 1);
            assert_eq!(known(i), None);
            remember(i);
            assert_eq!(known(clamped + 2), Some(Relation::Further(2)));
        });
    }
}

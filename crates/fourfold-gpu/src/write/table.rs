//! Roots of unity from a kernel's table.

use crate::desc::table::{Angles, RootTable, TwiddleTable};
use crate::ir::known::{KnownRoot, Relation};
use crate::ir::statement::{Array, Int, Sym};
use crate::ir::trace::{known_root, remember_root};
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Roots, gcd};

/// A column of a table of twiddles: number `k` of the values of the digits before a stage in the
/// kernel's range, of which there are `inner`. Before these are the digits before the range, if the
/// column is one of a line.
pub(crate) struct Column {
    pub(crate) line: Option<Subline>,
    pub(crate) k: Int,
    pub(crate) inner: usize,
}

impl Writer<'_> {
    /// A column's number in the order of the places.
    pub(crate) fn place_of_column(&self, column: &Column) -> Int {
        column.line.map_or(column.k, |line| self.before(line) * column.inner as i64 + column.k)
    }

    /// Twiddle of list number `row`, which has `len` columns in all.
    pub(crate) fn twiddle(&self, table: &TwiddleTable, row: Int, column: &Column, len: usize) -> C<Sym> {
        match (table.before, column.line) {
            (Some(before), Some(line)) => {
                let high = coefficient(before, row * self.desc.before() as i64 + line.frequency);
                // Of the first digit of the range all others are 1.
                if column.inner == 1 {
                    return high;
                }
                high.mul(coefficient(table.at, row * column.inner as i64 + column.k))
            }
            _ => coefficient(table.at, row * len as i64 + self.place_of_column(column)),
        }
    }
}

/// Root number `i` of a list.
pub(crate) fn root(table: RootTable, i: Int) -> C<Sym> {
    if let Some((relation, known)) = known_root(table.list(), i) {
        return table.angles.follow(relation, known);
    }
    let root = match table.high {
        None => coefficient(table.at, i),
        Some((high, len)) => coefficient(high, i / len as i64).mul(coefficient(table.at, i % len as i64)),
    };
    remember_root(KnownRoot { list: table.list(), i, root });
    root
}

impl Angles {
    /// A root from another one of the list.
    fn follow(&self, relation: Relation, known: C<Sym>) -> C<Sym> {
        let turn = |numerator: i128| {
            let k = numerator.rem_euclid(self.order.into()) as u64;
            // In lowest terms, since tables of roots are as long as √order.
            let common = gcd(self.order as usize, k as usize) as u64;
            let root = Roots::new(self.order / common).get(k / common);
            C { re: Sym::lit(root.re), im: Sym::lit(root.im) }
        };
        let [first, step] = [self.first, self.step].map(i128::from);
        match relation {
            Relation::Further(0) => known,
            Relation::Further(by) => known.mul(turn(step * i128::from(by))),
            Relation::Reflected(sum) => known.conj().mul(turn(2 * first + step * i128::from(sum))),
        }
    }
}

/// Complex number `i` of those that begin at real `at` of the table.
pub(crate) fn coefficient(at: usize, i: Int) -> C<Sym> {
    Array::Table.load_pair(i + (at / 2) as i64)
}

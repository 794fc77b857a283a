//! What kernels of cells do beside the arithmetic of transforms: sums of integers of 64 bits, to
//! which many threads add, and reals as indices.
//!
//! Integers add up to the same whoever comes first, as reals do not. A sum is kept as two words,
//! the lower first.

use crate::ir::packed::real;
use crate::ir::statement::{Array, Expr, Int, Operator, Statement, Sym, Var, int};
use crate::ir::trace::{bind, emit, select, select_real};
use fourfold::engine::Real;

impl Array {
    /// Adds the integer nearest to `x`, 0 or more, to sum `at`.
    pub(crate) fn add_fixed(self, at: Int, x: Sym) {
        emit(Statement::AddFixed(self, at, x));
    }

    /// Sum `at`, below 2^63, as a real; 0 is left there. It is rounded once in double precision,
    /// where both words are reals.
    pub(crate) fn take_fixed(self, at: Int) -> Sym {
        let words = self.load_words(at, 2);
        self.store_words(at, &[int(0), int(0)]);
        let two_32 = Sym::lit(2f64.powi(32));
        // Words are integers with a sign where indices have 32 bits.
        let low = real(words[0]) + select_real(words[0], int(0), two_32, Sym::lit(0.0));
        real(words[1]).mul_add(two_32, low)
    }
}

/// `x` between `least` and `most`; `most` if it is no number.
pub(crate) fn between(x: Sym, least: f64, most: f64) -> Sym {
    greatest(bind(Expr::Least(x, Sym::lit(most))), Sym::lit(least))
}

/// The greater; if one is no number, the other.
pub(crate) fn greatest(x: Sym, y: Sym) -> Sym {
    bind(Expr::Greatest(x, y))
}

/// The lesser, alike.
pub(crate) fn least(x: Sym, y: Sym) -> Sym {
    bind(Expr::Least(x, y))
}

pub(crate) fn quotient(x: Sym, y: Sym) -> Sym {
    bind(Expr::Real(Operator::Div, x, y))
}

/// The bin, of `bins`, that a place of the axis is in: one of them whatever the place is.
pub(crate) fn bin(place: Sym, bins: usize) -> Int {
    let (whole, last): (Int, _) = (bind(Expr::Whole(place)), int(bins - 1));
    let whole = select(whole, last, whole, last);
    select(whole, Var::Lit(0), Var::Lit(0), whole)
}

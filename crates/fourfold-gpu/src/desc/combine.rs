//! Combines of half spectra: which terms they take, and where their coefficients are in the table.

use fourfold::engine::Index;

/// Part of a combine: [`fourfold::engine::Step`] with its coefficients in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Zero { to: Index },
    One { count: usize, from: Index, to: Index, by: usize },
    Two { count: usize, from: [Index; 2], to: [Index; 2], matrix: Matrix },
}

/// The 2×2 matrices of a combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matrix {
    /// One for all, at this place.
    Same(usize),
    /// \[a, b, b, −a\] for each, as pairs (a, b).
    Reflections(usize),
    /// \[a, b, −b, a\] for each, as pairs (a, b).
    Rotations(usize),
}

/// See [`fourfold::engine::Fold`]. Its coefficients are in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fold {
    pub(crate) sine: bool,
    /// The length h of a quarter.
    pub(crate) len: usize,
    /// w_h^k, for pairs.
    pub(crate) roots: usize,
    /// The scale, it times √2, and it on the first and the last output.
    pub(crate) scales: usize,
    /// Four numbers for each k from 1 on.
    pub(crate) table: usize,
}

/// Half spectra as combines make them: term 0, the terms from 1 on, and with even n the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Terms {
    /// Real number and factor; 0 without.
    pub(crate) first: Option<(usize, usize)>,
    pub(crate) inner: Option<([Index; 2], Matrix)>,
    pub(crate) last: Option<(usize, usize)>,
}

/// Which terms of a half spectrum a part of a combine takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Which {
    First,
    /// `first` + `step` · i.
    Inner {
        first: usize,
        step: usize,
    },
    /// N/2 of an even N.
    Last,
}

impl Part {
    /// The terms of half spectra of `n` reals that it takes.
    pub(crate) fn which(&self, n: usize) -> Which {
        let index = match self {
            Part::Zero { .. } => return Which::First,
            Part::One { from, .. } | Part::Two { from: [from, _], .. } => from,
        };
        match (index.start as usize, index.step) {
            (0, _) => Which::First,
            (start, 0) if start == n - 1 && n % 2 == 0 => Which::Last,
            (start, step) => Which::Inner { first: start.div_ceil(2), step: (step as usize / 2).max(1) },
        }
    }

    /// Whether it takes all terms between the ends, or an end.
    pub(crate) fn takes_all(&self, n: usize) -> bool {
        match self.which(n) {
            Which::First | Which::Last => true,
            Which::Inner { first, step } => (first, step, self.count()) == (1, 1, (n - 1) / 2),
        }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Part::Zero { .. } => 1,
            Part::One { count, .. } | Part::Two { count, .. } => *count,
        }
    }
}

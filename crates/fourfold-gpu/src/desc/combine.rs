//! Combines of half spectra: which terms they take, and where their coefficients are in the table.
//! Combines between which a spectrum is multiplied: `desc/filter.rs`.

use crate::desc::table::RootTable;
use fourfold::engine::{Index, Part};

/// Part of a combine: [`fourfold::engine::Step`] with its coefficients in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CombineStep {
    /// 0, since no term belongs to this index.
    Zero { to: Index },
    /// The first term or the last, which are real, times a factor.
    End { last: bool, to: Index, by: usize },
    /// The real or the imaginary parts of all inner terms, times a factor.
    Part { part: Part, count: usize, to: Index, by: usize },
    /// Inner terms first + step · i, times matrices.
    Inner { first: usize, step: usize, count: usize, to: [Index; 2], matrix: Matrix },
}

/// The 2×2 matrices of a combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matrix {
    /// One for all, at this place.
    Same(usize),
    /// \[a, b, b, −a\] for each, as pairs (a, b).
    Reflections(RootTable),
    /// \[a, b, −b, a\] for each, as pairs (a, b).
    Rotations(RootTable),
    /// One for all that leads from a part of a term to one real of the line, and back: times the
    /// number at this place.
    Part(Part, usize),
}

/// [`fourfold::engine::SymmetricLastPass`] with its coefficients in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SymmetricLastPass {
    pub(crate) sine: bool,
    /// The length h of a quarter.
    pub(crate) len: usize,
    /// w_h^k, for pairs.
    pub(crate) roots: RootTable,
    /// The scale, it times √2, and it on the first and the last output.
    pub(crate) scales: usize,
    /// Four numbers for each k from 1 on; those of odd length that are packed as two need none.
    pub(crate) table: usize,
}

/// Half spectra that a combine makes from a line: term 0, the inner terms, and with even n the
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HalfSpectra {
    /// Real number and factor; 0 without.
    pub(crate) first: Option<(usize, usize)>,
    pub(crate) inner: Option<([Index; 2], Matrix)>,
    pub(crate) last: Option<(usize, usize)>,
}

/// Terms of a half spectrum of N reals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TermRange {
    First,
    /// `first` + `step` · i, neither 0 nor N/2.
    Inner {
        first: usize,
        step: usize,
    },
    /// N/2 of an even N.
    Last,
}

impl CombineStep {
    /// The terms that it takes.
    pub(crate) fn terms(&self) -> TermRange {
        match *self {
            CombineStep::Zero { .. } | CombineStep::End { last: false, .. } => TermRange::First,
            CombineStep::End { last: true, .. } => TermRange::Last,
            CombineStep::Part { .. } => TermRange::Inner { first: 1, step: 1 },
            CombineStep::Inner { first, step, .. } => TermRange::Inner { first, step },
        }
    }

    /// Whether it takes all inner terms, or an end.
    pub(crate) fn takes_all(&self) -> bool {
        !matches!(self.terms(), TermRange::Inner { step: 2.., .. })
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            CombineStep::Zero { .. } | CombineStep::End { .. } => 1,
            CombineStep::Part { count, .. } | CombineStep::Inner { count, .. } => *count,
        }
    }
}

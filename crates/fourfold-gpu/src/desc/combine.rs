//! Combines of half spectra: which terms they take, and where their coefficients are in the table.

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
    Reflections(usize),
    /// \[a, b, −b, a\] for each, as pairs (a, b).
    Rotations(usize),
}

/// [`fourfold::engine::SymmetricLastPass`] with its coefficients in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SymmetricLastPass {
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

/// Half spectra that a combine makes from a line: term 0, the inner terms, and with even n the
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HalfSpectra {
    /// Real number and factor; 0 without.
    pub(crate) first: Option<(usize, usize)>,
    pub(crate) inner: Option<([Index; 2], Matrix)>,
    pub(crate) last: Option<(usize, usize)>,
}

/// A multiply between two combines: half spectra of `n` reals become a line, which is multiplied, and
/// becomes half spectra again. The elements that a term becomes are those that it comes back from,
/// so that terms k and N − k stay where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpectrumProduct {
    pub(crate) n: usize,
    /// w_n^k, for pairs.
    pub(crate) roots: usize,
    /// The first term and the last; without, they become 0.
    pub(crate) ends: [Option<EndProduct>; 2],
    pub(crate) inner: Option<InnerProduct>,
    /// Whether elements of the line are complex.
    pub(crate) complex: bool,
}

/// A multiply between two DFTs of `n` complex elements, where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ElementProduct {
    pub(crate) n: usize,
    /// Whether real and imaginary parts are exchanged after the first DFT, and before the second.
    pub(crate) exchanged: [bool; 2],
    /// Elements are multiplied by `table[scale]`, too.
    pub(crate) scale: Option<usize>,
    /// Elements are matrices of two reals of the line, whose factors count.
    pub(crate) combined: Option<InnerProduct>,
}

/// A term that is real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EndProduct {
    /// Its real on the line.
    pub(crate) place: usize,
    /// Its factors on the way to the line, and back.
    pub(crate) by: [usize; 2],
}

/// Terms between the ends, or elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InnerProduct {
    /// The reals of the line that the matrices lead to.
    pub(crate) line: [Index; 2],
    /// Those to the line, and those back.
    pub(crate) matrices: [Matrix; 2],
    /// Whether the matrices back take the second real first.
    pub(crate) swaps: bool,
}

impl InnerProduct {
    /// What there is between two reals of the line and those, if they are the same.
    pub(crate) fn new(there: ([Index; 2], Matrix), from: ([Index; 2], Matrix)) -> Option<InnerProduct> {
        let (line, [a, b]) = (there.0, there.0);
        let swaps = from.0 == [b, a];
        (swaps || from.0 == line).then_some(InnerProduct { line, matrices: [there.1, from.1], swaps })
    }
}

impl SpectrumProduct {
    /// What there is between `steps` to a line and `terms` from it, if they meet as they must.
    pub(crate) fn new(
        [n, roots]: [usize; 2],
        steps: &[CombineStep],
        terms: &HalfSpectra,
        complex: bool,
    ) -> Option<SpectrumProduct> {
        let end = |which: bool, term: Option<(usize, usize)>| {
            let Some((place, by)) = term else { return Some(None) };
            let there = steps.iter().find_map(|step| match *step {
                CombineStep::End { last, to, by } if last == which && to.start == place as isize => Some(by),
                _ => None,
            })?;
            Some(Some(EndProduct { place, by: [there, by] }))
        };
        let inner = |from: ([Index; 2], Matrix)| {
            steps.iter().find_map(|step| match *step {
                CombineStep::Inner { first: 1, step: 1, to, matrix, .. } => InnerProduct::new((to, matrix), from),
                _ => None,
            })
        };
        let ends = [end(false, terms.first)?, end(true, terms.last)?];
        let inner = match terms.inner {
            Some(terms) => Some(inner(terms)?),
            None => None,
        };
        Some(SpectrumProduct { n, roots, ends, inner, complex })
    }
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

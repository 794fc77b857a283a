//! What is between a transform and one back in one kernel: combines, and the multiply between them.
//! Tables are named by where they begin.

use crate::desc::combine::{CombineStep, Matrix, SymmetricLastPass};
use crate::desc::table::RootTable;
use fourfold::engine::Index;

/// A multiply between two combines: half spectra of `n` reals become a line, which is multiplied, and
/// becomes half spectra again. The elements that a term becomes are those that it comes back from,
/// so that terms k and N − k stay where they stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpectrumProduct {
    pub(crate) n: usize,
    /// w_n^k, for pairs.
    pub(crate) roots: RootTable,
    /// The first term and the last; without, they become 0.
    pub(crate) ends: [Option<EndProduct>; 2],
    pub(crate) inner: Vec<TermsProduct>,
    /// Whether elements of the line are complex.
    pub(crate) complex: bool,
}

/// The same of three quarters of an extension: half spectra of each become a line, and this half
/// spectra again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SymmetricProduct {
    pub(crate) there: SymmetricLastPass,
    pub(crate) inverse: SymmetricLastPass,
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

/// A multiply between two DFTs of a signal of reals, of `n` complex elements: real m of the signal is
/// the one of the line that the order with this number says, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SignalProduct {
    pub(crate) n: usize,
    pub(crate) order: Option<usize>,
}

/// A term that is real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EndProduct {
    /// Its real on the line.
    pub(crate) place: usize,
    /// Its factors on the way to the line, and back.
    pub(crate) by: [usize; 2],
}

/// Terms `first` + `step` · i between the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TermsProduct {
    pub(crate) first: usize,
    pub(crate) step: usize,
    pub(crate) count: usize,
    pub(crate) product: InnerProduct,
}

/// Terms between the ends, or elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InnerProduct {
    /// The reals of the line that the matrices lead to; one, if both are the same.
    pub(crate) line: [Index; 2],
    /// Those to the line, and those back.
    pub(crate) matrices: [Matrix; 2],
    /// Whether the matrices back take the second real first.
    pub(crate) swaps: bool,
    /// Whether real 0 of the line may be among them.
    pub(crate) may_be_first: bool,
}

impl InnerProduct {
    /// What there is between two reals of the line and those, if they are the same.
    pub(crate) fn new(there: ([Index; 2], Matrix), from: ([Index; 2], Matrix)) -> Option<InnerProduct> {
        let (line, [a, b]) = (there.0, there.0);
        let swaps = from.0 == [b, a] && a != b;
        (swaps || from.0 == line).then_some(InnerProduct {
            line,
            matrices: [there.1, from.1],
            swaps,
            may_be_first: true,
        })
    }

    /// Whether terms have one real of the line each.
    pub(crate) fn is_single(&self) -> bool {
        self.line[0] == self.line[1]
    }
}

impl SpectrumProduct {
    /// What there is between steps to a line and `back` from it, if they meet as they must.
    pub(crate) fn new(
        (n, roots): (usize, RootTable),
        there: &[CombineStep],
        inverse: &[CombineStep],
        complex: bool,
    ) -> Option<SpectrumProduct> {
        let end = |step: &CombineStep, which: bool| match *step {
            CombineStep::End { last, to, by } if last == which => Some((to.start, by)),
            _ => None,
        };
        let end = |which: bool| {
            let Some((place, from)) = inverse.iter().find_map(|step| end(step, which)) else { return Some(None) };
            let to = there.iter().find_map(|step| end(step, which).filter(|end| end.0 == place))?.1;
            Some(Some(EndProduct { place: place as usize, by: [to, from] }))
        };
        let ends = [end(false)?, end(true)?];
        let meet = |step: &CombineStep| {
            let from = Between::new(step)?;
            there.iter().find_map(|step| Between::new(step)?.product(&from))
        };
        let between = inverse.iter().filter(|step| Between::new(step).is_some());
        let mut inner: Vec<TermsProduct> = between.map(meet).collect::<Option<_>>()?;
        let is_first = |end: &EndProduct| end.place == 0;
        inner.iter_mut().for_each(|terms| terms.product.may_be_first = !ends.iter().flatten().any(is_first));
        Some(SpectrumProduct { n, roots, ends, inner, complex })
    }
}

/// A step of terms between the ends.
struct Between {
    terms: [usize; 3],
    line: ([Index; 2], Matrix),
}

impl Between {
    fn new(step: &CombineStep) -> Option<Between> {
        match *step {
            CombineStep::Inner { first, step, count, to, matrix } => {
                Some(Between { terms: [first, step, count], line: (to, matrix) })
            }
            CombineStep::Part { part, count, to, by } => {
                Some(Between { terms: [1, 1, count], line: ([to; 2], Matrix::Part(part, by)) })
            }
            CombineStep::Zero { .. } | CombineStep::End { .. } => None,
        }
    }

    /// What there is between this and one back, if they meet.
    fn product(&self, inverse: &Between) -> Option<TermsProduct> {
        let product = InnerProduct::new(self.line, inverse.line).filter(|_| self.terms == inverse.terms)?;
        let [first, step, count] = self.terms;
        Some(TermsProduct { first, step, count, product })
    }
}

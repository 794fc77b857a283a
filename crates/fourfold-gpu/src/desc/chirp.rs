//! A line as one convolution by Bluestein's rule ([`fourfold::engine::convolution_length`]): what its
//! elements are. Tables are named by where they begin.

use crate::desc::combine::{CombineStep, HalfSpectra};

/// Elements times Bluestein's chirp c_j = exp(−πi j²/N).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chirp {
    /// N.
    pub(crate) n: usize,
    /// How many there are: those after are zeros where they are read, and not written.
    pub(crate) count: usize,
    /// The chirp for j ≤ N/2.
    pub(crate) table: usize,
    pub(crate) elements: Chirped,
}

/// What the elements of a convolution are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Chirped {
    /// Elements of the line.
    Elements,
    /// Terms k ≤ n/2 of half spectra of `n` reals, made from the line. Those between the ends count
    /// twice, since the terms n − k are left out.
    TermsOfLine { n: usize, half: HalfSpectra },
    /// Terms of half spectra, from which the line is made.
    TermsToLine(Vec<CombineStep>),
}

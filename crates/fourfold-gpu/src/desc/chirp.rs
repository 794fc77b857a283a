//! Convolutions by Bluestein's rule. Of a line that is one ([`fourfold::engine::convolution_length`]), what its
//! elements are. Tables are named by where they begin.

use crate::desc::combine::{CombineStep, HalfSpectra};
use crate::desc::table::RootTable;

/// Elements times Bluestein's chirp c_p = exp(−πi p(p + `shift`)/N), where p is the place of an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chirp {
    /// N.
    pub(crate) n: usize,
    /// The place of the first one.
    pub(crate) first: usize,
    /// How many there are: those before and after are zeros where they are read, and not written.
    pub(crate) count: usize,
    /// A DFT of the first digit has places e + j · `step`, e < `step`.
    pub(crate) step: usize,
    pub(crate) shift: usize,
    /// Where c_e is.
    pub(crate) table: usize,
    /// exp(−2πi e · p · `step`/N) for p = 1, 2, 4, …: c_{e + j · step} is c_e times some of these and a constant. A table
    /// as long as the line would come from memory as the line does.
    pub(crate) powers: Vec<RootTable>,
    pub(crate) elements: Chirped,
}

/// Values of a digit times Bluestein's chirp c_v = exp(−πi v²/`radix`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DigitChirp {
    /// How many values the digit has; zeros follow.
    pub(crate) radix: usize,
    /// A small DFT has values v + j · `step`, v < `step`.
    pub(crate) step: usize,
    /// Where c_0 is.
    pub(crate) table: usize,
}

/// What the elements of a convolution are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Chirped {
    /// Elements of the line.
    Elements,
    /// Terms k ≤ n/2 of half spectra of `n` reals, made from the line. Those between the ends count
    /// twice, since the terms n − k are left out.
    TermsOfLine { n: usize, half: HalfSpectra },
    /// Complex numbers of which `n` reals are the parts, made from the line.
    PairsOfLine { n: usize, roots: RootTable, half: HalfSpectra },
    /// Terms of half spectra, from which the line is made.
    TermsToLine(Vec<CombineStep>),
    /// Of the first n + 1 numbers y of an extension, (y_e + y_{n−e}) + i(y_e − y_{n−e}) exp(−πi e/n): see
    /// `lower/bluestein_line.rs`. If it is `odd`, y_{n−e} has the other sign. The table has exp(−πi e(e + `shift` + 1)/n).
    Folded { odd: bool, table: usize },
    /// Terms 2e and 2e + 1 of an extension, which has so many, and the steps from them to the line: of types I,
    /// parts and ends.
    TermPairs { odd: bool, terms: usize, steps: Vec<CombineStep> },
}

/// How many of so many frequencies b an even spectrum needs: those up to the one in the middle.
pub(crate) fn half_count(frequencies: usize) -> usize {
    frequencies / 2 + 1
}

//! Orders of a long signal and of its terms, which exchanges make.

use std::fmt;

/// An order that an exchange makes. N₁×N₂ is the matrix of the signal, with n = N₂n₁ + n₂ and k = k₁ + N₁k₂.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reorder {
    /// The signal x as N₁×N₂ becomes v as N₁×N₂, with v_n = x_{2n+1} and v_{N−1−n} = x_{2n}. It is the even-odd order of J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE
    /// Trans. ASSP 28 (1980), from the end.
    EvenOdd,
    /// The inverse of [`Reorder::EvenOdd`].
    FromEvenOdd,
    /// The terms y as N₂×N₁ become pairs y_k + i y_{N−k} for k₁ ≤ N₁/2 and all k₂. Sines have y_{N−1−k} as term
    /// k, and the IDXST has y_{N−k}. The imaginary part at k = 0 is arbitrary, and here that of the real part.
    TermPairs,
    /// The inverse of [`Reorder::TermPairs`].
    FromTermPairs,
    /// The signal x as N₁×2N₂ becomes pairs x_{N−1−2n} + i x_{2n} as N₁×N₂.
    Ends,
    /// Pairs y_{2k} + i y_{N−1−2k} for all k become the terms y as N₂×2N₁.
    FromEnds,
}

impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reorder::EvenOdd => "even-odd",
            Reorder::FromEvenOdd => "from even-odd",
            Reorder::TermPairs => "pairs",
            Reorder::FromTermPairs => "from pairs",
            Reorder::Ends => "ends",
            Reorder::FromEnds => "from ends",
        })
    }
}

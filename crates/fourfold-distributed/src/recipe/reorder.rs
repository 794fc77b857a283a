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
    /// The signal x becomes v_{−m} with m = N₂(n₁ + 1) − n₂, for n₂ ≤ N₂/2. v is the even extension of x, or the odd
    /// one without the signs. The two elements that are 0 in the latter are arbitrary, and here x's ends.
    Extend,
    /// The terms k₁ + N₁k₂ of an extension, for k₁ ≤ N₁/2, become the terms y.
    FromExtension,
    /// The signal x of odd length becomes v as N₁×N₂, with v_n = x_{2n} and v_{N−1−n} = x_{2n+1}.
    Centered,
    /// Pairs of terms at the same distance from the middle one, for k₁ ≤ N₁/2, become the terms y.
    FromCentered,
    /// A half spectrum becomes X_k for k₁ ≤ N₁/2 and all k₂, with X_{N−k} for terms that it lacks.
    HalfSpectrum,
    /// The inverse of [`Reorder::HalfSpectrum`].
    FromHalfSpectrum,
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
            Reorder::Extend => "extend",
            Reorder::FromExtension => "from extension",
            Reorder::Centered => "centered",
            Reorder::FromCentered => "from centered",
            Reorder::HalfSpectrum => "half spectrum",
            Reorder::FromHalfSpectrum => "from half spectrum",
        })
    }
}

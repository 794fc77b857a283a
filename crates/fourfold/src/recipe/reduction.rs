//! A 1D transform as reorder → DFT → combine, or as combine → DFT → reorder, in symbols. The
//! [rules](crate::recipe::rules) determine the terms of the combine and its roots of unity. Engines
//! make tables of them when they prepare a plan.
//!
//! A combine has two sides: the *line*, whose elements are x_j, and the *spectrum*, whose terms are
//! V_k. A [`Step`] relates elements to terms. After the DFT it computes elements from terms, and
//! before the DFT it computes terms from elements. It reads each number once, and computes at most
//! two numbers from at most two.
//!
//! | transform | reorder | before the DFT | after the DFT |
//! |---|---|---|---|
//! | DCT-I | [`EvenExtension`](Reorder::EvenExtension) | | [`Part`](Step::Part): Re V_k |
//! | DST-I | [`OddExtension`](Reorder::OddExtension) | | `Part`: Im V_k |
//! | DCT-II, DST-II, adjoint of IDXST | [`EvenOdd`](Reorder::EvenOdd) | | [`Rotate`](Step::Rotate) by πk/(2N) |
//! | DCT-III, DST-III, IDXST | `EvenOdd` | `Rotate` by πk/(2N) | |
//! | DCT-IV, DST-IV, N odd | [`Fold`](Reorder::Fold) | | `Rotate` by π(2k+1)/4 |
//! | DCT-IV, DST-IV, N even | | `Rotate` by π(4n+1)/(4N) | `Rotate` by πk/N |
//! | DHT | | | [`Hartley`](Step::Hartley) |
//! | R2C | | | [`Scale`](Step::Scale) |
//! | C2R | | `Scale` | |
//! | complex DFT | | | |
//!
//! Symmetric transforms lead from a spectrum, too, by steps before the DFT:
//! [`reduce_from_spectrum`](crate::recipe::rules::symmetric::reduce_from_spectrum).

use crate::arithmetic::twiddle::Roots;
use crate::recipe::reorder::{Index, Reorder, at};

/// The data that a DFT reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    /// Real numbers to a half spectrum.
    Real,
    /// A half spectrum to real numbers, backwards.
    Hermitian,
    /// Complex numbers.
    Complex,
    /// Complex numbers, backwards.
    ComplexBackward,
}

/// A transform as combine → DFT → combine. An empty list is the identity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reduction {
    /// The order of the real side of the DFT, which is its input for [`Data::Real`] and its output
    /// for [`Data::Hermitian`].
    pub reorder: Option<Reorder>,
    /// From the line to the DFT's input.
    pub before: Vec<Step>,
    /// From the DFT's output to the line.
    pub after: Vec<Step>,
}

/// The index on the line of term k, for types II and III, the IDXST and its adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexMap {
    /// Term k has index k: DCT-II and III.
    Ascending,
    /// Term k has index N − 1 − k: DST-II and III.
    Descending,
    /// Term k has index N − k, and no term has index 0: IDXST and its adjoint.
    Shifted,
}

/// Numbers on the spectrum's side of a combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpectrumTerms {
    /// (Re, Im) of V_k, k = first + step · i, of the half spectrum of a real signal. k is neither 0
    /// nor N/2, whose terms are real.
    Half {
        /// The first k.
        first: usize,
        /// The difference between one k and the next.
        step: usize,
    },
    /// (Re, Im) of V_i of a complex array.
    Complex,
}

/// A part of a complex number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Part {
    Re,
    Im,
}

/// Roots of unity e^{−iθ} with θ = 2π (first + step · i)/order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Twiddles {
    /// The order of the roots.
    pub order: u64,
    /// The numerator for i = 0.
    pub first: u64,
    /// The increment of the numerator from i to i + 1.
    pub step: i64,
}

/// Part of a combine, between terms z = Re z + i Im z of the spectrum and elements x, or u and v,
/// of the line, for i = 0, 1, …, `count`−1. `line` has the indices of the elements. A step after
/// the DFT writes them, and a step before it reads them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// x = 0, since no term belongs to this index. Before the DFT, V_0 = 0.
    Zero {
        /// The place.
        place: usize,
    },
    /// A real term: x = by · V_0, or by · V_{N/2}.
    End {
        /// Whether the term is V_{N/2}, for even N, and not V_0.
        last: bool,
        /// The index of x.
        place: usize,
        /// The factor.
        by: f64,
    },
    /// x = by · Re z, or by · Im z, of terms 1, 2, …
    Part {
        /// How many.
        count: usize,
        /// Which part.
        part: Part,
        /// The places.
        line: Index,
        /// The factor.
        by: f64,
    },
    /// (u, v) = by · (Re z, Im z), of terms 1, 2, …
    Scale {
        /// How many.
        count: usize,
        /// The places.
        line: [Index; 2],
        /// The factor.
        by: f64,
    },
    /// (u, v) = by · (Re z − Im z, Re z + Im z), of terms 1, 2, …; before the DFT, z = by · (u + v +
    /// i(v − u)).
    Hartley {
        /// How many.
        count: usize,
        /// The places.
        line: [Index; 2],
        /// The factor.
        by: f64,
    },
    /// After the DFT, u + iv = by · e^{−iθ} z or the conjugate of that. Before the DFT, z = by ·
    /// e^{−iθ} (u + iv) or the conjugate of that.
    Rotate(Rotation),
}

/// The fields of [`Step::Rotate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// How many.
    pub count: usize,
    /// The terms.
    pub terms: SpectrumTerms,
    /// The indices of u and v.
    pub line: [Index; 2],
    /// The roots of unity.
    pub twiddles: Twiddles,
    /// The factor.
    pub by: f64,
    /// Whether the result is conjugated.
    pub conjugate: bool,
}

impl IndexMap {
    /// Whether the reordered side alternates in sign.
    pub(crate) fn signs(self) -> bool {
        self != IndexMap::Ascending
    }

    /// Returns (start, step): term k ≥ 1 has index start + step·k, and term N − k has index start +
    /// step·N − step·k.
    pub fn line(self, n: usize) -> (isize, isize) {
        match self {
            IndexMap::Ascending => (0, 1),
            IndexMap::Descending => (n as isize - 1, -1),
            IndexMap::Shifted => (n as isize, -1),
        }
    }

    /// The index of term 0. With [`IndexMap::Shifted`], the element of this index is 0.
    pub fn zero(self, n: usize) -> usize {
        if self == IndexMap::Descending { n - 1 } else { 0 }
    }
}

impl SpectrumTerms {
    /// All terms of a half spectrum except the real ones.
    pub const INNER: SpectrumTerms = SpectrumTerms::Half { first: 1, step: 1 };

    /// The indices of the terms' real and imaginary parts among the reals of the spectrum. A half
    /// spectrum of N reals is stored as Re V_0, Re V_1, Im V_1, Re V_2, …. In a complex array the
    /// parts alternate.
    pub fn parts(self) -> [Index; 2] {
        let (start, step) = match self {
            SpectrumTerms::Half { first, step } => (2 * first - 1, 2 * step as isize),
            SpectrumTerms::Complex => (0, 2),
        };
        [at(start, step), at(start + 1, step)]
    }
}

impl Twiddles {
    /// by · (cos θ, sin θ) for i < `count`.
    pub fn table(self, count: usize, by: f64) -> Vec<[f64; 2]> {
        let roots = Roots::new(self.order);
        let order = self.order as i64;
        let w = |i: i64| roots.get((self.first as i64 + self.step * i).rem_euclid(order) as u64);
        (0..count as i64).map(w).map(|w| [by * w.re, -by * w.im]).collect()
    }
}

impl Rotation {
    /// by · (cos θ, sin θ) for i < `count`.
    pub fn table(&self) -> Vec<[f64; 2]> {
        self.twiddles.table(self.count, self.by)
    }

    /// The 2 × 2 matrix, in row order, that maps (u, v) to the result, from an entry of the table.
    pub fn matrix(&self, [a, b]: [f64; 2]) -> [f64; 4] {
        if self.conjugate { [a, b, b, -a] } else { [a, b, -b, a] }
    }
}

impl Step {
    /// The number of terms, or of pairs of elements.
    pub fn count(&self) -> usize {
        match *self {
            Step::Zero { .. } | Step::End { .. } => 1,
            Step::Part { count, .. } | Step::Scale { count, .. } | Step::Hartley { count, .. } => count,
            Step::Rotate(Rotation { count, .. }) => count,
        }
    }

    /// The indices of its numbers in the spectrum, for a DFT of `len` elements. A single number has
    /// the same index twice.
    pub fn spectrum(&self, len: usize) -> [Index; 2] {
        let all = SpectrumTerms::INNER.parts();
        match *self {
            Step::Zero { .. } | Step::End { last: false, .. } => [at(0, 0); 2],
            Step::End { last: true, .. } => [at(len - 1, 0); 2],
            Step::Part { part: Part::Re, .. } => [all[0]; 2],
            Step::Part { part: Part::Im, .. } => [all[1]; 2],
            Step::Scale { .. } | Step::Hartley { .. } => all,
            Step::Rotate(Rotation { terms, .. }) => terms.parts(),
        }
    }

    /// The indices of its numbers on the line. A single number has the same index twice.
    pub fn line(&self) -> [Index; 2] {
        match *self {
            Step::Zero { place } | Step::End { place, .. } => [at(place, 0); 2],
            Step::Part { line, .. } => [line; 2],
            Step::Scale { line, .. } | Step::Hartley { line, .. } => line,
            Step::Rotate(Rotation { line, .. }) => line,
        }
    }

    /// The matrix of [`Step::Hartley`] after the DFT, in row order. The one before it is the
    /// transpose.
    pub fn hartley(by: f64) -> [f64; 4] {
        [by, -by, by, by]
    }
}

//! A one-dimensional transform as reorder → DFT → combine, or as combine → DFT → reorder, in
//! symbols. The [rules](crate::recipe::rules) say which terms are combined, and by which roots of
//! unity. Engines make tables of that when they prepare a plan.
//!
//! A combine has two sides. The *line* x has places, from 0 on. The *spectrum* V has terms, V_k. A
//! [`Step`] names places and terms. After the DFT it computes places from terms, before the DFT
//! terms from places. It reads each number once and takes at most two numbers to two.
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

use crate::arithmetic::twiddle::Roots;
use crate::recipe::reorder::{Index, Reorder, at};

/// What kind of data a DFT works on.
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

/// A transform as combine → DFT → combine; what is absent is the identity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reduction {
    /// The order of the real side of the DFT: its input for [`Data::Real`], its output for
    /// [`Data::Hermitian`].
    pub reorder: Option<Reorder>,
    /// From the line to the DFT's input.
    pub before: Vec<Step>,
    /// From the DFT's output to the line.
    pub after: Vec<Step>,
}

/// Where the terms of types II and III, of the IDXST and of its adjoint stand on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexMap {
    /// Term k at k: cosines.
    Ascending,
    /// Term k at N − 1 − k: DST-II and III.
    Descending,
    /// Term k at N − k, and nothing at 0: IDXST and its adjoint.
    Shifted,
}

/// Numbers on the spectrum's side of a combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terms {
    /// (Re, Im) of V_k, k = first + step · i, of the half spectrum of a real signal, of neither
    /// real term.
    Half {
        /// The first k.
        first: usize,
        /// From a k to the next.
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
    /// What the circle is divided by.
    pub order: u64,
    /// The numerator for i = 0.
    pub first: u64,
    /// What i = 1 adds to it.
    pub step: i64,
}

/// Part of a combine, between terms (z = Re + i Im) and places of the line (x, or u and v), for
/// i = 0, 1, … `count`−1. `line` is what is written after the DFT and what is read before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// No term belongs to this place: x = 0. Before the DFT, V_0 = 0.
    Zero {
        /// The place.
        place: usize,
    },
    /// A real term: x = by · V_0, or by · V_{N/2}.
    End {
        /// Whether it is V_{N/2}, of an even N, and not V_0.
        last: bool,
        /// The place of x.
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
    /// (u, v) = by · (Re z − Im z, Re z + Im z), of terms 1, 2, …
    Hartley {
        /// How many.
        count: usize,
        /// The places.
        line: [Index; 2],
        /// The factor.
        by: f64,
    },
    /// u + iv = by · e^{−iθ} z, or the conjugate of that; before the DFT z = by · e^{−iθ} (u + iv)
    /// or its conjugate.
    Rotate(Rotation),
}

/// See [`Step::Rotate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// How many.
    pub count: usize,
    /// The terms.
    pub terms: Terms,
    /// The places of u and v.
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

    /// (start, step): term k ≥ 1 stands at start + step·k, and term N − k at start + step·N −
    /// step·k.
    pub fn line(self, n: usize) -> (isize, isize) {
        match self {
            IndexMap::Ascending => (0, 1),
            IndexMap::Descending => (n as isize - 1, -1),
            IndexMap::Shifted => (n as isize, -1),
        }
    }

    /// Where term 0 stands; of shifted ones it is always 0.
    pub fn zero(self, n: usize) -> usize {
        if self == IndexMap::Descending { n - 1 } else { 0 }
    }
}

impl Terms {
    /// All terms of a half spectrum but the real ones.
    pub const INNER: Terms = Terms::Half { first: 1, step: 1 };

    /// Where the terms' real and imaginary parts stand. A half spectrum of N reals is Re V_0,
    /// Re V_1, Im V_1, Re V_2, …; in a complex array the parts alternate.
    pub fn parts(self) -> [Index; 2] {
        let (start, step) = match self {
            Terms::Half { first, step } => (2 * first - 1, 2 * step as isize),
            Terms::Complex => (0, 2),
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
    /// by · (cos θ, sin θ) of all.
    pub fn table(&self) -> Vec<[f64; 2]> {
        self.twiddles.table(self.count, self.by)
    }

    /// What takes (u, v) to the result, row by row, from an entry of the table.
    pub fn matrix(&self, [a, b]: [f64; 2]) -> [f64; 4] {
        if self.conjugate { [a, b, b, -a] } else { [a, b, -b, a] }
    }
}

impl Step {
    /// How many terms or pairs of places it has.
    pub fn count(&self) -> usize {
        match *self {
            Step::Zero { .. } | Step::End { .. } => 1,
            Step::Part { count, .. } | Step::Scale { count, .. } | Step::Hartley { count, .. } => count,
            Step::Rotate(Rotation { count, .. }) => count,
        }
    }

    /// Where its numbers stand on the side of the spectrum, of a DFT of `len` elements; one number
    /// is named twice.
    pub fn spectrum(&self, len: usize) -> [Index; 2] {
        let all = Terms::INNER.parts();
        match *self {
            Step::Zero { .. } | Step::End { last: false, .. } => [at(0, 0); 2],
            Step::End { last: true, .. } => [at(len - 1, 0); 2],
            Step::Part { part: Part::Re, .. } => [all[0]; 2],
            Step::Part { part: Part::Im, .. } => [all[1]; 2],
            Step::Scale { .. } | Step::Hartley { .. } => all,
            Step::Rotate(Rotation { terms, .. }) => terms.parts(),
        }
    }

    /// Where they stand on the line.
    pub fn line(&self) -> [Index; 2] {
        match *self {
            Step::Zero { place } | Step::End { place, .. } => [at(place, 0); 2],
            Step::Part { line, .. } => [line; 2],
            Step::Scale { line, .. } | Step::Hartley { line, .. } => line,
            Step::Rotate(Rotation { line, .. }) => line,
        }
    }

    /// The matrix of [`Step::Hartley`], row by row.
    pub fn hartley(by: f64) -> [f64; 4] {
        [by, -by, by, by]
    }
}

//! A one-dimensional transform as reorder → DFT → combine, or combine → DFT → reorder, in symbols:
//! the rules in [`crate::recipe::rules`] say what happens to which terms, and by which roots of
//! unity. Engines make their tables from that, as the last thing.
//!
//! A reduction has two sides. On the side of the *line* elements have places, from 0 on. On the
//! side of the *spectrum* they are terms V_k of the DFT. A [`Step`] names both and holds in either
//! direction: after the DFT it leads from terms to places, before the DFT from places to terms.
//! Every step reads each number once and takes at most two numbers to two.
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
    /// How the real side of the DFT stands in the line: its input for [`Data::Real`], its output
    /// for [`Data::Hermitian`].
    pub reorder: Option<Reorder>,
    /// From the line to the DFT's input.
    pub before: Vec<Step>,
    /// From the DFT's output to the line.
    pub after: Vec<Step>,
}

/// How the real side v of a DFT stands in a line x of N elements. Engines get it as [`Run`]s or as
/// a [`Permutation`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reorder {
    /// Even places ascending, then odd places descending.
    EvenOdd(EvenOdd),
    /// Of odd N: v_i = x_{4i+(N−1)/2}, where x is continued as the cosines of type IV are:
    /// x_{2N−1−j} = −x_j and x_{j+2N} = −x_j.
    Fold {
        /// Whether x is read from its end.
        reversed: bool,
    },
    /// The 2(N−1) elements of v_j = v_{2(N−1)−j} = x_j.
    EvenExtension {
        /// Factors on x_0 and x_{N−1}.
        ends: [f64; 2],
    },
    /// The 2(N+1) elements of v_j = −v_{2(N+1)−j} = x_{j−1}, v_0 = v_{N+1} = 0.
    OddExtension,
}

/// v_m = x_{2m}, v_{N−1−m} = ±x_{2m+1}.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvenOdd {
    /// Whether odd places change their sign.
    pub signs: bool,
}

/// The index `start + step · i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// The index for i = 0.
    pub start: isize,
    /// What i = 1 adds.
    pub step: isize,
}

/// Part of a [`Reorder`]: element `first` + i is x\[`place` of i\] · `factor`, for i < `count`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The number of its first element.
    pub first: usize,
    /// How many elements it has.
    pub count: usize,
    /// Where they stand in the line.
    pub place: Index,
    /// The factor on all of them.
    pub factor: f64,
}

/// A [`Reorder`] as tables: element m is x\[index\[m\]\] · factor\[m\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Permutation {
    /// Where element m stands.
    pub index: Vec<usize>,
    /// Factors on the elements; empty: all 1.
    pub factor: Vec<f64>,
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

/// Where sequences of numbers stand.
pub(crate) fn at(start: usize, step: isize) -> Index {
    Index { start: start as isize, step }
}

impl Index {
    /// The index for i.
    pub fn at(self, i: usize) -> usize {
        (self.start + self.step * i as isize) as usize
    }
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

    /// Where the terms' real and imaginary parts stand: a half spectrum of N reals is Re V_0,
    /// Re V_1, Im V_1, Re V_2, …, a complex array has its parts in turn.
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

impl EvenOdd {
    /// Where element m of N stands on the line.
    pub fn place(self, m: usize, n: usize) -> usize {
        if 2 * m < n { 2 * m } else { 2 * (n - m) - 1 }
    }

    /// Which element stands at a place of the line.
    pub fn element(self, place: usize, n: usize) -> usize {
        if place % 2 == 0 { place / 2 } else { n - place.div_ceil(2) }
    }

    /// The factor on what stands at odd places.
    pub fn odd_factor(self) -> f64 {
        if self.signs { -1.0 } else { 1.0 }
    }

    /// The factor on what stands at a place.
    pub fn factor(self, place: usize) -> f64 {
        if place % 2 == 0 { 1.0 } else { self.odd_factor() }
    }

    fn runs(self, n: usize) -> [Run; 2] {
        let (even, odd) = (n.div_ceil(2), n / 2);
        let last = at((2 * odd).saturating_sub(1), -2);
        [
            Run { first: 0, count: even, place: at(0, 2), factor: 1.0 },
            Run { first: even, count: odd, place: last, factor: self.odd_factor() },
        ]
    }
}

impl Reorder {
    /// The reorder of a line of `n` elements; runs may be empty.
    pub fn runs(self, n: usize) -> Vec<Run> {
        match self {
            Reorder::EvenOdd(order) => order.runs(n).into(),
            Reorder::Fold { reversed } => fold(n, reversed).into(),
            Reorder::EvenExtension { ends } => even_extension(n, ends).into(),
            Reorder::OddExtension => odd_extension(n).into(),
        }
    }

    /// The same as tables.
    pub fn permutation(self, n: usize) -> Permutation {
        let runs = self.runs(n);
        let index = runs.iter().flat_map(|run| (0..run.count).map(|i| run.place.at(i))).collect();
        let factor = match runs.iter().all(|run| run.count == 0 || run.factor == 1.0) {
            true => vec![],
            false => runs.iter().flat_map(|run| std::iter::repeat_n(run.factor, run.count)).collect(),
        };
        Permutation { index, factor }
    }
}

/// By the number of times that 4i + (N−1)/2 has passed N.
fn fold(n: usize, reversed: bool) -> [Run; 5] {
    let first_beyond = |times: usize| (times * n - n / 2).div_ceil(4).min(n);
    let mut first = 0;
    [0, 1, 2, 3, 4].map(|times| {
        let (start, end) = (first, first_beyond(times + 1));
        first = end;
        let at = (4 * start + n / 2) as isize - (times * n) as isize;
        let mirrored = times % 2 == 1;
        let (at, step) = if mirrored != reversed { (n as isize - 1 - at, -4) } else { (at, 4) };
        let factor = if times == 1 || times == 2 { -1.0 } else { 1.0 };
        Run { first: start, count: end - start, place: Index { start: at, step }, factor }
    })
}

fn even_extension(n: usize, [a, b]: [f64; 2]) -> [Run; 4] {
    let last = n - 1;
    [
        Run { first: 0, count: 1, place: at(0, 1), factor: a },
        Run { first: 1, count: last - 1, place: at(1, 1), factor: 1.0 },
        Run { first: last, count: 1, place: at(last, 1), factor: b },
        Run { first: last + 1, count: last - 1, place: at(last.max(1) - 1, -1), factor: 1.0 },
    ]
}

fn odd_extension(n: usize) -> [Run; 4] {
    [
        Run { first: 0, count: 1, place: at(0, 0), factor: 0.0 },
        Run { first: 1, count: n, place: at(0, 1), factor: 1.0 },
        Run { first: n + 1, count: 1, place: at(0, 0), factor: 0.0 },
        Run { first: n + 2, count: n, place: at(n - 1, -1), factor: -1.0 },
    ]
}

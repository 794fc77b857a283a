//! Steps of complex FFTs that go through memory for every level: pure data, the stages of
//! baselines.
//!
//! A *level* of radix R at distance D makes DFTs of R·D points of R DFTs of D points each: along
//! every line, for all g and all k < D,
//!
//! ```text
//! y_{gRD + k + jD} = Σ_i w_R^{ij} w_{RD}^{ik} x_{gRD + k + iD}     (decimation in time)
//! y_{gRD + k + jD} = w_{RD}^{jk} Σ_i w_R^{ij} x_{gRD + k + iD}     (decimation in frequency)
//! ```
//!
//! with w_M = e^{−2πi/M}, or its conjugate backward. Levels in time, with distances 1, R₁, R₁R₂, …,
//! take digit-reversed order to natural order; levels in frequency, with distances n/R₁, n/(R₁R₂),
//! …, 1, take natural order to digit-reversed order (Cooley and Tukey, 1965; Gentleman and Sande,
//! 1966).

use crate::arithmetic::twiddle::Roots;
use num_complex::Complex;
use std::fmt;

/// One step of a complex FFT in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct FftStep {
    /// The work.
    pub work: FftWork,
    /// Whether it writes where it reads.
    pub in_place: bool,
    /// How devices launch it. A processor's threads share it in any case.
    pub launches: LaunchMode,
}

/// The work of a step on an array of complex numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum FftWork {
    /// Moves the elements of every line along an axis: y_p = scale · x_q, where q has the digits of
    /// p in these radices, the last of p being the first of q. Without radices it copies.
    DigitReversal {
        /// The axis.
        axis: usize,
        /// The radices, that of the fastest digit of p first.
        radices: Vec<usize>,
        /// A factor on everything.
        scale: f64,
    },
    /// y_k = Σ w_n^{ik} x_i along an axis, each as the sum that it is.
    Sum {
        /// The axis.
        axis: usize,
        /// Whether w is conjugated.
        backward: bool,
    },
    /// One level.
    Level(Level),
    /// All levels of radix 2, in frequency, with distances below `len`, then bits reversed along
    /// the whole line: the rest when those of longer distances are done. A block of `len` elements
    /// is on chip meanwhile.
    Blocks {
        /// The axis.
        axis: usize,
        /// Elements of a block, a power of two.
        len: usize,
        /// Work groups of a device that share a block equally, and wait for one another where
        /// distances are long: a power of two.
        groups: usize,
        /// Whether w is conjugated.
        backward: bool,
        /// A factor on everything.
        scale: f64,
    },
    /// Transposes a matrix.
    Transpose {
        /// Side of the square of elements that one thread moves; in place, it moves two.
        side: usize,
    },
}

/// One level of an FFT along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The axis.
    pub axis: usize,
    /// R.
    pub radix: usize,
    /// D.
    pub distance: usize,
    /// Where the twiddle factors are.
    pub decimation: Decimation,
    /// Whether w is conjugated.
    pub backward: bool,
}

/// On which side of its small DFTs a level multiplies by powers of w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decimation {
    /// On their inputs: decimation in time.
    InTime,
    /// On their outputs: decimation in frequency.
    InFrequency,
}

/// How a device launches a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchMode {
    /// One kernel for the whole array.
    Once,
    /// A kernel for every line, one after another.
    Lines,
    /// One kernel whose work groups are rectangles of so many columns and rows of threads.
    Groups([usize; 2]),
    /// The host downloads the array, does the step and uploads it.
    Host,
}

impl FftStep {
    pub(crate) fn new(work: FftWork) -> FftStep {
        FftStep { work, in_place: false, launches: LaunchMode::Once }
    }

    /// The powers of w that it multiplies by, never conjugated: of a level, w_{RD}^{jk} at
    /// k(R − 1) + j − 1 for k < D and 0 < j < R; of a sum along a line of n elements w_n^k; of
    /// blocks w_len^k, k < len/2.
    pub fn table(&self, n: usize) -> Vec<Complex<f64>> {
        let powers = |order: usize, count: usize| {
            let roots = Roots::new(order as u64);
            (0..count).map(move |k| roots.get(k as u64)).collect()
        };
        match self.work {
            FftWork::DigitReversal { .. } | FftWork::Transpose { .. } => vec![],
            FftWork::Sum { .. } => powers(n, n),
            FftWork::Blocks { len, .. } => powers(len, len / 2),
            FftWork::Level(Level { radix, distance, .. }) => {
                let roots = Roots::new((radix * distance) as u64);
                let exponents = (0..distance).flat_map(|k| (1..radix).map(move |j| j * k));
                exponents.map(|jk| roots.get(jk as u64)).collect()
            }
        }
    }

    /// How long that table is.
    pub(crate) fn table_len(&self, n: usize) -> usize {
        match self.work {
            FftWork::DigitReversal { .. } | FftWork::Transpose { .. } => 0,
            FftWork::Sum { .. } => n,
            FftWork::Blocks { len, .. } => len / 2,
            FftWork::Level(Level { radix, distance, .. }) => distance * (radix - 1),
        }
    }

    /// The axis along which it works; of a transpose none.
    pub fn axis(&self) -> Option<usize> {
        match self.work {
            FftWork::DigitReversal { axis, .. } | FftWork::Sum { axis, .. } | FftWork::Blocks { axis, .. } => {
                Some(axis)
            }
            FftWork::Level(level) => Some(level.axis),
            FftWork::Transpose { .. } => None,
        }
    }
}

/// The place that has the digits of `place` in these radices the other way around; itself, without
/// any.
pub(crate) fn reversed(place: usize, radices: &[usize]) -> usize {
    let next = |(result, rest): (usize, usize), radix: &usize| (result * radix + rest % radix, rest / radix);
    if radices.is_empty() { place } else { radices.iter().fold((0, place), next).0 }
}

impl fmt::Display for FftWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FftWork::DigitReversal { axis, radices, .. } if radices.is_empty() => write!(f, "copy axis {axis}"),
            FftWork::DigitReversal { axis, radices, .. } => {
                let radices: Vec<_> = radices.iter().map(usize::to_string).collect();
                write!(f, "reverse axis {axis} digits {}", radices.join(" "))
            }
            FftWork::Sum { axis, .. } => write!(f, "sums axis {axis}"),
            FftWork::Level(Level { axis, radix, distance, decimation, .. }) => {
                let turns = if *decimation == Decimation::InTime { "before" } else { "after" };
                write!(f, "level axis {axis} radix {radix} distance {distance}, turns {turns}")
            }
            FftWork::Blocks { axis, len, groups: 1, .. } => write!(f, "all levels axis {axis} in blocks of {len}"),
            FftWork::Blocks { axis, len, groups, .. } => {
                write!(f, "all levels axis {axis} in blocks of {len}, {groups} groups each")
            }
            FftWork::Transpose { side } => write!(f, "transpose {side} x {side} a thread"),
        }
    }
}

impl fmt::Display for FftStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.work)?;
        if self.in_place {
            f.write_str(", in place")?;
        }
        match self.launches {
            LaunchMode::Once => Ok(()),
            LaunchMode::Lines => f.write_str(", line by line"),
            LaunchMode::Groups([columns, rows]) => write!(f, ", groups of {columns} x {rows}"),
            LaunchMode::Host => f.write_str(", by the host"),
        }
    }
}

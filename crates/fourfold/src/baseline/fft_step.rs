//! Steps of complex FFTs as stages of baselines. Every level is a trip through memory.
//!
//! A *level* of radix R at distance D combines R DFTs of D points to one of R·D points. Along every
//! line, for all g and all k < D,
//!
//! ```text
//! y_{gRD + k + jD} = Σ_i w_R^{ij} w_{RD}^{ik} x_{gRD + k + iD}     (decimation in time)
//! y_{gRD + k + jD} = w_{RD}^{jk} Σ_i w_R^{ij} x_{gRD + k + iD}     (decimation in frequency)
//! ```
//!
//! with w_M = e^{−2πi/M}, or its conjugate for backward transforms. Levels with decimation in time
//! have the distances 1, R₁, R₁R₂, …, and transform digit-reversed order to natural order (Cooley
//! and Tukey, 1965). Levels with decimation in frequency have the distances n/R₁, n/(R₁R₂), …, 1,
//! and transform natural order to digit-reversed order (Gentleman and Sande, 1966).

use crate::arithmetic::twiddle::Roots;
use num_complex::Complex;
use std::fmt;

/// One step of a complex FFT, which is a trip through memory.
#[derive(Clone, Debug, PartialEq)]
pub struct FftStep {
    /// The work of the step.
    pub work: FftWork,
    /// Whether it reads and writes the same array.
    pub in_place: bool,
    /// How devices launch it. On CPUs this has no effect.
    pub launches: LaunchMode,
}

/// The work of a step on an array of complex numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum FftWork {
    /// Reorders the elements of every line along an axis: y_p = scale · x_q, where q has the digits
    /// of p in reverse order. Without radices it copies.
    DigitReversal {
        /// The axis.
        axis: usize,
        /// The radices. The first is that of the least significant digit of p.
        radices: Vec<usize>,
        /// A factor on all elements.
        scale: f64,
    },
    /// y_k = Σ_i w_n^{ik} x_i along an axis, by direct summation.
    Sum {
        /// The axis.
        axis: usize,
        /// Whether w is conjugated.
        backward: bool,
        /// How the powers of w are found.
        factors: Factors,
    },
    /// One level.
    Level(Level),
    /// Whole FFTs of lines: a digit reversal as [`FftWork::DigitReversal`], and then all levels in
    /// time, in place in the array that is written. One thread computes a line.
    Whole {
        /// The axis.
        axis: usize,
        /// The radices, whose product is the length of a line.
        radices: Vec<usize>,
        /// Whether w is conjugated.
        backward: bool,
        /// A factor on all elements.
        scale: f64,
    },
    /// All levels of radix 2 with distances below `len`, by decimation in frequency, followed by
    /// bit reversal of the whole line. Blocks of `len` elements are in on-chip memory meanwhile.
    Blocks {
        /// The axis.
        axis: usize,
        /// The elements of a block, a power of two.
        len: usize,
        /// The number of work groups of a device that compute a block together, a power of two.
        /// They synchronise at levels whose distances are too long for one group.
        groups: usize,
        /// Whether w is conjugated.
        backward: bool,
        /// A factor on all elements.
        scale: f64,
    },
    /// Transposes a matrix.
    Transpose {
        /// The side of the square of elements that one thread moves. In place, a thread exchanges
        /// two squares.
        side: usize,
        /// The neighbouring elements that a thread of a device reads or writes at once, 1 or 2.
        width: usize,
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
    /// The side of the small DFTs on which the twiddle factors are.
    pub decimation: Decimation,
    /// Whether w is conjugated.
    pub backward: bool,
}

/// How a sum finds the powers of w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factors {
    /// They are read from a table.
    Table,
    /// A sine and a cosine are computed for every term.
    Computed,
}

/// The side of its small DFTs on which a level multiplies by twiddle factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decimation {
    /// Decimation in time: the inputs are multiplied.
    InTime,
    /// Decimation in frequency: the outputs are multiplied.
    InFrequency,
}

/// How a device launches a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchMode {
    /// One kernel for the whole array, whose items have numbers.
    Once,
    /// One kernel for each line, one after another, each with a range of one dimension.
    Lines(GroupShape),
    /// One kernel with a range of two dimensions: the items of a line and the lines, or the squares
    /// of a row and the rows of squares.
    Range(GroupShape),
    /// The host, which maps the arrays into its memory. Where an API maps no memory of devices, it
    /// copies them.
    Host,
}

/// The shape of the work groups of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupShape {
    /// The driver chooses it for every launch, as OpenCL's do.
    Driver,
    /// So many columns and rows of threads. Ranges are rounded up to whole groups.
    Fixed([usize; 2]),
}

impl FftStep {
    pub(crate) fn new(work: FftWork) -> FftStep {
        FftStep { work, in_place: false, launches: LaunchMode::Once }
    }

    /// The table of twiddle factors, which are not conjugated for backward steps. For a level it
    /// has w_{RD}^{jk} at k(R − 1) + j − 1, k < D, 0 < j < R; for whole lines those of all levels,
    /// one after another. For a sum along a line of n elements it has w_n^k, and for blocks
    /// w_len^k, k < len/2.
    pub fn table(&self, n: usize) -> Vec<Complex<f64>> {
        let powers = |order: usize, count: usize| {
            let roots = Roots::new(order as u64);
            (0..count).map(move |k| roots.get(k as u64)).collect()
        };
        match self.work {
            FftWork::DigitReversal { .. } | FftWork::Transpose { .. } => vec![],
            FftWork::Sum { factors: Factors::Computed, .. } => vec![],
            FftWork::Sum { factors: Factors::Table, .. } => powers(n, n),
            FftWork::Blocks { len, .. } => powers(len, len / 2),
            FftWork::Level(level) => level.table(),
            FftWork::Whole { .. } => self.work.levels().into_iter().flat_map(Level::table).collect(),
        }
    }

    /// The length of that table.
    pub fn table_len(&self, n: usize) -> usize {
        match self.work {
            FftWork::DigitReversal { .. } | FftWork::Transpose { .. } => 0,
            FftWork::Sum { factors: Factors::Computed, .. } => 0,
            FftWork::Sum { factors: Factors::Table, .. } => n,
            FftWork::Blocks { len, .. } => len / 2,
            FftWork::Level(level) => level.table_len(),
            // Σ D(R − 1) over D = 1, R₁, R₁R₂, …, which telescopes.
            FftWork::Whole { .. } => n - 1,
        }
    }

    /// The axis along which it works. A transpose has none.
    pub fn axis(&self) -> Option<usize> {
        match self.work {
            FftWork::DigitReversal { axis, .. }
            | FftWork::Sum { axis, .. }
            | FftWork::Blocks { axis, .. }
            | FftWork::Whole { axis, .. } => Some(axis),
            FftWork::Level(level) => Some(level.axis),
            FftWork::Transpose { .. } => None,
        }
    }
}

impl FftWork {
    /// The levels of whole lines, in order. Other work has none.
    pub fn levels(&self) -> Vec<Level> {
        match self {
            FftWork::Whole { axis, radices, backward, .. } => Level::in_time(*axis, radices, *backward),
            _ => vec![],
        }
    }
}

impl Level {
    /// All levels of a line by decimation in time.
    pub(crate) fn in_time(axis: usize, radices: &[usize], backward: bool) -> Vec<Level> {
        let distances = radices.iter().scan(1, |next, radix| {
            *next *= radix;
            Some(*next / radix)
        });
        let level = |(&radix, distance)| Level { axis, radix, distance, decimation: Decimation::InTime, backward };
        radices.iter().zip(distances).map(level).collect()
    }

    /// w_{RD}^{jk} at k(R − 1) + j − 1, k < D, 0 < j < R.
    fn table(self) -> Vec<Complex<f64>> {
        let Level { radix, distance, .. } = self;
        let roots = Roots::new((radix * distance) as u64);
        let exponents = (0..distance).flat_map(|k| (1..radix).map(move |j| j * k));
        exponents.map(|jk| roots.get(jk as u64)).collect()
    }

    /// The number of its twiddle factors.
    pub fn table_len(&self) -> usize {
        self.distance * (self.radix - 1)
    }
}

/// The index that has the digits of `place` in these radices in reverse order. Without radices it
/// is `place`.
pub(crate) fn reversed(place: usize, radices: &[usize]) -> usize {
    let next = |(result, rest): (usize, usize), radix: &usize| (result * radix + rest % radix, rest / radix);
    if radices.is_empty() { place } else { radices.iter().fold((0, place), next).0 }
}

fn listed(radices: &[usize]) -> String {
    radices.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for FftWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FftWork::DigitReversal { axis, radices, .. } if radices.is_empty() => write!(f, "copy axis {axis}"),
            FftWork::DigitReversal { axis, radices, .. } => {
                write!(f, "reverse axis {axis} digits {}", listed(radices))
            }
            FftWork::Sum { axis, factors: Factors::Table, .. } => write!(f, "sums axis {axis}"),
            FftWork::Sum { axis, factors: Factors::Computed, .. } => {
                write!(f, "sums axis {axis}, sines and cosines computed")
            }
            FftWork::Level(Level { axis, radix, distance, decimation, .. }) => {
                let turns = if *decimation == Decimation::InTime { "before" } else { "after" };
                write!(f, "level axis {axis} radix {radix} distance {distance}, turns {turns}")
            }
            FftWork::Blocks { axis, len, groups: 1, .. } => write!(f, "all levels axis {axis} in blocks of {len}"),
            FftWork::Blocks { axis, len, groups, .. } => {
                write!(f, "all levels axis {axis} in blocks of {len}, {groups} groups each")
            }
            FftWork::Whole { axis, radices, .. } if radices.is_empty() => write!(f, "whole lines axis {axis}"),
            FftWork::Whole { axis, radices, .. } => write!(f, "whole lines axis {axis} digits {}", listed(radices)),
            FftWork::Transpose { side, width: 1 } => write!(f, "transpose {side} x {side} a thread"),
            FftWork::Transpose { side, width } => {
                write!(f, "transpose {side} x {side} a thread, {width} elements an access")
            }
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
            LaunchMode::Lines(groups) => write!(f, ", line by line, {groups}"),
            LaunchMode::Range(groups) => write!(f, ", a range of rows, {groups}"),
            LaunchMode::Host => f.write_str(", by the host"),
        }
    }
}

impl fmt::Display for GroupShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupShape::Driver => f.write_str("groups by the driver"),
            GroupShape::Fixed([columns, rows]) => write!(f, "groups of {columns} x {rows}"),
        }
    }
}

//! Stages: the steps of baselines' recipes. Each is a trip through memory, as in the paper's
//! implementations.

use crate::arithmetic::twiddle::Roots;
use crate::baseline::fft_step::FftStep;
use crate::problem::element::Domain;
use crate::problem::kind::Transform1d;
use crate::problem::layout::Layout;
use crate::problem::norm::EndWeights;
use crate::recipe::recipe::Recipe;
use crate::recipe::reduction::IndexMap;
use crate::recipe::reorder::EvenOdd;
use num_complex::Complex;
use std::fmt;

/// One trip through memory that does one thing: reorder, transform, combine or transpose. The first
/// stage of a recipe reads the caller's input, and the last one writes the caller's output, with
/// their strides. Every other array is [in C order](ArrayDesc).
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The array that is read.
    pub from: ArrayDesc,
    /// The array that is written.
    pub to: ArrayDesc,
    /// The work.
    pub work: StageWork,
}

/// The work of a stage.
#[derive(Clone, Debug, PartialEq)]
pub enum StageWork {
    /// Reorders the elements along some axes. If the order of axes in memory differs between the
    /// two arrays, it also transposes. Without orders it only transposes.
    Reorder {
        /// The axes that are reordered, and their orders.
        orders: Vec<(usize, Order)>,
        /// The side whose memory order the loop follows.
        way: AccessPattern,
    },
    /// An unscaled real FFT over the last axes of the array, forward to a half spectrum or backward
    /// from it.
    Fft(Box<Recipe>),
    /// A combine, from a half spectrum to reals or from reals to a half spectrum.
    Combine(Combine),
    /// A step of a complex FFT.
    FftStep(FftStep),
}

/// An array between two stages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayDesc {
    /// The problem's axes in the order of memory. The last one has stride 1.
    pub axes: Vec<usize>,
    /// The lengths of these axes, in the same order.
    pub lengths: Vec<usize>,
    /// Whether the elements are real or complex.
    pub domain: Domain,
    /// In memory, every length is rounded up to a multiple of this. 1 without padding.
    pub padding: usize,
}

/// The reorder of a line of N elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// to\[m\] = from\[2m\], to\[N−1−m\] = ±from\[2m+1\] (eq. 9).
    Split(EvenOdd),
    /// The inverse of `Split`: to\[2m\] = from\[m\], to\[2m+1\] = ±from\[N−1−m\] (eq. 16).
    Merge(EvenOdd),
    /// The line followed by its mirror image: 2N elements (eq. 5).
    Mirror,
    /// The line followed by zeros: 2N elements (eq. 7).
    Pad,
    /// The line at odd indices, followed by its mirror image at odd indices, with zeros at even
    /// indices: 4N elements (eq. 3).
    OddPlaces,
}

/// The side of a reorder whose memory order the loop follows (Fig. 3 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessPattern {
    /// The output, so that writes are contiguous.
    Gather,
    /// The input, so that reads are contiguous.
    Scatter,
}

/// A combine of one to three axes at once. The spectrum has half of the terms along its last axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Combine {
    /// The axes, in the order of the spectrum's memory.
    pub axes: Vec<CombineAxis>,
    /// The side that is the spectrum.
    pub direction: Direction,
    /// The outputs that one thread computes.
    pub outputs: CombineVariant,
    /// A factor on all elements.
    pub scale: f64,
    /// Reals of a magnitude below this are set to 0 as they are written (eq. 20). `None` keeps all.
    pub threshold: Option<f64>,
}

/// One axis of a combine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CombineAxis {
    /// The problem's axis.
    pub axis: usize,
    /// The length N.
    pub n: usize,
    /// The index of term k of the spectrum among the reals.
    pub terms: IndexMap,
    /// A factor on term 0.
    pub first: f64,
}

/// The direction of a combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the spectrum: postprocessing of types II.
    After,
    /// To the spectrum: preprocessing of types III.
    Before,
}

/// The variants of a combine, by the work of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineVariant {
    /// One output for each thread: the naive method.
    One,
    /// All outputs that depend on the same inputs for each thread, by the symmetries of spectrum
    /// and factors. For two axes these are four reals from two complex numbers, or the reverse.
    All,
    /// y_k = scale · Re(e^{−iπk/(2N)} V_k) from a spectrum that has all N terms, or the same
    /// without the exponential factor.
    Direct {
        /// Whether there is the exponential factor.
        rotates: bool,
    },
}

impl Stage {
    /// A stage that copies an array to one with another order of the axes.
    pub(crate) fn transpose(from: &ArrayDesc, to: &ArrayDesc) -> Stage {
        let work = StageWork::Reorder { orders: vec![], way: AccessPattern::Gather };
        Stage { from: from.clone(), to: to.clone(), work }
    }

    /// A stage that is a step of a complex FFT, from array to array or in place.
    pub(crate) fn fft_step(from: &ArrayDesc, to: &ArrayDesc, step: FftStep) -> Stage {
        Stage { from: from.clone(), to: to.clone(), work: StageWork::FftStep(step) }
    }

    /// Whether it reads and writes the same array.
    pub fn is_in_place(&self) -> bool {
        matches!(&self.work, StageWork::FftStep(step) if step.in_place)
    }

    /// Whether it is a reorder or a combine that should work by tiles, because it transposes: the
    /// axis of stride 1 differs between the two arrays.
    pub fn is_tiled(&self) -> bool {
        let keeps = |(_, order): &(usize, Order)| matches!(order, Order::Split(_) | Order::Merge(_));
        let able = match &self.work {
            StageWork::Reorder { orders, .. } => orders.iter().all(keeps),
            StageWork::Combine(_) => true,
            StageWork::Fft(_) | StageWork::FftStep(_) => false,
        };
        able && self.from.fastest() != self.to.fastest()
    }
}

impl ArrayDesc {
    /// The caller's array, with all axes in the problem's order.
    pub(crate) fn natural(layout: &Layout, domain: Domain) -> ArrayDesc {
        ArrayDesc { axes: (0..layout.shape.len()).collect(), lengths: layout.shape.clone(), domain, padding: 1 }
    }

    /// The array with another order of the axes.
    pub(crate) fn ordered(&self, axes: &[usize]) -> ArrayDesc {
        ArrayDesc { axes: axes.to_vec(), lengths: axes.iter().map(|&axis| self.length(axis)).collect(), ..*self }
    }

    /// The array with another length along one axis, and in the given domain.
    pub(crate) fn with(&self, axis: usize, length: usize, domain: Domain) -> ArrayDesc {
        let new = |(a, n): (&usize, &usize)| if *a == axis { length } else { *n };
        let lengths = self.axes.iter().zip(&self.lengths).map(new).collect();
        ArrayDesc { axes: self.axes.clone(), lengths, domain, padding: self.padding }
    }

    /// The array with padding, if a length needs it.
    pub(crate) fn padded(&self, padding: usize) -> ArrayDesc {
        let needed = self.lengths.iter().any(|n| n % padding > 0);
        ArrayDesc {
            axes: self.axes.clone(),
            lengths: self.lengths.clone(),
            padding: if needed { padding } else { 1 },
            ..*self
        }
    }

    /// The lengths in memory, with padding, in the order of memory.
    pub fn stored(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.lengths.iter().map(|n| n.div_ceil(self.padding).saturating_mul(self.padding))
    }

    /// The length along an axis of the problem.
    pub fn length(&self, axis: usize) -> usize {
        self.axes.iter().position(|a| *a == axis).map_or(1, |place| self.lengths[place])
    }

    /// The stride along every axis of the problem, in elements.
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![0; self.axes.len()];
        self.axes.iter().zip(self.stored()).rev().fold(1usize, |step, (&axis, n)| {
            strides[axis] = step;
            step.saturating_mul(n)
        });
        strides
    }

    /// The axis of stride 1.
    pub fn fastest(&self) -> usize {
        self.axes[self.axes.len() - 1]
    }

    /// The number of reals that the array takes in memory, with padding.
    pub fn reals(&self) -> usize {
        self.stored().fold(self.domain.reals(), usize::saturating_mul)
    }
}

impl Order {
    /// Whether the written side is in natural order. Otherwise the read side is.
    pub fn writes_natural(self) -> bool {
        matches!(self, Order::Merge(_))
    }

    /// The number of elements of the result for a line of `n` elements.
    pub fn length(self, n: usize) -> usize {
        match self {
            Order::Split(_) | Order::Merge(_) => n,
            Order::Mirror | Order::Pad => 2 * n,
            Order::OddPlaces => 4 * n,
        }
    }
}

impl Combine {
    /// The number of terms along axis number `i` over which it loops: all, or only those that are
    /// not mirror images of others.
    pub fn terms(&self, i: usize) -> usize {
        let n = self.axes[i].n;
        let half = i + 1 == self.axes.len() && self.direction == Direction::Before;
        if half || self.outputs == CombineVariant::All { n / 2 + 1 } else { n }
    }

    /// The factor on all outputs. With half a spectrum, each output is twice a real part.
    fn factor(&self) -> f64 {
        let twice = self.direction == Direction::After && !matches!(self.outputs, CombineVariant::Direct { .. });
        if twice { 2.0 * self.scale } else { self.scale }
    }

    /// e^{−iπk/(2N)}, k < N, for each axis, with its factor on term 0. The table of the last axis
    /// also includes the factor on all elements.
    pub fn tables(&self) -> Vec<Vec<Complex<f64>>> {
        let last = self.axes.len() - 1;
        let table = |(i, axis): (usize, &CombineAxis)| {
            let (roots, factor) = (Roots::new(4 * axis.n as u64), if i == last { self.factor() } else { 1.0 });
            (0..axis.n).map(|k| roots.get(k as u64) * if k == 0 { factor * axis.first } else { factor }).collect()
        };
        self.axes.iter().enumerate().map(table).collect()
    }
}

impl CombineAxis {
    /// The combine along an axis of a problem, and the factor of its transform relative to that of
    /// the cosine transform. `None` unless the transform is of type II or III.
    pub(crate) fn new(transform: &crate::problem::problem::AxisTransform) -> Option<(CombineAxis, f64)> {
        let crate::problem::problem::AxisTransform {
            axis,
            n,
            sum,
            edges: EndWeights { input_first, input_last, output_first, output_last },
        } = *transform;
        let (terms, first, factor) = match sum {
            Transform1d::Dct2 => (IndexMap::Ascending, output_first, 1.0),
            Transform1d::Dct3 => (IndexMap::Ascending, input_first, 1.0),
            Transform1d::Dst2 => (IndexMap::Descending, output_last, 1.0),
            Transform1d::Dst3 => (IndexMap::Descending, input_last, 1.0),
            Transform1d::Idxst | Transform1d::IdxstAdjoint => (IndexMap::Shifted, 0.0, 0.5),
            _ => return None,
        };
        Some((CombineAxis { axis, n, terms, first }, factor))
    }
}

impl fmt::Display for ArrayDesc {
    /// Writes the lengths in the order of memory, the multiple to which they are padded, and the
    /// axes if their order is not the problem's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |list: &[usize], by: &str| list.iter().map(usize::to_string).collect::<Vec<_>>().join(by);
        write!(f, "{}", joined(&self.lengths, "x"))?;
        if self.domain == Domain::Complex {
            f.write_str(" complex")?;
        }
        if self.padding > 1 {
            write!(f, " padded to {}", self.padding)?;
        }
        if self.axes.is_sorted() { Ok(()) } else { write!(f, " axes {}", joined(&self.axes, ",")) }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Split(EvenOdd { signs: false }) => "split",
            Order::Split(EvenOdd { signs: true }) => "split with signs",
            Order::Merge(EvenOdd { signs: false }) => "merge",
            Order::Merge(EvenOdd { signs: true }) => "merge with signs",
            Order::Mirror => "mirror",
            Order::Pad => "pad",
            Order::OddPlaces => "odd places",
        })
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<_> = self.axes.iter().map(|axis| axis.axis.to_string()).collect();
        let side = if self.direction == Direction::After { "after" } else { "before" };
        write!(f, "combine {side} axes {}, ", axes.join(","))?;
        match self.outputs {
            CombineVariant::One => f.write_str("one output a thread"),
            CombineVariant::All => write!(f, "{} reals a thread", 1 << self.axes.len()),
            CombineVariant::Direct { rotates: true } => f.write_str("of all terms"),
            CombineVariant::Direct { rotates: false } => f.write_str("the real parts"),
        }?;
        self.threshold.map_or(Ok(()), |least| write!(f, ", threshold {least}"))
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}: ", self.from, self.to)?;
        match &self.work {
            StageWork::Reorder { orders, .. } if orders.is_empty() => f.write_str("transpose"),
            StageWork::Reorder { orders, way } => {
                let way = if *way == AccessPattern::Gather { "gather" } else { "scatter" };
                let orders: Vec<_> = orders.iter().map(|(axis, order)| format!("axis {axis} {order}")).collect();
                write!(f, "{way} {}", orders.join(", "))
            }
            StageWork::Fft(recipe) => write!(f, "{}", recipe.to_string().replace('\n', "; ")),
            StageWork::Combine(combine) => write!(f, "{combine}"),
            StageWork::FftStep(step) => write!(f, "{step}"),
        }
    }
}

//! Stages: recipes that go through memory for every step, as the paper's implementations do.

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
/// stage of a recipe reads the caller's input, the last writes the caller's output, in their own
/// strides; every other array is [in C order](ArrayDesc).
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
    /// Moves every element along some axes. Where another axis runs fastest on the other side, it
    /// transposes on the way; without any order it does only that.
    Reorder {
        /// The axes that are reordered, and how.
        orders: Vec<(usize, Order)>,
        /// Which side is followed.
        way: AccessPattern,
    },
    /// A real FFT over the last axes of the array, forward to a half spectrum or backward from it,
    /// unscaled.
    Fft(Box<Recipe>),
    /// From a half spectrum to reals, or from reals to a half spectrum.
    Combine(Combine),
    /// A step of a complex FFT.
    FftStep(FftStep),
}

/// An array between two stages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayDesc {
    /// The problem's axes in the order of memory, the last running fastest.
    pub axes: Vec<usize>,
    /// How many elements there are along each of them, in the same order.
    pub lengths: Vec<usize>,
    /// Real or complex.
    pub domain: Domain,
}

/// How a line of N elements is reordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// to\[m\] = from\[2m\], to\[N−1−m\] = ±from\[2m+1\] (eq. 9).
    Split(EvenOdd),
    /// The reverse: to\[2m\] = from\[m\], to\[2m+1\] = ±from\[N−1−m\] (eq. 16).
    Merge(EvenOdd),
    /// Followed by its mirror image: 2N elements (eq. 5).
    Mirror,
    /// Followed by zeros: 2N elements (eq. 7).
    Pad,
    /// In odd places, followed by its mirror image there, with zeros between: 4N elements (eq. 3).
    OddPlaces,
}

/// Which side of a reorder is followed element by element (Fig. 3 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessPattern {
    /// The output, so that writes are contiguous.
    Gather,
    /// The input, so that reads are contiguous.
    Scatter,
}

/// A combine of one to three axes at once. The spectrum has half of its last axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Combine {
    /// The axes, in the order of the spectrum's memory.
    pub axes: Vec<CombineAxis>,
    /// Which side is the spectrum.
    pub direction: Direction,
    /// The outputs of one thread.
    pub outputs: CombineVariant,
    /// A factor on everything.
    pub scale: f64,
}

/// One axis of a combine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CombineAxis {
    /// The problem's axis.
    pub axis: usize,
    /// Its length N.
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

/// How a combine shares out its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineVariant {
    /// One output a thread: the naive method.
    One,
    /// All outputs that depend on the same inputs a thread, by the symmetries of spectrum and
    /// factors: for two axes four reals from two complex numbers, or the reverse.
    All,
    /// Of a spectrum that has all N terms: y_k = scale · Re(e^{−iπk/(2N)} V_k), or without the
    /// factor.
    Direct {
        /// Whether there is the factor.
        rotates: bool,
    },
}

impl Stage {
    /// One that moves elements to an array with the axes in another order.
    pub(crate) fn transpose(from: &ArrayDesc, to: &ArrayDesc) -> Stage {
        let work = StageWork::Reorder { orders: vec![], way: AccessPattern::Gather };
        Stage { from: from.clone(), to: to.clone(), work }
    }

    /// A step of a complex FFT from array to array, or in place.
    pub(crate) fn fft_step(from: &ArrayDesc, to: &ArrayDesc, step: FftStep) -> Stage {
        Stage { from: from.clone(), to: to.clone(), work: StageWork::FftStep(step) }
    }

    /// Whether it writes where it reads.
    pub fn is_in_place(&self) -> bool {
        matches!(&self.work, StageWork::FftStep(step) if step.in_place)
    }

    /// Whether it is a reorder that tiles are best for: neither side is in runs when the other is
    /// followed.
    pub fn is_tiled(&self) -> bool {
        let keeps = |(_, order): &(usize, Order)| matches!(order, Order::Split(_) | Order::Merge(_));
        let reorders = matches!(&self.work, StageWork::Reorder { orders, .. } if orders.iter().all(keeps));
        reorders && self.from.fastest() != self.to.fastest()
    }
}

impl ArrayDesc {
    /// The caller's array: all axes in their own order.
    pub(crate) fn natural(layout: &Layout, domain: Domain) -> ArrayDesc {
        ArrayDesc { axes: (0..layout.shape.len()).collect(), lengths: layout.shape.clone(), domain }
    }

    /// The same array with its axes in another order.
    pub(crate) fn ordered(&self, axes: &[usize]) -> ArrayDesc {
        ArrayDesc {
            axes: axes.to_vec(),
            lengths: axes.iter().map(|&axis| self.length(axis)).collect(),
            domain: self.domain,
        }
    }

    /// The same with another length along an axis, and in another domain.
    pub(crate) fn with(&self, axis: usize, length: usize, domain: Domain) -> ArrayDesc {
        let new = |(a, n): (&usize, &usize)| if *a == axis { length } else { *n };
        ArrayDesc { axes: self.axes.clone(), lengths: self.axes.iter().zip(&self.lengths).map(new).collect(), domain }
    }

    /// Elements along an axis.
    pub fn length(&self, axis: usize) -> usize {
        self.axes.iter().position(|a| *a == axis).map_or(1, |place| self.lengths[place])
    }

    /// Steps along every axis of the problem, in elements.
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![0; self.axes.len()];
        self.axes.iter().zip(&self.lengths).rev().fold(1usize, |step, (&axis, &n)| {
            strides[axis] = step;
            step.saturating_mul(n)
        });
        strides
    }

    /// The axis that runs fastest.
    pub fn fastest(&self) -> usize {
        self.axes[self.axes.len() - 1]
    }

    /// Real numbers in it.
    pub fn reals(&self) -> usize {
        self.lengths.iter().fold(self.domain.reals(), |product, &n| product.saturating_mul(n))
    }
}

impl Order {
    /// Whether the side that is written is the one in the problem's order: else it is the side that
    /// is read.
    pub fn writes_natural(self) -> bool {
        matches!(self, Order::Merge(_))
    }

    /// Elements of the result for a line of `n`.
    pub fn length(self, n: usize) -> usize {
        match self {
            Order::Split(_) | Order::Merge(_) => n,
            Order::Mirror | Order::Pad => 2 * n,
            Order::OddPlaces => 4 * n,
        }
    }
}

impl Combine {
    /// How many terms of its axis number `i` it goes through: all, or as far as those are mirror
    /// images of others.
    pub fn terms(&self, i: usize) -> usize {
        let n = self.axes[i].n;
        let half = i + 1 == self.axes.len() && self.direction == Direction::Before;
        if half || self.outputs == CombineVariant::All { n / 2 + 1 } else { n }
    }

    /// The factor of all outputs: from half a spectrum, each real is twice a real part.
    fn factor(&self) -> f64 {
        let twice = self.direction == Direction::After && !matches!(self.outputs, CombineVariant::Direct { .. });
        if twice { 2.0 * self.scale } else { self.scale }
    }

    /// e^{−iπk/(2N)}, k < N, for each axis, with its factor on term 0; along the last axis also
    /// with the factor on everything.
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
    /// Of an axis of a problem, with the factor that its sum has beside that of the cosine it is
    /// made of. Only of types II and III.
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
    /// Lengths in the order of memory; where that is not the problem's, with the axes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |list: &[usize], by: &str| list.iter().map(usize::to_string).collect::<Vec<_>>().join(by);
        write!(f, "{}", joined(&self.lengths, "x"))?;
        if self.domain == Domain::Complex {
            f.write_str(" complex")?;
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
        }
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

//! The stages of a kernel: what they do, what they read and write.

use crate::desc::chirp::{Chirp, DigitChirp};
use crate::desc::combine::{CombineStep, HalfSpectra, Matrix, SymmetricLastPass};
use crate::desc::filter::{ElementProduct, SignalProduct, SpectrumProduct, SymmetricProduct};
use crate::desc::table::{RootTable, TwiddleTable};
use fourfold::engine::Index;

/// A loop over independent items.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stage {
    pub(crate) op: StageOp,
    pub(crate) from: Port,
    pub(crate) to: Port,
}

impl Stage {
    /// Whether it takes the first digit, across a cluster.
    pub(crate) fn is_across_cluster(&self) -> bool {
        self.from == Port::ClusterSlices || self.to == Port::Cluster
    }

    /// Whether it touches device memory.
    pub(crate) fn is_outside(&self) -> bool {
        self.from.is_outside() || self.to.is_outside()
    }
}

/// What a stage does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StageOp {
    /// So many elements as they are.
    Copy(usize),
    /// So many elements, from both ends inwards, whose reals are neighbours on the line: they are
    /// read or written together.
    Interleave(usize),
    /// The lines of a block, so many reals each, which the stage before has written to shared memory as they
    /// follow each other in the array: neighbouring threads write neighbours.
    CopyLines(usize),
    /// So many elements, an odd number, in the order of their reals on the line: neighbouring threads
    /// write neighbours.
    LineOrder(usize),
    Butterflies(Split),
    /// The first DFTs of a digit that is convolved by Bluestein's rule: of its values times the chirp.
    Chirp {
        split: Split,
        chirp: DigitChirp,
    },
    /// The last DFTs back, whose results times the chirp are those of the digit.
    Unchirp {
        split: Split,
        chirp: DigitChirp,
    },
    /// The last DFTs there of a digit that is convolved, times the spectrum, and the first DFTs back. Of the spectrum,
    /// element j of number k is pair j · `split.inner` + k from place `spectrum` of the table on.
    ConvolveDigit {
        split: Split,
        spectrum: usize,
    },
    /// Small DFTs of the last digit, times the spectrum that the line is convolved with, and DFTs
    /// back. Of the spectrum, element j of number i is pair j · `split.inner` + i from place
    /// `spectrum` of the table on.
    ConvolveLine {
        split: Split,
        spectrum: usize,
    },
    /// From half spectra of `n` reals what the line becomes; `roots` w_n^k are for pairs.
    HalfSpectraToLine {
        n: usize,
        roots: RootTable,
        steps: Vec<CombineStep>,
    },
    /// From the half spectra of three quarters of an extension, element 3t + s of the line that of
    /// quarter s, what the line becomes.
    SymmetricLastPass(SymmetricLastPass),
    /// Half spectra of `n` reals from the line, as what a transform back to reals takes.
    LineToHalfSpectra {
        n: usize,
        roots: RootTable,
        terms: HalfSpectra,
    },
    /// What is between a transform and one back: the spectrum, multiplied where it stands.
    SpectrumProduct(SpectrumProduct),
    /// The same of three quarters of an extension, and of the other one back.
    SymmetricProduct(SymmetricProduct),
    /// The same of complex elements.
    ElementProduct(ElementProduct),
    /// What is between two transforms whose spectra are the first input and the last output: the
    /// signal, with its parts exchanged, multiplied where it stands.
    SignalProduct(SignalProduct),
}

impl StageOp {
    /// Whether elements are multiplied between a transform and one back.
    pub(crate) fn is_product(&self) -> bool {
        matches!(
            self,
            StageOp::SpectrumProduct(_)
                | StageOp::SymmetricProduct(_)
                | StageOp::ElementProduct(_)
                | StageOp::SignalProduct(_)
        )
    }

    /// Whether it takes terms k and N − k of half spectra together.
    pub(crate) fn takes_pairs(&self) -> bool {
        matches!(
            self,
            StageOp::HalfSpectraToLine { .. }
                | StageOp::SymmetricLastPass(_)
                | StageOp::LineToHalfSpectra { .. }
                | StageOp::SpectrumProduct(_)
                | StageOp::SymmetricProduct(_)
        )
    }

    /// Its small DFTs, if it has some.
    pub(crate) fn split(&self) -> Option<&Split> {
        match self {
            StageOp::Butterflies(split)
            | StageOp::Chirp { split, .. }
            | StageOp::Unchirp { split, .. }
            | StageOp::ConvolveDigit { split, .. }
            | StageOp::ConvolveLine { split, .. } => Some(split),
            _ => None,
        }
    }

    /// Items of a line, in the longest of the stage's loops.
    pub(crate) fn items(&self) -> usize {
        match self {
            StageOp::Copy(n)
            | StageOp::CopyLines(n)
            | StageOp::LineOrder(n)
            | StageOp::ElementProduct(ElementProduct { n, .. })
            | StageOp::SignalProduct(SignalProduct { n, .. }) => *n,
            StageOp::Interleave(count) => count.div_ceil(2),
            StageOp::Butterflies(split)
            | StageOp::Chirp { split, .. }
            | StageOp::Unchirp { split, .. }
            | StageOp::ConvolveDigit { split, .. }
            | StageOp::ConvolveLine { split, .. } => split.count(),
            StageOp::HalfSpectraToLine { steps, .. } => steps.iter().map(CombineStep::count).max().unwrap_or(0),
            StageOp::SymmetricLastPass(pass) | StageOp::SymmetricProduct(SymmetricProduct { there: pass, .. }) => {
                pass.len / 2 + 1
            }
            StageOp::LineToHalfSpectra { n, .. } | StageOp::SpectrumProduct(SpectrumProduct { n, .. }) => n / 2 + 1,
        }
    }
}

/// One end of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Port {
    /// The line's buffer in shared memory.
    Buffer,
    /// The line's buffer in device memory.
    Scratch,
    /// The buffers of the cluster: each block has two values of the first digit, and all of
    /// the others.
    Cluster,
    /// The same memory: each block has all values of the first digit, and a slice of the others.
    ClusterSlices,
    /// The array that the pass reads, or the one that it writes.
    Array(View),
}

impl Port {
    /// Whether it is in device memory.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(self, Port::Scratch | Port::Array(_))
    }

    /// An array whose elements are those of a convolution along the whole line.
    pub(crate) fn chirped(&self) -> Option<(&View, &Chirp)> {
        match self {
            Port::Array(view) => Some((view, view.chirp.as_ref()?)),
            _ => None,
        }
    }
}

/// How the elements of an array are seen as complex numbers. Tables are named by where they begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct View {
    /// Real m of the line stands where the order with this number says.
    pub(crate) order: Option<usize>,
    /// Element 3t + s is number 4t + s of the order: a fourth quarter is not read.
    pub(crate) of_four: bool,
    /// Elements have real and imaginary part exchanged.
    pub(crate) exchanged: bool,
    /// Only numbers of the order in this range are written, and odd ones of three quarters: the
    /// others are mirror images of these.
    pub(crate) kept: Option<[usize; 2]>,
    /// Everything is multiplied by `table[scale]`.
    pub(crate) scale: Option<usize>,
    /// Element e is the matrix e of two reals of the line, or these are the matrix e of the
    /// element.
    pub(crate) combined: Option<([Index; 2], Matrix)>,
    /// Elements from both ends inwards have neighbouring reals: even places ascending, then odd
    /// places descending.
    pub(crate) halves: bool,
    /// Elements are those of a convolution along the whole line.
    pub(crate) chirp: Option<Box<Chirp>>,
}

/// An order of reals: from `first` of a piece on, real m stands at `index.start + index.step · m`
/// of the line, times `factor` if it has one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) pieces: Vec<Piece>,
}

impl Order {
    /// Whether four elements of the line that are neighbours are in four pieces.
    pub(crate) fn has_four_runs(&self) -> bool {
        self.pieces.iter().any(|piece| piece.index.step.abs() == 4)
    }
}

/// See [`Order`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) first: usize,
    pub(crate) index: Index,
    pub(crate) factor: Option<f64>,
}

// Factors are finite and never −0.
impl Eq for Order {}

impl std::hash::Hash for Order {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for piece in &self.pieces {
            (piece.first, piece.index, piece.factor.map(f64::to_bits)).hash(state);
        }
    }
}

/// Small DFTs of `radix` elements: element j of number i stands at place `base(i)` + j · `groups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Split {
    pub(crate) radix: usize,
    /// Values of the digits after this one.
    pub(crate) groups: usize,
    /// Values of the digits before it.
    pub(crate) inner: usize,
    /// Those of j = 1, 2, 4, …, if there are digits before this one.
    pub(crate) twiddles: TwiddleTable,
    /// Whether these come after the butterflies, as they do on the way back from a spectrum.
    pub(crate) inverse: bool,
    /// If the places are those of a digit that is convolved by Rader's rule.
    pub(crate) rader: Option<Rader>,
}

/// A digit of p values, whose values but 0 are a sequence: element q is the value `indices[powers +
/// q]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rader {
    /// p − 1.
    pub(crate) length: usize,
    pub(crate) powers: usize,
    /// Values of the digits after and before this one.
    pub(crate) groups: usize,
    pub(crate) inner: usize,
    /// The digit's own twiddles, of every j, for the stage that applies them.
    pub(crate) twiddles: Option<TwiddleTable>,
}

impl Rader {
    /// Among which elements of an array the digit's are.
    pub(crate) fn elements(&self) -> [usize; 2] {
        [0, (self.length + 1) * self.groups * self.inner]
    }
}

impl Split {
    /// Among which elements of an array numbers j of its small DFTs are.
    pub(crate) fn elements(&self, j: usize) -> [usize; 2] {
        self.rader.map_or([j * self.groups, (j + 1) * self.groups], |rader| rader.elements())
    }

    /// Whether its small DFTs are taken in the order of frequencies, in which the array has them that they are written to.
    pub(crate) fn is_by_frequency(&self, to: &Port) -> bool {
        !self.inverse && self.rader.is_none() && matches!(to, Port::Array(_))
    }

    /// How many small DFTs a line has.
    pub(crate) fn count(&self) -> usize {
        self.inner * self.groups * self.rader.map_or(1, |rader| rader.inner * rader.groups)
    }
}

//! All that specialises a kernel, as pure data: a kernel is a function of its [`KernelDesc`].
//!
//! A pass takes every line of an axis through a chain of [`Stage`]s. A stage is a loop over
//! independent items: each reads some numbers of its line, computes, and writes as many *where it
//! has read them*. So a line needs one buffer, and one barrier between stages. (In clusters two
//! stages are done as one, with the barrier between an exchange of what each item needs of another:
//! `kernels/joint.rs`.)
//!
//! **Places.** A DFT of length r₁·r₂⋯ works on a buffer whose places have the digits d₁, d₂, … (d₁
//! the most significant). Before stage i, digits from i on are those of the time n = d₁·r₂r₃⋯ +
//! d₂·r₃⋯ + …; every stage roots its digit into one of the frequency k = d₁ + d₂·r₁ + d₃·r₁r₂ + ….
//! So signals stand in order, and spectra in the order of reversed digits. Stages in reverse, with
//! their twiddles after the butterflies, lead back from such a spectrum to a signal in order.
//!
//! **Kernels.** Where a line fits the shared memory of a block, one kernel runs the whole
//! chain. The buffers of longer lines are in device memory; a kernel then takes what stages it can,
//! those of neighbouring digits, on a *subline* of the places: all values of these digits, with the
//! others fixed (the four-step method, without its transposition).
//!
//! **Planes.** Where a part of the array over several axes fits shared memory, one kernel runs the
//! passes along all of them: a block reads its part, has it in shared memory between passes,
//! and writes it.
//!
//! **Clusters.** Where blocks reach each other's shared memory, a *cluster* of them has the
//! buffers of a tile together, and one kernel runs both: the first digit across the blocks,
//! the subline of all others within each. Block c has the frequencies c and r₁ − c of the first
//! digit (0: those of 0 and r₁/2), so that combines find terms k and N − k at home.
//!
//! **Twins.** Lines along memory whose elements from both ends inwards have neighbouring reals are
//! read, or written, by threads in twos, which exchange registers: `kernels/twins.rs`.

use fourfold::Precision;
use fourfold::engine::Index;

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KernelDesc {
    pub(crate) precision: Precision,
    pub(crate) stages: Vec<Stage>,
    /// Factors of the DFT in the order of the digits.
    pub(crate) digits: Vec<Digit>,
    pub(crate) range: DigitRange,
    /// Whether the buffer between stages is in shared memory; else the one stage of the kernel works
    /// in device memory.
    pub(crate) shared: bool,
    /// How many lines there are; two that are packed as one count as one.
    pub(crate) lines: usize,
    /// Sublines that a block has, or, with buffers in device memory, all.
    pub(crate) tile: usize,
    /// Blocks that share a tile; 1 without a cluster. The subline is then that of all digits
    /// but the first.
    pub(crate) cluster: usize,
    /// Whether the sublines of frequencies b and −b, which a block has together, have threads
    /// each, and are not done one after the other.
    pub(crate) side_by_side: bool,
    /// Whether neighbouring lines are closer in memory than the elements of one.
    pub(crate) across: bool,
    /// Threads of a block.
    pub(crate) threads: usize,
    pub(crate) geometry: Geometry,
    pub(crate) packing: Packing,
    /// Whether a spectrum is transformed back.
    pub(crate) inverse: bool,
    /// Bits of a place after which shared memory skips one, so that strides of powers of two meet
    /// different banks.
    pub(crate) padding: [u32; 2],
    /// What is done to everything that the pass reads, and to everything that it writes.
    pub(crate) pointwise: [Option<Pointwise>; 2],
    /// Orders of elements, named by their number.
    pub(crate) orders: Vec<Order>,
    /// Whether the first, and the last, stage have twins: threads of a warp whose DFTs have
    /// elements from both ends of a line inwards, whose reals are neighbours. Each reads, or
    /// writes, half of them for both.
    pub(crate) lane_pairs: [bool; 2],
    /// Whether indices need 64 bits.
    pub(crate) wide: bool,
    /// Whether nobody soon reads again what it reads, and what it writes, so that caches had better
    /// keep something else.
    pub(crate) evict_first: [bool; 2],
    /// The pass along another axis that this kernel goes on with: the block has all of its
    /// lines, in shared memory.
    pub(crate) next: Option<Box<KernelDesc>>,
    /// Reals of that part of the array.
    pub(crate) between: usize,
}

impl KernelDesc {
    /// The passes of the kernel, in order.
    pub(crate) fn passes(&self) -> impl Iterator<Item = &KernelDesc> {
        std::iter::successors(Some(self), |desc| desc.next.as_deref())
    }
}

/// What is done to every element of an array, on its way in or out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pointwise {
    /// Each is multiplied by its factor; elements have so many reals, factors are complex or real.
    Multiply { parts: usize, complex: bool, factors: Factors },
    /// Reals of magnitudes below `table[at]` become 0.
    Threshold(usize),
}

/// The factors of a multiplier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Factors {
    /// One for each place of the array's memory, from this place of the table on, an even one.
    Table(usize),
    /// Products of one for each axis.
    Separable(Vec<AxisFactors>),
}

/// The factors along an axis of an array in C order without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AxisFactors {
    pub(crate) size: usize,
    /// Elements from one place on the axis to the next.
    pub(crate) stride: usize,
    /// Where they begin in the table.
    pub(crate) at: usize,
}

/// A digit of the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digit {
    /// How many values it has.
    pub(crate) radix: usize,
    /// How many it has room for: more while it is convolved by Bluestein's rule.
    pub(crate) room: usize,
}

/// The digits that a kernel works on: `first .. last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DigitRange {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl DigitRange {
    /// All of so many digits.
    pub(crate) fn all(digits: usize) -> DigitRange {
        DigitRange { first: 0, last: digits }
    }
}

/// How the numbers of lines stand in a complex buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Packing {
    /// The data are complex.
    Complex,
    /// The real data of two lines: one is the real, the other the imaginary part.
    TwoForOne,
    /// The real data of one line, two neighbours as one complex number.
    HalfLength,
    /// The real data of one line, with imaginary parts 0.
    Single,
}

impl Packing {
    /// How many lines stand in one buffer.
    pub(crate) fn lines(self) -> usize {
        if self == Packing::TwoForOne { 2 } else { 1 }
    }

    /// Complex elements of DFTs of `n` elements.
    pub(crate) fn elements(self, n: usize) -> usize {
        if self == Packing::HalfLength { n / 2 } else { n }
    }
}

/// Where the lines of a pass lie. Strides and offsets count reals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Geometry {
    pub(crate) input: Side,
    pub(crate) output: Side,
    /// The axes across which lines lie, the innermost first.
    pub(crate) axes: Vec<Across>,
    /// If two lines are packed as one.
    pub(crate) pair: Option<Pair>,
}

/// The axis on which lines that are packed as one are neighbours. It is among the axes across, at
/// half its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub(crate) across: Across,
    /// Lines with one place on this axis.
    pub(crate) stride: usize,
}

/// One array of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// Of the first element of the first line.
    pub(crate) offset: i64,
    /// Along the line.
    pub(crate) stride: i64,
    pub(crate) complex: bool,
    /// Whether it is the block's own part of the array, in shared memory.
    pub(crate) shared: bool,
}

/// One axis across the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Across {
    pub(crate) size: usize,
    pub(crate) input: i64,
    pub(crate) output: i64,
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
    /// The same memory: each block has all values of the first digit, and a share of the
    /// others.
    ClusterSlices,
    /// The array that the pass reads, or the one that it writes.
    Array(View),
}

impl Port {
    /// Whether it is in device memory.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(self, Port::Scratch | Port::Array(_))
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
    /// Everything is multiplied by `table[scale]`.
    pub(crate) scale: Option<usize>,
    /// Element e is the matrix e of two reals of the line, or these are the matrix e of the
    /// element.
    pub(crate) combined: Option<([Index; 2], Matrix)>,
    /// Elements from both ends inwards have neighbouring reals: even places ascending, then odd
    /// places descending.
    pub(crate) halves: bool,
}

/// An order of reals: from `starts[i]` on, real m stands at `index.start + index.step · m` and has
/// the factor `factor`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) pieces: Vec<Piece>,
}

/// See [`Order`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) first: usize,
    pub(crate) index: Index,
    pub(crate) factor: f64,
}

// Factors are finite and never −0.
impl Eq for Order {}

impl std::hash::Hash for Order {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for piece in &self.pieces {
            (piece.first, piece.index, piece.factor.to_bits()).hash(state);
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
    /// w^{jk} at `table[2 · ((j − 1) · inner + k)]`, k counting the values of the digits before, if
    /// there are any.
    pub(crate) twiddles: usize,
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
    /// Where the digit's own twiddles begin, for the stage that applies them.
    pub(crate) twiddles: Option<usize>,
}

impl Split {
    /// How many small DFTs a line has.
    pub(crate) fn count(&self) -> usize {
        self.inner * self.groups * self.rader.map_or(1, |rader| rader.inner * rader.groups)
    }
}

/// Part of a combine: [`fourfold::engine::Step`] with its coefficients in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Zero { to: Index },
    One { count: usize, from: Index, to: Index, by: usize },
    Two { count: usize, from: [Index; 2], to: [Index; 2], matrix: Matrix },
}

/// The 2×2 matrices of a combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matrix {
    /// One for all, at this place.
    Same(usize),
    /// \[a, b, b, −a\] for each, as pairs (a, b).
    Reflections(usize),
    /// \[a, b, −b, a\] for each, as pairs (a, b).
    Rotations(usize),
}

/// A loop over independent items.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stage {
    pub(crate) work: Work,
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
pub(crate) enum Work {
    /// So many elements as they are.
    Copy(usize),
    /// So many elements, from both ends inwards, whose reals are neighbours on the line: they are
    /// read or written together.
    Interleave(usize),
    Butterflies(Split),
    /// The digit of `radix` values times Bluestein's chirp, then zeros up to its `room`.
    Chirp {
        radix: usize,
        room: usize,
        groups: usize,
        chirp: usize,
    },
    /// The digit, convolved, times the chirp.
    Unchirp {
        radix: usize,
        groups: usize,
        chirp: usize,
    },
    /// Spectra of a digit times the one that they are convolved with.
    Convolve {
        length: usize,
        groups: usize,
        spectrum: usize,
        rader: Option<Rader>,
    },
    /// From half spectra of `n` reals what the line becomes; w_n^k from place `roots` of the table on, for pairs.
    After {
        n: usize,
        roots: usize,
        parts: Vec<Part>,
    },
    /// From the half spectra of three quarters of an extension, element 3t + s of the line that of
    /// quarter s, what the line becomes.
    Fold(Fold),
    /// Half spectra of `n` reals from the line, as what a transform back to reals takes.
    Before {
        n: usize,
        roots: usize,
        terms: Terms,
    },
}

/// See [`fourfold::engine::Fold`]. Its coefficients are in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fold {
    pub(crate) sine: bool,
    /// The length h of a quarter.
    pub(crate) len: usize,
    /// w_h^k, for pairs.
    pub(crate) roots: usize,
    /// The scale, it times √2, and it on the first and the last output.
    pub(crate) scales: usize,
    /// Four numbers for each k from 1 on.
    pub(crate) table: usize,
}

/// Half spectra as combines make them: term 0, the terms from 1 on, and with even n the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Terms {
    /// Real number and factor; 0 without.
    pub(crate) first: Option<(usize, usize)>,
    pub(crate) inner: Option<([Index; 2], Matrix)>,
    pub(crate) last: Option<(usize, usize)>,
}

impl Work {
    /// Items of a line, in the longest of the stage's loops.
    pub(crate) fn items(&self) -> usize {
        match self {
            Work::Copy(count) => *count,
            Work::Interleave(count) => count / 2,
            Work::Butterflies(split) => split.count(),
            Work::Chirp { room, groups, .. } => room * groups,
            Work::Unchirp { radix, groups, .. } => radix * groups,
            Work::Convolve { length, groups, rader, .. } => {
                length * rader.map_or(*groups, |rader| rader.groups * rader.inner)
            }
            Work::After { parts, .. } => parts.iter().map(Part::count).max().unwrap_or(0),
            Work::Fold(fold) => fold.len / 2 + 1,
            Work::Before { n, .. } => n / 2 + 1,
        }
    }
}

/// Which terms of a half spectrum a part of a combine takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Which {
    First,
    /// `first` + `step` · i.
    Inner {
        first: usize,
        step: usize,
    },
    /// N/2 of an even N.
    Last,
}

impl Part {
    /// The terms of half spectra of `n` reals that it takes.
    pub(crate) fn which(&self, n: usize) -> Which {
        let index = match self {
            Part::Zero { .. } => return Which::First,
            Part::One { from, .. } | Part::Two { from: [from, _], .. } => from,
        };
        match (index.start as usize, index.step) {
            (0, _) => Which::First,
            (start, 0) if start == n - 1 && n % 2 == 0 => Which::Last,
            (start, step) => Which::Inner { first: start.div_ceil(2), step: (step as usize / 2).max(1) },
        }
    }

    /// Whether it takes all terms between the ends, or an end.
    pub(crate) fn takes_all(&self, n: usize) -> bool {
        match self.which(n) {
            Which::First | Which::Last => true,
            Which::Inner { first, step } => (first, step, self.count()) == (1, 1, (n - 1) / 2),
        }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Part::Zero { .. } => 1,
            Part::One { count, .. } | Part::Two { count, .. } => *count,
        }
    }
}

//! All that specialises a kernel, as data: a kernel is a function of its [`KernelDesc`].
//!
//! A pass takes every line of an axis through a pipeline of [`Stage`]s. A stage is a loop over
//! independent items: each reads some numbers of its line, computes, and writes as many *where it
//! has read them*. So a line needs one buffer, and one barrier between stages. (In
//! clusters, and in some blocks of whole lines, the last digit's DFTs and the combine are one stage:
//! `write/combine_fusion.rs`.)
//!
//! **Places.** A DFT of length r₁·r₂⋯ works on a buffer whose places have the digits d₁, d₂, … (d₁
//! the most significant). Before stage i, digits from i on are those of the time n = d₁·r₂r₃⋯ +
//! d₂·r₃⋯ + …; every stage transforms its digit into one of the frequency k = d₁ + d₂·r₁ +
//! d₃·r₁r₂ + …. So signals stand in order, and spectra in the order of reversed digits. Stages in
//! reverse, with their twiddles after the butterflies, lead back from such a spectrum to a signal
//! in order.
//!
//! **Digit ranges.** Where a line fits the shared memory of a block, one kernel runs all stages.
//! The buffers of longer lines are in device memory. A kernel then runs the stages of neighbouring
//! digits, its [`DigitRange`], on *sublines*: the places with all values of these digits, and the
//! others fixed (the four-step method, without its transposition).
//!
//! **Hermitian pairs.** Combines of half spectra take terms k and N − k together. A block whose
//! sublines are those of a frequency b of the digits before the range therefore has the sublines
//! of −b too, and both count as one.
//!
//! **Halves.** Of a DCT-I or DST-I that is packed as [`Packing::Quarters`], terms k and N − k give the same
//! outputs; of an odd number of reals that are packed as [`Packing::Single`], they are conjugates. Kernels on
//! ranges of digits compute those with the lower half of the frequencies of the first range's digits
//! (`write/kept_frequencies.rs`).
//!
//! **Rows.** What short lines along memory become stands in shared memory as it will in the array, before a
//! last stage writes it ([`KernelDesc::before_rows`]).
//!
//! **Axis fusion.** Where a part of the array over several axes fits shared memory, one kernel runs
//! the passes along all of them: a block reads its part, keeps it in shared memory between passes,
//! and writes it. If an axis that is not transformed is innermost, or beside a short one, the part has a run of
//! neighbours along it.
//!
//! **Clusters.** Where blocks reach each other's shared memory, a *cluster* of them has the buffers
//! of a tile together. One kernel runs the first digit across the blocks and others within each: all
//! others, or those of the first range. Block c has the frequencies c and r₁ − c of the first digit (0: those of
//! 0 and r₁/2), so that combines find terms k and N − k in the block's own memory.
//!
//! **Filters.** A transform, a multiply and a transform back are one kernel where a block or a
//! cluster has whole lines. The stages back begin where the others end, so that the spectrum stays
//! in the order of reversed digits, and the product's stage works in place (`desc/filter.rs`).
//! Symmetric transforms lead back from the spectrum that they led to. Where types III come first, a
//! signal stands between both.
//!
//! **Lane pairs.** Lines along memory whose elements from both ends inwards have neighbouring reals
//! are read, or written, by pairs of threads that exchange registers: `write/lane_pairs.rs`.

use crate::desc::geometry::Geometry;
use crate::desc::pointwise::Pointwise;
use crate::desc::stage::{Order, Stage};
use fourfold::engine::{Factor, QUARTERS, length};
use fourfold::{Precision, Storage};

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KernelDesc {
    /// The type of reals in the arrays that it reads and writes.
    pub(crate) storage: Storage,
    pub(crate) stages: Vec<Stage>,
    /// Factors of the DFT in the order of the digits.
    pub(crate) digits: Vec<Digit>,
    pub(crate) range: DigitRange,
    /// Whether the buffer between stages is in shared memory; else the one stage of the kernel
    /// works in device memory.
    pub(crate) shared: bool,
    /// How many lines there are; two that are packed as one count as one.
    pub(crate) lines: usize,
    /// Lines of the innermost axis across, if these are few and lines are cut into sublines: all parts of them come
    /// before the next lines. Else all lines.
    pub(crate) near: usize,
    /// Sublines that a block has, or, with buffers in device memory, all.
    pub(crate) tile: usize,
    /// Values of the digits of the first range, where only the lower half of their frequencies is
    /// computed, since the others have the same terms or conjugate ones; else 0.
    pub(crate) halved: usize,
    /// Blocks that have a tile together; 1 without a cluster, with which the range begins with the
    /// second digit.
    pub(crate) cluster: usize,
    /// Whether the two sublines of a Hermitian pair have threads each, and are not done one after
    /// the other.
    pub(crate) side_by_side: bool,
    /// Reals of a line of the output, if its lines follow each other in memory; else 0.
    pub(crate) row: usize,
    /// Whether neighbouring lines are closer in memory than the elements of one.
    pub(crate) across: bool,
    /// Threads of a block.
    pub(crate) threads: usize,
    /// Blocks on an SM for which the compiler shall leave registers; 0 if it may choose.
    pub(crate) resident: usize,
    pub(crate) geometry: Geometry,
    pub(crate) packing: Packing,
    /// Whether a spectrum becomes a signal; it may be that of another signal.
    pub(crate) inverse: bool,
    /// For each entry, one place is left out after every so many places of a buffer, so that even strides meet
    /// different banks.
    pub(crate) padding: [usize; 2],
    /// So many places are left out after each subline where these stand one after another in shared memory, so
    /// that threads with several of them meet different banks.
    pub(crate) gap: usize,
    /// What is done to everything that the pass reads, to everything that it writes, and to the
    /// spectrum between a transform and one back.
    pub(crate) pointwise: [Option<Pointwise>; 3],
    /// Orders of elements, named by their number.
    pub(crate) orders: Vec<Order>,
    /// Whether the first, and the last, stage have lane pairs: two threads of a warp whose DFTs
    /// have elements from both ends of a line inwards, whose reals are neighbours. Each reads, or
    /// writes, half of them for both.
    pub(crate) lane_pairs: [bool; 2],
    /// Threads of a warp, if they may exchange registers.
    pub(crate) warp: usize,
    /// Whether indices need 64 bits.
    pub(crate) wide: bool,
    /// Whether caches should evict first what the kernel reads, and what it writes: nothing reads
    /// that again soon.
    pub(crate) evict_first: [bool; 2],
    /// With axis fusion, the pass along another axis that this kernel goes on with: the block has
    /// all of its lines, in shared memory.
    pub(crate) next: Option<Box<KernelDesc>>,
    /// Reals of that part of the array.
    pub(crate) between: usize,
}

impl KernelDesc {
    /// Whether the DFTs of all digits are one stage of butterflies.
    pub(crate) fn has_one_stage(&self) -> bool {
        self.digits.iter().map(|digit| digit.stages).sum::<usize>() == 1
    }

    /// The type of all other reals: in registers, shared memory, tables and the buffers of long lines.
    pub(crate) fn precision(&self) -> Precision {
        self.storage.precision()
    }

    /// The passes of the kernel, in order.
    pub(crate) fn passes(&self) -> impl Iterator<Item = &KernelDesc> + Clone {
        std::iter::successors(Some(self), |desc| desc.next.as_deref())
    }
}

/// A digit of the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digit {
    /// How many values it has.
    pub(crate) radix: usize,
    /// How many it has room for: more while it is convolved by Bluestein's rule.
    pub(crate) room: usize,
    /// Stages that its DFTs take: several, if it is convolved.
    pub(crate) stages: usize,
}

impl Digit {
    pub(crate) fn of(factor: &Factor) -> Digit {
        let (room, stages) = match factor {
            // DFTs there and back, of which the last ones there and the first ones back are one stage.
            Factor::Rader(p, parts) => (*p, 2 * parts.len() - 1),
            Factor::Bluestein(_, parts) => (length(parts), 2 * parts.len() - 1),
            other => (other.length(), 1),
        };
        Digit { radix: factor.length(), room, stages }
    }
}

/// How many values digits have together.
pub(crate) fn values(digits: &[Digit]) -> usize {
    digits.iter().map(|digit| digit.radix).product()
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
    /// Of a DCT-I or DST-I of one line whose quarters have odd length: the two quarters with even
    /// elements of the extension as one complex line, and the one with odd elements, with imaginary
    /// parts 0 (`write/odd_quarters.rs`).
    Quarters,
}

impl Packing {
    /// How many lines stand in one buffer.
    pub(crate) fn lines(self) -> usize {
        if self == Packing::TwoForOne { 2 } else { 1 }
    }

    /// Whether a complex number has two reals of the line, or one of each of two lines.
    pub(crate) fn has_two_reals(self) -> bool {
        !matches!(self, Packing::Single | Packing::Quarters)
    }

    /// Complex lines that have the three quarters of an extension.
    pub(crate) fn quarters(self) -> usize {
        if self == Packing::Quarters { 2 } else { QUARTERS }
    }

    /// Complex elements of DFTs of `n` elements.
    pub(crate) fn elements(self, n: usize) -> usize {
        if self == Packing::HalfLength { n / 2 } else { n }
    }
}

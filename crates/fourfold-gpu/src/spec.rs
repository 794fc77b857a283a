//! All that specialises a kernel, as pure data: a kernel is a function of its [`Spec`].
//!
//! A pass takes every line of an axis through a chain of [`Stage`]s. A stage is a loop over independent items: each reads some
//! numbers of its line, computes, and writes as many. From stage to stage the line moves between two buffers; only the first
//! stage reads the input array, and only the last writes the output array.
//!
//! Where two buffers of a line fit the local memory of a work group, one kernel runs the whole chain, with a barrier after each stage.
//! Longer lines have their buffers in device memory, and each stage is a kernel of its own.

use fourfold::Precision;
use fourfold::engine::Index;

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spec {
    pub(crate) precision: Precision,
    pub(crate) stages: Vec<Stage>,
    /// Whether the buffers are in local memory.
    pub(crate) local: bool,
    /// How many lines there are.
    pub(crate) lines: usize,
    /// Lines that a work group has, or, with buffers in device memory, all.
    pub(crate) tile: usize,
    /// Whether neighbouring threads take neighbouring lines, and not neighbouring items of one.
    pub(crate) across: bool,
    /// Threads of a work group.
    pub(crate) threads: usize,
    /// Reals that one line needs.
    pub(crate) room: Room,
    pub(crate) geometry: Geometry,
    /// Whether indices need 64 bits.
    pub(crate) wide: bool,
}

/// Reals that one line needs in its buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Room {
    /// In each of the two.
    pub(crate) buffer: usize,
    /// Beside them: what convolutions hold back.
    pub(crate) side: usize,
}

/// Where the lines of a pass lie. Strides and offsets count reals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Geometry {
    pub(crate) input: Side,
    pub(crate) output: Side,
    /// The axes across which lines lie, the innermost first.
    pub(crate) axes: Vec<Across>,
}

/// One array of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// Of the first element of the first line.
    pub(crate) offset: i64,
    /// Along the line.
    pub(crate) stride: i64,
    pub(crate) complex: bool,
}

/// One axis across the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Across {
    pub(crate) size: usize,
    pub(crate) input: i64,
    pub(crate) output: i64,
}

/// Where a stage reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Input,
    Output,
    Buffer(usize),
}

/// How the numbers at one end of a stage are seen. Tables are named by where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Port {
    pub(crate) place: Place,
    /// Complex elements are single reals (imaginary parts are 0 when read, and dropped when written), not pairs.
    pub(crate) single: bool,
    /// Real m stands at `indices[order + m]`.
    pub(crate) order: Option<usize>,
    /// Real m is multiplied by `table[gain + m]`.
    pub(crate) gain: Option<usize>,
    /// Elements have real and imaginary part exchanged.
    pub(crate) exchanged: bool,
    /// Everything written is multiplied by `table[scale]`.
    pub(crate) scale: Option<usize>,
}

impl Port {
    pub(crate) fn plain(place: Place) -> Port {
        Port { place, single: false, order: None, gain: None, exchanged: false, scale: None }
    }
}

/// Small DFTs of `radix` elements: `batch` sequences, each `groups` · `inner` of them (see [`fourfold::RADICES`] and the core's
/// mixed-radix rule).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Split {
    pub(crate) batch: usize,
    pub(crate) groups: usize,
    pub(crate) inner: usize,
    pub(crate) radix: usize,
    /// w^{jk} at `table[2 · ((j − 1) · inner + k)]`, if `inner` is not 1.
    pub(crate) twiddles: usize,
}

impl Split {
    /// How many small DFTs.
    pub(crate) fn count(&self) -> usize {
        self.batch * self.groups * self.inner
    }
}

/// How a small DFT without a butterfly becomes a convolution (the core's Rader and Bluestein rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Convolution {
    /// Of length radix − 1: `indices` has g^q, then g^{−q}; what belongs to element 0 waits at the reals from `side`.
    Rader { powers: usize, side: usize },
    /// Of the given length: `table` has the chirp.
    Bluestein { chirp: usize, length: usize },
}

impl Convolution {
    /// The length of the convolution for a DFT of `radix` elements.
    pub(crate) fn length(&self, radix: usize) -> usize {
        match self {
            Convolution::Rader { .. } => radix - 1,
            Convolution::Bluestein { length, .. } => *length,
        }
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
    /// One for each.
    Each(usize),
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

/// What a stage does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// So many elements as they are.
    Copy(usize),
    Combine(Vec<Part>),
    Butterflies(Split),
    /// M terms of the DFT of pairs to the half spectrum of 2M reals; w_N^k from `turns` on.
    Unpack {
        terms: usize,
        turns: usize,
    },
    /// The reverse.
    Pack {
        terms: usize,
        turns: usize,
    },
    /// The half spectrum of an odd number of reals to a whole spectrum.
    Extend(usize),
    /// The elements of small DFTs to signals that are to be convolved.
    Scatter(Split, Convolution),
    /// Their spectra times those at `spectrum`, `batch` · of them.
    Convolve {
        batch: usize,
        length: usize,
        spectrum: usize,
        side: Option<usize>,
    },
    /// What was convolved back to the elements of small DFTs.
    Gather(Split, Convolution),
}

impl Spec {
    /// Bits of an index that local memory skips one real after, so that strides of powers of two meet different banks.
    pub(crate) fn padding(&self) -> Option<u32> {
        (self.local && !self.across).then_some(5)
    }

    /// Reals of one line's buffer with its padding.
    pub(crate) fn padded(&self) -> usize {
        let reals = self.room.buffer;
        self.padding().map_or(reals, |bits| reals + (reals >> bits) + 1)
    }

    /// Reals of both buffers and the side of all lines of a tile.
    pub(crate) fn reals(&self) -> usize {
        self.tile * (2 * self.padded() + self.room.side)
    }

    /// Reals of local memory.
    pub(crate) fn local_reals(&self) -> usize {
        if self.local && self.stages.len() > 1 { self.reals() } else { 0 }
    }

    /// Work groups of a launch.
    pub(crate) fn groups(&self) -> usize {
        if self.local {
            return self.lines.div_ceil(self.tile);
        }
        let items = self.stages.iter().map(|stage| stage.work.items()).max().unwrap_or(1);
        (items * self.lines).div_ceil(self.threads)
    }
}

impl Work {
    /// Items of a line, in the longest of the stage's loops.
    pub(crate) fn items(&self) -> usize {
        match self {
            Work::Copy(count) => *count,
            Work::Combine(parts) => parts.iter().map(Part::count).max().unwrap_or(0),
            Work::Butterflies(split) => split.count(),
            Work::Unpack { terms, .. } | Work::Pack { terms, .. } => terms / 2 + 1,
            Work::Extend(n) => n / 2 + 1,
            Work::Scatter(split, convolution) | Work::Gather(split, convolution) => {
                split.count() * convolution.length(split.radix).max(split.radix)
            }
            Work::Convolve { batch, length, .. } => batch * length,
        }
    }
}

impl Stage {
    /// Whether every item reads all that it overwrites.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.work {
            Work::Copy(_) => true,
            Work::Butterflies(split) => split.count() == 1,
            Work::Combine(parts) => parts.len() == 1 && parts[0].count() == 1,
            _ => false,
        }
    }
}

impl Part {
    pub(crate) fn count(&self) -> usize {
        match self {
            Part::Zero { .. } => 1,
            Part::One { count, .. } | Part::Two { count, .. } => *count,
        }
    }
}

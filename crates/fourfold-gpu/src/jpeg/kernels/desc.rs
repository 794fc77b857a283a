//! All that specialises a kernel of JPEG's blocks, as data.

use crate::ir::narrow::Narrow;
use fourfold::engine::jpeg::{Mode, Order};

/// All that a kernel for blocks depends on; how many there are, and where, it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BlockKernelDesc {
    pub(crate) work: BlockWork,
    pub(crate) mode: Mode,
    pub(crate) order: Order,
    /// Of samples.
    pub(crate) narrow: Narrow,
    /// Whether samples are an image's rows, instead of blocks.
    pub(crate) rows: bool,
    pub(crate) instructions: Instructions,
}

/// What a kernel does with blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockWork {
    /// Coefficients (16 bits) to samples: dequantise, inverse DCT; to 8 bits plus 128 and clamped.
    Inverse,
    /// Samples (8 bits) to coefficients: less 128, DCT, quantise.
    Forward,
    /// As many bytes in and out as the inverse to 8 bits has, with hardly any arithmetic: the
    /// yardstick.
    Move,
    /// The same of the forward transform.
    MoveBack,
}

/// Which instructions of the same arithmetic the forward transform of the fast mode takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Instructions {
    /// Those that convert between integers and reals, which few of an SM's units have.
    Convert,
    /// None: bytes are put into the bits of reals, and rounded by adding what leaves no bits for
    /// fractions.
    #[default]
    Bits,
    /// The same, with as many registers as the compiler likes.
    BitsRoomy,
    /// The same, every thread reading its own samples.
    BitsDirect,
}

/// Integers that every kernel reads, four at a time: the number of blocks; with rows, blocks side
/// by side and eights of samples from a row to the next; then tables of integers.
pub(crate) const HEAD: usize = 4;

//! What one launch of a baseline does, as data: reads, moves, and what is computed on the way.

use crate::ir::statement::{Int, int};
use fourfold::Precision;
use fourfold::baseline::{AccessPattern, Combine, FftStep, Order};

/// All that specialises the kernel of a stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageKernelDesc {
    pub(crate) precision: Precision,
    pub(crate) from: Strided,
    pub(crate) to: Strided,
    pub(crate) work: Move,
}

/// What the kernel does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Move {
    Reorder {
        orders: Vec<(usize, Order)>,
        way: AccessPattern,
    },
    Combine(Combine),
    FftStep(FftStep),
    /// In tiles, since another axis runs fastest where is written.
    Transpose {
        orders: Vec<(usize, Order)>,
    },
}

/// An array as reals: where each element of it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Strided {
    pub(crate) offset: i64,
    /// The axes in the order of memory, the last running fastest, and their lengths.
    pub(crate) axes: Vec<usize>,
    pub(crate) lengths: Vec<usize>,
    /// The same with padding.
    pub(crate) stored: Vec<usize>,
    /// Steps along each axis, by its number.
    pub(crate) strides: Vec<i64>,
    /// Reals from the first to behind the last.
    pub(crate) extent: usize,
}

impl Strided {
    pub(crate) fn length(&self, axis: usize) -> usize {
        self.axes.iter().position(|a| *a == axis).map_or(1, |place| self.lengths[place])
    }

    /// Where an element stands, from its places along the axes in the order of memory.
    pub(crate) fn at(&self, places: &[(usize, Int)]) -> Int {
        places.iter().fold(int(0) + self.offset, |at, (axis, place)| at + *place * self.strides[*axis])
    }
}

/// Threads of a block: the paper's 16 × 16.
pub(crate) const THREADS: usize = 256;

/// The places of a number in digits, the last running fastest; each with its axis.
pub(crate) fn digits(
    number: Int,
    sizes: impl DoubleEndedIterator<Item = (usize, usize)> + ExactSizeIterator,
) -> Vec<(usize, Int)> {
    let count = sizes.len();
    let mut rest = number;
    let digit = |(i, (axis, size)): (usize, (usize, usize))| {
        let place = if i + 1 == count { rest } else { rest % size as i64 };
        rest = rest / size as i64;
        (axis, place)
    };
    let mut places: Vec<_> = sizes.rev().enumerate().map(digit).collect();
    places.reverse();
    places
}

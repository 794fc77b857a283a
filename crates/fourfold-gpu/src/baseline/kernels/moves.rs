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
pub(crate) const THREADS: usize = SIDE * SIDE;

/// Threads along each side of a block that works on a square.
pub(crate) const SIDE: usize = 16;

/// The blocks along each axis of `sizes` where a block works on a square of two of them.
pub(crate) fn blocks_of_squares(sizes: &[(usize, usize)], square: [usize; 2]) -> Vec<(usize, usize)> {
    let blocks =
        |&(axis, size): &(usize, usize)| (axis, if square.contains(&axis) { size.div_ceil(SIDE) } else { size });
    sizes.iter().map(blocks).collect()
}

/// The places of a thread whose block works on a square of two axes, each with its axis. Threads
/// that follow each other differ along the second axis of the square. At its edges, places lie
/// beyond the sizes.
pub(crate) fn places_in_squares(
    [block, thread]: [Int; 2],
    sizes: &[(usize, usize)],
    square: [usize; 2],
) -> Vec<(usize, Int)> {
    let side = SIDE as i64;
    let inner = |axis: usize| square.iter().position(|a| *a == axis).map(|i| [thread / side, thread % side][i]);
    let places = digits(block, blocks_of_squares(sizes, square).into_iter());
    places.into_iter().map(|(axis, place)| (axis, inner(axis).map_or(place, |inner| place * side + inner))).collect()
}

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

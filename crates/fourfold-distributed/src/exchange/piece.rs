//! How the indices of an array before an exchange belong to those after it.

use crate::exchange::line::LinePiece;
use crate::exchange::region::{Region, strides};
use std::ops::Range;

/// Elements of both arrays that belong together. Element (t₀, t₁, …) of the piece has the index start +
/// step·t along an axis of each array.
pub(crate) type Piece = Vec<PieceAxis>;

/// All pieces of an exchange.
#[derive(Clone, Debug)]
pub(crate) enum Pieces {
    /// Of arrays that are matrices on both sides.
    OfMatrices(Vec<Piece>),
    /// Of which one side is a line.
    OfLine(Vec<LinePiece>),
}

impl Pieces {
    /// The elements whose index along an axis of the arrays, which have the same shape, is in a range.
    pub(crate) fn within(&self, axis: usize, range: Range<usize>) -> Pieces {
        let limited = |one: &PieceAxis| if one.axes[0] == axis { one.only(0, range.clone()) } else { *one };
        match self {
            Pieces::OfMatrices(pieces) => {
                Pieces::OfMatrices(pieces.iter().map(|piece| piece.iter().map(limited).collect()).collect())
            }
            // Exchanges that reorder are not cut.
            Pieces::OfLine(pieces) => Pieces::OfLine(pieces.clone()),
        }
    }

    /// The elements that are in a part before the exchange and in a part after it: where they are in both parts.
    pub(crate) fn regions(&self, parts: [&[Range<usize>]; 2], orders: [&[usize]; 2]) -> Vec<[Region; 2]> {
        match self {
            Pieces::OfMatrices(pieces) => pieces.iter().filter_map(|piece| regions(piece, parts, orders)).collect(),
            Pieces::OfLine(pieces) => pieces.iter().flat_map(|piece| piece.regions(parts, orders)).collect(),
        }
    }
}

/// One axis of a piece. The arrays before and after the exchange have an entry each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceAxis {
    pub(crate) count: usize,
    pub(crate) axes: [usize; 2],
    pub(crate) starts: [usize; 2],
    pub(crate) steps: [isize; 2],
}

impl PieceAxis {
    /// Axis `from` with so many elements as axis `to`, in the same order.
    pub(crate) fn new(count: usize, axes: [usize; 2]) -> PieceAxis {
        PieceAxis { count, axes, starts: [0, 0], steps: [1, 1] }
    }

    /// The same, but where it begins in an array, and the step there.
    pub(crate) fn along(mut self, side: usize, start: usize, step: isize) -> PieceAxis {
        (self.starts[side], self.steps[side]) = (start, step);
        self
    }

    /// The same with the arrays exchanged.
    pub(crate) fn inverse(mut self) -> PieceAxis {
        self.axes.reverse();
        self.starts.reverse();
        self.steps.reverse();
        self
    }

    /// The part of it whose index in an array is in this range.
    pub(crate) fn only(&self, side: usize, range: Range<usize>) -> PieceAxis {
        let kept = self.within(side, &range);
        let start = |side: usize| self.starts[side].wrapping_add_signed(kept.start as isize * self.steps[side]);
        PieceAxis { count: kept.len(), starts: [start(0), start(1)], ..*self }
    }

    /// The t whose index in an array is in this range.
    fn within(&self, side: usize, range: &Range<usize>) -> Range<usize> {
        let (start, step) = (self.starts[side], self.steps[side].unsigned_abs());
        let up = |index: usize| index.saturating_sub(start).div_ceil(step);
        // The number of t whose index is at least this one.
        let down = |index: usize| if index > start { 0 } else { (start - index) / step + 1 };
        let (from, to) =
            if self.steps[side] > 0 { (up(range.start), up(range.end)) } else { (down(range.end), down(range.start)) };
        from.min(self.count)..to.min(self.count)
    }
}

/// The whole arrays, which have the same shape. Axes are in the order in which they are stored.
pub(crate) fn same(shape: &[usize], order: &[usize]) -> Pieces {
    Pieces::OfMatrices(vec![order.iter().map(|&axis| PieceAxis::new(shape[axis], [axis, axis])).collect()])
}

/// The elements of a piece that are in a part before the exchange and in a part after it: where they are
/// in both parts. The parts have these ranges, and these orders of axes in memory.
fn regions(piece: &Piece, parts: [&[Range<usize>]; 2], orders: [&[usize]; 2]) -> Option<[Region; 2]> {
    let strides = [0, 1].map(|side| {
        let lengths: Vec<_> = parts[side].iter().map(Range::len).collect();
        strides(&lengths, orders[side])
    });
    let mut regions = [0, 1].map(|_| Region { offset: 0, axes: vec![] });
    for axis in piece {
        let [before, after] = [0, 1].map(|side| axis.within(side, &parts[side][axis.axes[side]]));
        let (from, to) = (before.start.max(after.start), before.end.min(after.end));
        if from >= to {
            return None;
        }
        for (side, region) in regions.iter_mut().enumerate() {
            let stride = strides[side][axis.axes[side]];
            let first = axis.starts[side].wrapping_add_signed(from as isize * axis.steps[side]);
            region.offset += (first - parts[side][axis.axes[side]].start) * stride.unsigned_abs();
            region.axes.push((to - from, axis.steps[side] * stride));
        }
    }
    Some(regions)
}

//! Pieces of an exchange between a matrix and a signal in one line, of which ranks have blocks.

use crate::exchange::region::{Region, strides};
use std::ops::Range;

/// Elements of a signal that are in a box of a matrix. Element (t₀, t₁) of the box has the index start + s₀t₀ + s₁t₁
/// of the signal, and belongs to the piece if that is less than `end` and an index of the signal. |s₀| is larger
/// than all that s₁t₁ adds. So an interval of indices has whole rows of the box, and parts of at most two others.
#[derive(Clone, Debug)]
pub(crate) struct LinePiece {
    /// The side of the exchange on which the signal is: 0 before it, 1 after it.
    pub(crate) side: usize,
    pub(crate) start: isize,
    pub(crate) end: isize,
    pub(crate) axes: [LineAxis; 2],
}

/// One axis of the box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineAxis {
    pub(crate) count: usize,
    /// The step in the signal.
    pub(crate) step: isize,
    /// The axis of the matrix, where the box begins there, and its step, which is positive.
    pub(crate) axis: usize,
    pub(crate) first: usize,
    pub(crate) by: usize,
}

impl LineAxis {
    /// The axis of the matrix from `first` on, with a step in the signal.
    pub(crate) fn new(range: Range<usize>, axis: usize, step: isize) -> LineAxis {
        LineAxis { count: range.len(), step, axis, first: range.start, by: 1 }
    }

    /// The same, if the matrix has pairs of reals along this axis: their part 0 or 1.
    pub(crate) fn of_pairs(self, part: usize) -> LineAxis {
        LineAxis { first: 2 * self.first + part, by: 2, ..self }
    }

    /// The t that are in this range of the matrix.
    fn within(&self, range: &Range<usize>) -> Range<isize> {
        let kept = within(self.first as isize, self.by as isize, range.start as isize..range.end as isize);
        kept.start.max(0)..kept.end.min(self.count as isize)
    }
}

/// The t with start + step·t in the range. The step is not 0.
fn within(start: isize, step: isize, range: Range<isize>) -> Range<isize> {
    let ceiling = |a: isize, b: isize| -(-a).div_euclid(b);
    if step > 0 {
        ceiling(range.start - start, step)..ceiling(range.end - start, step)
    } else {
        (start - range.end).div_euclid(-step) + 1..(start - range.start).div_euclid(-step) + 1
    }
}

fn common(a: &Range<isize>, b: &Range<isize>) -> Range<isize> {
    a.start.max(b.start)..a.end.min(b.end)
}

impl LinePiece {
    /// Where its elements are that a part before the exchange and one after it have in common. The parts have
    /// these ranges, and these orders of axes in memory.
    pub(crate) fn regions(&self, parts: [&[Range<usize>]; 2], orders: [&[usize]; 2]) -> Vec<[Region; 2]> {
        let (matrix, line) = (parts[1 - self.side], &parts[self.side][0]);
        let lengths: Vec<_> = matrix.iter().map(Range::len).collect();
        let strides = strides(&lengths, orders[1 - self.side]);
        let region = |t: [Range<isize>; 2]| {
            let mut of_line = Region { offset: 0, axes: vec![] };
            let mut of_matrix = of_line.clone();
            let mut index = self.start - line.start as isize;
            for (axis, t) in self.axes.iter().zip(&t) {
                let (first, count, stride) =
                    (t.start.unsigned_abs(), (t.end - t.start).unsigned_abs(), strides[axis.axis]);
                index += axis.step * t.start;
                of_line.axes.push((count, axis.step));
                of_matrix.offset += (axis.first + axis.by * first - matrix[axis.axis].start) * stride.unsigned_abs();
                of_matrix.axes.push((count, axis.by as isize * stride));
            }
            of_line.offset = index.unsigned_abs();
            if self.side == 0 { [of_line, of_matrix] } else { [of_matrix, of_line] }
        };
        let indices = line.start as isize..self.end.min(line.end as isize);
        self.boxes(self.axes.map(|axis| axis.within(&matrix[axis.axis])), &indices).into_iter().map(region).collect()
    }

    /// The boxes of t₀ and t₁ in these ranges whose indices are in `line`.
    fn boxes(&self, [outer, inner]: [Range<isize>; 2], line: &Range<isize>) -> Vec<[Range<isize>; 2]> {
        if outer.is_empty() || inner.is_empty() || line.is_empty() {
            return vec![];
        }
        let [step, along] = self.axes.map(|axis| axis.step);
        let ends = [along * inner.start, along * (inner.end - 1)];
        let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let rows = |range: Range<isize>| common(&within(self.start, step, range), &outer);
        let touched = rows(line.start - most..line.end - least);
        let whole = rows(line.start - least..line.end - most);
        let whole = if whole.is_empty() { touched.end..touched.end } else { whole };
        let part = |t: isize| [t..t + 1, common(&within(self.start + step * t, along, line.clone()), &inner)];
        let before = (touched.start..whole.start).map(part);
        let after = (whole.end..touched.end).map(part);
        let has_any = |one: &[Range<isize>; 2]| one.iter().all(|range| !range.is_empty());
        before.chain([[whole.clone(), inner.clone()]]).chain(after).filter(has_any).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of a box whose index is in a block is in one region, at its places.
    #[test]
    fn regions_have_the_elements_of_a_block() {
        for (steps, start, end) in
            [([7, 2], -3, 99), ([-7, 2], 40, 99), ([7, -2], 5, 99), ([-7, -2], 45, 20), ([4, 1], 0, 99)]
        {
            let axes = [LineAxis::new(1..6, 1, steps[0]), LineAxis::new(2..6, 0, steps[1])];
            let piece = LinePiece { side: 0, start, end, axes };
            let matrix = [1..5, 2..7];
            for block in [0..30, 0..1, 3..4, 5..13, 12..26, 30..50, 9..9] {
                let parts: [&[Range<usize>]; 2] = [&[block.clone(), 0..1], &matrix];
                let mut expected = vec![];
                for (t0, t1) in (0..5).flat_map(|t0| (0..4).map(move |t1| (t0, t1))) {
                    let index = start + steps[0] * t0 + steps[1] * t1;
                    let (row, column) = (2 + t1 as usize, 1 + t0 as usize);
                    let is_there = matrix[0].contains(&row) && matrix[1].contains(&column) && index < end;
                    if is_there && (block.start as isize..block.end as isize).contains(&index) {
                        expected.push((index as usize - block.start, (column - 2) * 4 + row - 1));
                    }
                }
                let regions = piece.regions(parts, [&[0, 1], &[1, 0]]);
                assert!(regions.len() <= 3, "{piece:?}");
                let places = |region: &Region| -> Vec<usize> {
                    let [(rows, step), (columns, along)] = region.axes[..] else { panic!("two axes") };
                    let at = |i: usize, k: usize| region.offset as isize + step * i as isize + along * k as isize;
                    (0..rows).flat_map(|i| (0..columns).map(move |k| at(i, k) as usize)).collect()
                };
                let found: Vec<_> =
                    regions.iter().flat_map(|[from, to]| places(from).into_iter().zip(places(to))).collect();
                assert_eq!(found, expected, "{piece:?} {block:?}");
            }
        }
    }
}

//! Boxes of elements in the memory of a rank, and copies of them.

use std::ops::Range;

/// A box of elements of an array in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where the first element is, in elements.
    pub offset: usize,
    /// Length and stride of each axis, in elements. Strides may be negative. A box has its slowest axis
    /// first.
    pub axes: Vec<(usize, isize)>,
}

impl Region {
    /// The box of these ranges of indices, in a rank's part of an array. The part has the ranges
    /// `part`, and its axes are stored in `order`, without gaps. `None` if the box is empty.
    pub(crate) fn new(ranges: &[Range<usize>], part: &[Range<usize>], order: &[usize]) -> Option<Region> {
        let mut region = Region { offset: 0, axes: vec![(0, 0); order.len()] };
        let mut stride = 1;
        for (i, &axis) in order.iter().enumerate().rev() {
            let length = ranges[axis].len();
            if length == 0 {
                return None;
            }
            region.offset += (ranges[axis].start - part[axis].start) * stride;
            region.axes[i] = (length, stride as isize);
            stride *= part[axis].len();
        }
        Some(region)
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.axes.iter().map(|(length, _)| length).product()
    }

    /// The index after that of the last element in memory.
    pub(crate) fn end(&self) -> usize {
        let reach = |(length, stride): &(usize, isize)| (length - 1) * stride.max(&0).unsigned_abs();
        self.offset + self.axes.iter().map(reach).sum::<usize>() + 1
    }

    /// The same elements, in as few axes as possible. The last one has stride 1, and its length is
    /// that of the runs.
    pub fn runs(&self) -> Region {
        let mut runs: Vec<(usize, isize)> = vec![(1, 1)];
        for &(length, stride) in self.axes.iter().rev().filter(|(length, _)| *length > 1) {
            match runs.last_mut() {
                Some((run, step)) if *run as isize * *step == stride => *run *= length,
                _ => runs.push((length, stride)),
            }
        }
        runs.reverse();
        Region { offset: self.offset, axes: runs }
    }

    /// Copies of its elements, of `bytes` bytes each, to memory without gaps, and back from there.
    pub fn packing(&self, bytes: usize) -> [RegionCopy; 2] {
        let lengths: Vec<_> = self.axes.iter().map(|(length, _)| *length).collect();
        let order: Vec<_> = (0..lengths.len()).collect();
        let axes = lengths.iter().copied().zip(strides(&lengths, &order)).collect();
        let packed = Region { offset: 0, axes };
        [RegionCopy::new(self, &packed, bytes), RegionCopy::new(&packed, self, bytes)]
    }
}

/// The strides of an array of these lengths, whose axes are stored in `order` without gaps.
pub(crate) fn strides(lengths: &[usize], order: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; lengths.len()];
    order.iter().rev().fold(1, |stride, &axis| {
        strides[axis] = stride as isize;
        stride * lengths[axis]
    });
    strides
}

/// Elements to copy from one region to another of the same lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionCopy {
    /// The bytes of a run.
    pub run: usize,
    /// The first bytes of both sides.
    pub starts: [usize; 2],
    /// The number of runs along each axis, and the distances between them in bytes on both sides.
    pub axes: Vec<(usize, [isize; 2])>,
    /// The bytes after the last ones of both sides.
    pub ends: [usize; 2],
}

impl RegionCopy {
    /// The copy from `from` to `to`, whose elements have `bytes` bytes.
    pub(crate) fn new(from: &Region, to: &Region, bytes: usize) -> RegionCopy {
        let ends = [from.end() * bytes, to.end() * bytes];
        let starts = [from.offset * bytes, to.offset * bytes];
        let (mut run, mut axes, mut is_run) = (bytes, Vec::<(usize, [isize; 2])>::new(), true);
        for ((length, step), (_, other)) in from.axes.iter().zip(&to.axes).rev().filter(|(axis, _)| axis.0 > 1) {
            let steps = [step * bytes as isize, other * bytes as isize];
            is_run &= steps == [run as isize; 2];
            match axes.last_mut() {
                _ if is_run => run *= length,
                Some((count, last)) if last.map(|step| step * *count as isize) == steps => *count *= length,
                _ => axes.push((*length, steps)),
            }
        }
        axes.reverse();
        RegionCopy { run, starts, axes, ends }
    }

    /// The number of bytes that are copied.
    pub fn bytes(&self) -> usize {
        self.run * self.axes.iter().map(|(count, _)| count).product::<usize>()
    }

    /// Copies. Memory that is too short stays as it is: the caller compares it with `ends`.
    pub fn execute(&self, from: &[u8], to: &mut [u8]) {
        self.execute_from(self.starts, from, to);
    }

    /// The same, where `to` begins with the first byte that is written.
    pub fn execute_at_start(&self, from: &[u8], to: &mut [u8]) {
        self.execute_from([self.starts[0], 0], from, to);
    }

    fn execute_from(&self, starts: [usize; 2], from: &[u8], to: &mut [u8]) {
        // One element has no run: its number of bytes is known when this is compiled.
        match self.run {
            4 => copy_elements::<4>(&self.axes, starts, from, to),
            8 => copy_elements::<8>(&self.axes, starts, from, to),
            16 => copy_elements::<16>(&self.axes, starts, from, to),
            run => copy_runs(&self.axes, run, starts, from, to),
        }
    }
}

/// Copies the runs along `axes`, of which the first begins at `starts`.
fn copy_runs(axes: &[(usize, [isize; 2])], run: usize, starts: [usize; 2], from: &[u8], to: &mut [u8]) {
    let Some(((count, steps), inner)) = axes.split_first() else {
        if let (Some(from), Some(to)) = (from.get(starts[0]..starts[0] + run), to.get_mut(starts[1]..starts[1] + run)) {
            to.copy_from_slice(from);
        }
        return;
    };
    for i in 0..*count {
        copy_runs(inner, run, moved(starts, i, *steps), from, to);
    }
}

/// Elements along both sides of a tile. Its lines of one side fit the ways of a cache even if they are a
/// power of two apart.
const TILE: usize = 8;

/// Bytes between neighbours that are mostly in one cache line.
const NEAR: usize = 32;

/// Copies the elements of `N` bytes along `axes`.
fn copy_elements<const N: usize>(axes: &[(usize, [isize; 2])], starts: [usize; 2], from: &[u8], to: &mut [u8]) {
    match axes {
        [] => copy_line::<N>(1, [0, 0], starts, from, to),
        [(count, steps)] => copy_line::<N>(*count, *steps, starts, from, to),
        // Each side has another axis whose elements are near. Tiles use all of a cache line on both.
        [(rows, down), (columns, along)] if along.iter().any(|step| step.unsigned_abs() > NEAR) => {
            for i in (0..*rows).step_by(TILE) {
                for k in (0..*columns).step_by(TILE) {
                    let corner = moved(moved(starts, i, *down), k, *along);
                    for row in 0..TILE.min(rows - i) {
                        copy_line::<N>(TILE.min(columns - k), *along, moved(corner, row, *down), from, to);
                    }
                }
            }
        }
        [(count, steps), inner @ ..] => {
            for i in 0..*count {
                copy_elements::<N>(inner, moved(starts, i, *steps), from, to);
            }
        }
    }
}

/// Copies the elements of `N` bytes along one axis.
fn copy_line<const N: usize>(count: usize, steps: [isize; 2], starts: [usize; 2], from: &[u8], to: &mut [u8]) {
    for i in 0..count {
        let [start, end] = moved(starts, i, steps);
        if let (Some(from), Some(to)) = (from.get(start..start + N), to.get_mut(end..end + N)) {
            to.copy_from_slice(from);
        }
    }
}

/// Where step `i` along an axis leads on both sides.
fn moved(starts: [usize; 2], i: usize, steps: [isize; 2]) -> [usize; 2] {
    [0, 1].map(|side| starts[side].wrapping_add_signed(i as isize * steps[side]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows 1 and 2, columns 1 to 3 of an array of 4 × 5.
    fn inner() -> Region {
        Region::new(&[1..3, 1..4], &[0..4, 0..5], &[0, 1]).unwrap()
    }

    #[test]
    fn boxes_have_offsets_and_strides() {
        assert_eq!(inner(), Region { offset: 6, axes: vec![(2, 5), (3, 1)] });
        assert_eq!(inner().end(), 14);
        let transposed = Region::new(&[1..3, 1..4], &[0..4, 0..5], &[1, 0]).unwrap();
        assert_eq!(transposed, Region { offset: 5, axes: vec![(3, 4), (2, 1)] });
        assert_eq!(Region::new(&[1..1, 0..5], &[0..4, 0..5], &[0, 1]), None);
    }

    #[test]
    fn runs_are_as_long_as_possible() {
        assert_eq!(inner().runs(), inner());
        let rows = Region::new(&[1..3, 0..5], &[0..4, 0..5], &[0, 1]).unwrap();
        assert_eq!(rows.runs(), Region { offset: 5, axes: vec![(10, 1)] });
        let column = Region::new(&[0..4, 2..3], &[0..4, 0..5], &[0, 1]).unwrap();
        assert_eq!(column.runs(), Region { offset: 2, axes: vec![(4, 5), (1, 1)] });
        let one = Region::new(&[1..2, 2..3], &[0..4, 0..5], &[0, 1]).unwrap();
        assert_eq!(one.runs(), Region { offset: 7, axes: vec![(1, 1)] });
    }

    #[test]
    fn copies_move_every_element() {
        let to = Region::new(&[0..2, 0..3], &[0..2, 0..3], &[0, 1]).unwrap();
        let copy = RegionCopy::new(&inner(), &to, 1);
        let (from, mut into): (Vec<u8>, _) = ((0..20).collect(), vec![0u8; 6]);
        copy.execute(&from, &mut into);
        assert_eq!(into, [6, 7, 8, 11, 12, 13]);
        assert_eq!((copy.bytes(), copy.ends, copy.run), (6, [14, 6], 3));
    }

    /// Single elements, also from the end, with axes that are near or far on either side, and more of them than
    /// a tile has.
    #[test]
    fn copies_of_single_elements_move_each_to_its_place() {
        let from: Vec<u8> = (0..16 * 400).map(|i| (i % 251) as u8).collect();
        for bytes in [1, 4, 8, 16] {
            for (steps, offsets) in [
                ([[20, 1], [1, 19]], [3, 2]),
                ([[1, 20], [19, 1]], [3, 2]),
                ([[-20, 1], [1, 19]], [380, 0]),
                ([[20, -1], [-1, 19]], [18, 12]),
                ([[2, 40], [1, 13]], [1, 0]),
            ] {
                let counts = if steps[0] == [2, 40] { [13, 9] } else { [12, 17] };
                let region = |side: usize| Region {
                    offset: offsets[side],
                    axes: vec![(counts[0], steps[side][0]), (counts[1], steps[side][1])],
                };
                let mut to = vec![0u8; bytes * 400];
                let copy = RegionCopy::new(&region(0), &region(1), bytes);
                copy.execute(&from[..bytes * 400], &mut to);
                let mut expected = vec![0u8; bytes * 400];
                for (i, k) in (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |k| (i as isize, k as isize))) {
                    let [start, end] = [0, 1].map(|side| {
                        let element = offsets[side] as isize + i * steps[side][0] + k * steps[side][1];
                        element as usize * bytes
                    });
                    expected[end..end + bytes].copy_from_slice(&from[start..start + bytes]);
                }
                assert_eq!(to, expected, "{copy:?}");
                let [pack, unpack] = region(0).packing(bytes);
                let (mut packed, mut back) = (vec![0u8; bytes * counts[0] * counts[1]], vec![0u8; bytes * 400]);
                pack.execute(&from[..bytes * 400], &mut packed);
                unpack.execute(&packed, &mut back);
                let mut again = vec![0u8; packed.len()];
                pack.execute(&back, &mut again);
                assert_eq!(again, packed, "{pack:?}");
            }
        }
    }
}

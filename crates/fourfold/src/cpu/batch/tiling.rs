//! Divides the lines along one axis of an array into tiles.

use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::simd::vector::LANES;

/// The number of arrays that a pass accesses: source, target, and the multiplier's table.
pub(crate) const ARRAYS: usize = 3;

/// The other axes of the array, the innermost first, with the strides in every array.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    axes: usize,
    size: [usize; AXES],
    /// The number of each axis in the array. It has no meaning for merged axes.
    pub(crate) axis: [usize; AXES],
    stride: [[isize; AXES]; ARRAYS],
    /// The number of lines in a row, beyond whose end no tile extends.
    row: usize,
    rows: usize,
}

/// A tile: the offset of each of its lines in every array. It has at most as many lines as a vector
/// has lanes.
#[derive(Default)]
pub(crate) struct Tile {
    pub(crate) used: usize,
    pub(crate) offsets: [[isize; LANES]; ARRAYS],
    /// The number of the first line.
    pub(crate) first: usize,
}

impl Lines {
    /// The lines along `axis`. All arrays have the same lengths along the other axes. With `merge`,
    /// neighbouring axes that are one axis in memory are merged.
    pub(crate) fn new<S>(axis: usize, arrays: [&Array<S>; ARRAYS], merge: bool, width: usize) -> Lines {
        let [source, target, _] = arrays;
        let mut others = [0; AXES];
        let mut axes = 0;
        for a in (0..source.axes).filter(|&a| a != axis && source.shape[a] > 1) {
            others[axes] = a;
            axes += 1;
        }
        let step = |a: usize| (target.strides[a].unsigned_abs(), source.strides[a].unsigned_abs());
        others[..axes].sort_unstable_by_key(|&a| step(a));
        let mut lines =
            Lines { axes: 0, size: [1; AXES], axis: [0; AXES], stride: [[0; AXES]; ARRAYS], row: 1, rows: 1 };
        for &a in &others[..axes] {
            lines.push(source.shape[a], a, arrays.map(|array| array.strides[a]), merge);
        }
        let count: usize = lines.size[..lines.axes].iter().product();
        lines.row = if lines.size[0] >= width { lines.size[0] } else { count };
        lines.rows = count / lines.row;
        lines
    }

    fn push(&mut self, size: usize, axis: usize, strides: [isize; ARRAYS], merge: bool) {
        if let Some(last) = self.axes.checked_sub(1).filter(|_| merge) {
            let continues = |(i, s): (usize, &isize)| *s == self.stride[i][last] * self.size[last] as isize;
            if strides.iter().enumerate().all(continues) {
                self.size[last] *= size;
                return;
            }
        }
        self.size[self.axes] = size;
        self.axis[self.axes] = axis;
        for (i, s) in strides.into_iter().enumerate() {
            self.stride[i][self.axes] = s;
        }
        self.axes += 1;
    }

    /// Whether every tile has `width` lines, whose elements are neighbours in source and target.
    pub(crate) fn fill(&self, width: usize) -> bool {
        self.size[0] % width == 0 && self.stride[..2].iter().all(|stride| stride[0] == 1)
    }

    /// The number of lines.
    pub(crate) fn count(&self) -> usize {
        self.row * self.rows
    }

    /// The number of blocks of at most `group` tiles of `width` lines.
    pub(crate) fn blocks(&self, width: usize, group: usize) -> usize {
        self.rows * self.row.div_ceil(width).div_ceil(group)
    }

    /// The number of tiles in a block, at most `most`. Several workers have `least` blocks each or
    /// more, where there are enough tiles, and about the same number of tiles.
    pub(crate) fn group(&self, width: usize, most: usize, workers: usize, least: usize) -> usize {
        if workers == 1 {
            return most;
        }
        let most = most.min(self.blocks(width, 1) / (least * workers)).max(1);
        let tiles = |group: &usize| self.blocks(width, *group).div_ceil(workers) * group;
        let fewest = (1..=most).map(|group| tiles(&group)).min().unwrap_or(1);
        (1..=most).rev().find(|group| 16 * tiles(group) <= 17 * fewest).unwrap_or(1)
    }

    /// The first tile and the number of tiles of block `index`. A block does not extend beyond the
    /// end of a row.
    pub(crate) fn block(&self, index: usize, width: usize, group: usize) -> (usize, usize) {
        let tiles = self.row.div_ceil(width);
        let blocks = tiles.div_ceil(group);
        let in_row = index % blocks * group;
        (index / blocks * tiles + in_row, group.min(tiles - in_row))
    }

    /// Tile `index`. Lanes after its last line repeat that line.
    pub(crate) fn tile(&self, index: usize, width: usize) -> Tile {
        let mut tile = Tile::default();
        self.set_tile(&mut tile, index, width);
        tile
    }

    /// Sets `tile` to [`Lines::tile`]. Copying a tile would take as long as a transform of short lines.
    #[inline(always)]
    pub(crate) fn set_tile(&self, tile: &mut Tile, index: usize, width: usize) {
        let tiles = self.row.div_ceil(width);
        let in_row = index % tiles * width;
        self.set(tile, index / tiles * self.row + in_row, width.min(self.row - in_row), width);
    }

    /// Sets `tile` to tile `index`, in rows that have at least `width` lines. Where lines remain for only a part
    /// of a tile, the tile begins earlier, and lines of the tile before are computed twice. All
    /// tiles of the block must be read before one is written.
    #[inline(always)]
    pub(crate) fn set_full_tile(&self, tile: &mut Tile, index: usize, width: usize) {
        let tiles = self.row.div_ceil(width);
        let in_row = (index % tiles * width).min(self.row - width);
        self.set(tile, index / tiles * self.row + in_row, width, width);
    }

    /// Sets `tile` to that of lines `first` to `first` + `used` − 1.
    #[inline(always)]
    fn set(&self, tile: &mut Tile, first: usize, used: usize, width: usize) {
        (tile.first, tile.used) = (first, used);
        if first % self.size[0] + used > self.size[0] {
            return self.set_scattered(tile, width);
        }
        let (mut rest, mut starts) = (first, [0; ARRAYS]);
        for a in 0..self.axes {
            let index = (rest % self.size[a]) as isize;
            rest /= self.size[a];
            starts.iter_mut().zip(&self.stride).for_each(|(start, stride)| *start += index * stride[a]);
        }
        for ((offsets, stride), start) in tile.offsets.iter_mut().zip(&self.stride).zip(starts) {
            for (lane, offset) in offsets[..width].iter_mut().enumerate() {
                *offset = start + lane.min(used - 1) as isize * stride[0];
            }
        }
    }

    /// Sets the offsets of a tile's lines one by one, for a tile that goes beyond the first axis.
    #[inline(never)]
    fn set_scattered(&self, tile: &mut Tile, width: usize) {
        let mut position = self.position(tile.first);
        for lane in 0..width {
            for (offsets, stride) in tile.offsets.iter_mut().zip(&self.stride) {
                offsets[lane] = (0..self.axes).map(|a| position[a] as isize * stride[a]).sum();
            }
            if lane + 1 < tile.used {
                self.advance(&mut position);
            }
        }
    }

    /// The index of line `line` along each axis.
    pub(crate) fn position(&self, mut line: usize) -> [usize; AXES] {
        let mut position = [0; AXES];
        for a in 0..self.axes {
            position[a] = line % self.size[a];
            line /= self.size[a];
        }
        position
    }

    fn advance(&self, position: &mut [usize; AXES]) {
        for a in 0..self.axes {
            position[a] += 1;
            if position[a] < self.size[a] {
                return;
            }
            position[a] = 0;
        }
    }

    /// The (axis, index) pairs of line `line`.
    pub(crate) fn indices(&self, line: usize) -> impl Iterator<Item = (usize, usize)> {
        let (position, axis) = (self.position(line), self.axis);
        (0..self.axes).map(move |a| (axis[a], position[a]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(row: usize, rows: usize) -> Lines {
        Lines { axes: 0, size: [1; AXES], axis: [0; AXES], stride: [[0; AXES]; ARRAYS], row, rows }
    }

    #[test]
    fn one_worker_has_the_largest_blocks() {
        assert_eq!(matrix(1024, 1).group(16, 8, 1, 4), 8);
    }

    #[test]
    fn workers_have_the_least_number_of_blocks_in_equal_shares() {
        for (row, width, blocks, want) in [(1024, 16, 2, 2), (1024, 16, 4, 1), (1024, 8, 2, 4), (1024, 8, 4, 2)] {
            let (lines, workers) = (matrix(row, 1), 16);
            let group = lines.group(width, 8, workers, blocks);
            assert_eq!((group, lines.blocks(width, group)), (want, blocks * workers));
        }
        assert_eq!(matrix(1 << 20, 1).group(8, 8, 16, 4), 8);
        assert_eq!(matrix(64, 1).group(16, 8, 16, 4), 1);
        for (row, rows, workers) in [(1000, 1, 16), (1056, 1, 16), (64, 64, 7), (40, 3, 16), (5000, 2, 3)] {
            let lines = matrix(row, rows);
            let group = lines.group(16, 8, workers, 2);
            let [share, least] = [group, 1].map(|group| group * lines.blocks(16, group).div_ceil(workers));
            assert!(16 * share <= 17 * least, "{row} x {rows}: {share} tiles instead of {least}");
        }
    }
}

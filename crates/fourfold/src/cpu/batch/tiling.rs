//! The lines along one axis of an array, cut into tiles.

use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::simd::vector::LANES;

/// Arrays that a pass walks in step: source, target, and the multiplier's table.
pub(crate) const ARRAYS: usize = 3;

/// The axes across which lines lie, the innermost first, with the strides of every array.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    axes: usize,
    size: [usize; AXES],
    /// The array axis that each is; meaningless once axes are merged.
    pub(crate) axis: [usize; AXES],
    stride: [[isize; AXES]; ARRAYS],
    /// Tiles do not reach over the end of a row of lines.
    row: usize,
    rows: usize,
}

/// Up to a vector's worth of lines: where each begins in every array.
pub(crate) struct Tile {
    pub(crate) used: usize,
    pub(crate) offsets: [[isize; LANES]; ARRAYS],
    /// Number of the first line.
    pub(crate) first: usize,
}

impl Lines {
    /// The lines along `axis`; all arrays have the same lengths along the other axes. `merge` axes
    /// that are one in memory.
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

    /// Whether every tile is of as many lines, whose elements are neighbours in source and target.
    pub(crate) fn fill(&self, width: usize) -> bool {
        self.size[0] % width == 0 && self.stride[..2].iter().all(|stride| stride[0] == 1)
    }

    /// Lines in all.
    pub(crate) fn count(&self) -> usize {
        self.row * self.rows
    }

    /// How many blocks of up to `group` tiles of `width` lines.
    pub(crate) fn blocks(&self, width: usize, group: usize) -> usize {
        self.rows * self.row.div_ceil(width).div_ceil(group)
    }

    /// First tile and number of tiles of block `index`; a block does not reach over the end of a
    /// row.
    pub(crate) fn block(&self, index: usize, width: usize, group: usize) -> (usize, usize) {
        let tiles = self.row.div_ceil(width);
        let blocks = tiles.div_ceil(group);
        let in_row = index % blocks * group;
        (index / blocks * tiles + in_row, group.min(tiles - in_row))
    }

    /// Tile number `index`. Lanes beyond its last line repeat that line.
    pub(crate) fn tile(&self, index: usize, width: usize) -> Tile {
        let tiles = self.row.div_ceil(width);
        let in_row = index % tiles * width;
        self.tile_at(index / tiles * self.row + in_row, width.min(self.row - in_row), width)
    }

    /// The same of a row that is longer than a tile: where lines would be too few, the tile begins
    /// earlier, at lines of the tile before, which are computed twice then. Only for tiles that are
    /// all read before one is written.
    pub(crate) fn full_tile(&self, index: usize, width: usize) -> Tile {
        let tiles = self.row.div_ceil(width);
        let in_row = (index % tiles * width).min(self.row - width);
        self.tile_at(index / tiles * self.row + in_row, width, width)
    }

    /// The tile of lines `first` to `first` + `used` − 1.
    fn tile_at(&self, first: usize, used: usize, width: usize) -> Tile {
        let mut tile = Tile { used, offsets: [[0; LANES]; ARRAYS], first };
        let mut place = self.place(first);
        if place[0] + used <= self.size[0] {
            for (offsets, stride) in tile.offsets.iter_mut().zip(&self.stride) {
                let start: isize = (0..self.axes).map(|a| place[a] as isize * stride[a]).sum();
                for (lane, offset) in offsets[..width].iter_mut().enumerate() {
                    *offset = start + lane.min(used - 1) as isize * stride[0];
                }
            }
            return tile;
        }
        for lane in 0..width {
            for (offsets, stride) in tile.offsets.iter_mut().zip(&self.stride) {
                offsets[lane] = (0..self.axes).map(|a| place[a] as isize * stride[a]).sum();
            }
            if lane + 1 < used {
                self.advance(&mut place);
            }
        }
        tile
    }

    /// The index of line `line` along each of the axes.
    pub(crate) fn place(&self, mut line: usize) -> [usize; AXES] {
        let mut place = [0; AXES];
        for a in 0..self.axes {
            place[a] = line % self.size[a];
            line /= self.size[a];
        }
        place
    }

    fn advance(&self, place: &mut [usize; AXES]) {
        for a in 0..self.axes {
            place[a] += 1;
            if place[a] < self.size[a] {
                return;
            }
            place[a] = 0;
        }
    }

    /// The array axes and the index along each, of line `line`.
    pub(crate) fn indices(&self, line: usize) -> impl Iterator<Item = (usize, usize)> {
        let (place, axis) = (self.place(line), self.axis);
        (0..self.axes).map(move |a| (axis[a], place[a]))
    }
}

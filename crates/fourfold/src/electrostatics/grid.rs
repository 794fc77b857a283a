//! The region with its bins, and the cells.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::float::Float;

/// A rectangular region that is divided into M × N equal bins. Axis 0 is x, and axis 1 is y. Maps
/// over it are arrays of shape \[M, N\] in C order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    low: [f64; 2],
    high: [f64; 2],
    bins: [usize; 2],
}

/// Cells, which are rectangles, by their lower left corners and their sizes. The units are those of
/// the region. Each slice has one element for each cell.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a, T> {
    /// The x and y coordinates of the lower left corners.
    pub low: [&'a [T]; 2],
    /// The widths and heights.
    pub size: [&'a [T]; 2],
}

/// The charge of a cell: its intervals along the axes, in units of bins and clipped to the region,
/// and its density.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Charge {
    pub(crate) spans: [Span; 2],
    pub(crate) density: f64,
}

/// An interval along an axis, in units of bins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Where a cell is along an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In the region.
    Inside,
    /// In part. A cell that only touches the region, such as a terminal on its border, is here.
    Across,
    Outside,
}

pub(crate) fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

impl Grid {
    /// The grid of the region between two corners, with `bins` bins along x and y.
    ///
    /// # Errors
    /// If the region is not finite or has no area, if there are fewer than 2 bins along an axis, or
    /// if bins are so small that their sides are subnormal numbers.
    pub fn new(low: [f64; 2], high: [f64; 2], bins: [usize; 2]) -> Result<Grid> {
        let real =
            |axis: usize| low[axis].is_finite() && (high[axis] - low[axis]).is_finite() && low[axis] < high[axis];
        if !real(0) || !real(1) {
            return Err(wrong(format!(
                "the region from {low:?} to {high:?} has no area: expected low < high, both finite"
            )));
        }
        if bins.iter().any(|&count| count < 2) {
            return Err(wrong(format!(
                "a grid of {} x {} bins is too small: expected 2 or more along each axis",
                bins[0], bins[1]
            )));
        }
        let [m, n] = bins;
        // Positions in units of bins must be precise numbers: 2^48 leaves 5 bits of `f64` for fractions.
        if m.checked_mul(n).is_none_or(|all| all > 1 << 48) {
            return Err(wrong(format!("a grid of {m} x {n} bins is too large: expected at most 2^48 of them")));
        }
        let grid = Grid { low, high, bins };
        if !grid.bin_size().iter().all(|size| size.is_normal()) {
            return Err(wrong(format!(
                "bins of {:?} are too small: expected sides of {:e} or more",
                grid.bin_size(),
                f64::MIN_POSITIVE
            )));
        }
        Ok(grid)
    }

    /// The numbers of bins along x and y, M and N.
    pub fn bins(&self) -> [usize; 2] {
        self.bins
    }

    /// The number of bins, which is that of the elements of a map.
    pub fn count(&self) -> usize {
        self.bins[0] * self.bins[1]
    }

    /// The width and the height of a bin, in the units of the region.
    pub fn bin_size(&self) -> [f64; 2] {
        [0, 1].map(|axis| (self.high[axis] - self.low[axis]) / self.bins[axis] as f64)
    }

    /// The lower left and the upper right corner of the region.
    pub fn region(&self) -> [[f64; 2]; 2] {
        [self.low, self.high]
    }

    /// Where a cell at `at` is along an axis. It is outside if the position is NaN.
    pub(crate) fn reach(&self, axis: usize, [at, extent]: [f64; 2]) -> Reach {
        let (low, high) = (self.low[axis], self.high[axis]);
        let meets = at <= high && at + extent >= low;
        match meets {
            false => Reach::Outside,
            true if at < low || at + extent > high => Reach::Across,
            true => Reach::Inside,
        }
    }

    /// The position nearest to `at` for which a cell of this extent is inside the region.
    pub(crate) fn place<T: Float>(&self, axis: usize, at: f64, extent: f64) -> T {
        let (low, high) = (self.low[axis], self.high[axis]);
        // `clamp` would panic if rounding makes the upper bound the lesser one.
        let place = T::nearest(at.min(high - extent).max(low));
        match self.reach(axis, [place.into(), extent]) {
            // A cell without size at the border, whose position was rounded outwards.
            Reach::Outside => T::nearest(low + (high - low) / 2.0),
            _ => place,
        }
    }

    /// The charge of cell `i`. A cell that is smaller than `least` bins along an axis is widened to
    /// that.
    pub(crate) fn charge<T: Float>(&self, cells: Cells<'_, T>, i: usize, least: f64) -> Result<Charge> {
        let low = cells.low.map(|low| low[i].into());
        let size = cells.size_of("cell", i)?;
        // A cell that only touches the region charges the bins over which it is widened.
        if [0, 1].iter().any(|&axis| self.reach(axis, [low[axis], size[axis]]) == Reach::Outside) {
            let region = format!("the region from {:?} to {:?}", self.low, self.high);
            return Err(wrong(format!(
                "cell {i} of size {size:?} at {low:?} lies outside {region}: no part of it can be charged"
            )));
        }
        let bin = self.bin_size();
        let mut density = 1.0;
        let spans = [0, 1].map(|axis| {
            // For a very large cell these may be infinite.
            let ends = [low[axis], low[axis] + size[axis]].map(|at| (at - self.low[axis]) / bin[axis]);
            let extent = size[axis] / bin[axis];
            if extent < least {
                density *= extent / least;
            }
            let more = (least - extent).max(0.0) / 2.0;
            let most = self.bins[axis] as f64;
            Span { low: (ends[0] - more).clamp(0.0, most), high: (ends[1] + more).clamp(0.0, most) }
        });
        Ok(Charge { spans, density })
    }
}

impl<T> Cells<'_, T> {
    /// The number of cells.
    ///
    /// # Errors
    /// If the four slices differ in length.
    pub fn count(&self) -> Result<usize> {
        let [[x, y], [width, height]] = [self.low, self.size].map(|both| both.map(<[T]>::len));
        if [y, width, height].iter().any(|len| *len != x) {
            return Err(wrong(format!(
                "{x} x, {y} y, {width} widths and {height} heights of cells: expected one of each a cell"
            )));
        }
        Ok(x)
    }
}

impl<T: Float> Cells<'_, T> {
    /// The size of cell `i`, which an error calls `name`.
    pub(crate) fn size_of(&self, name: &str, i: usize) -> Result<[f64; 2]> {
        let size = self.size.map(|size| size[i].into());
        if size.iter().all(|size: &f64| size.is_finite() && *size >= 0.0) {
            return Ok(size);
        }
        Err(wrong(format!("{name} {i} has size {size:?}: expected finite numbers of 0 or more along each axis")))
    }
}

impl Span {
    /// The indices of the bins that the interval intersects.
    #[inline]
    pub(crate) fn bins(self, bins: usize) -> std::ops::Range<usize> {
        // Both ends are between 0 and `bins`. `ceil` is a function call if the compiler may not
        // assume the instruction, so this rounds by conversion.
        let (first, last) = ((self.low as usize).min(bins - 1), self.high as usize);
        first..(last + usize::from(self.high > last as f64)).max(first + 1)
    }

    /// The fraction of bin `i` that the interval covers, from 0 to 1.
    #[inline]
    pub(crate) fn overlap(self, i: usize) -> f64 {
        (self.high.min(i as f64 + 1.0) - self.low.max(i as f64)).max(0.0)
    }
}

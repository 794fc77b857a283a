//! The region with its bins, and the cells in it.

use crate::electrostatics::float::Float;
use crate::error::{Error, ErrorKind, Result};

/// A rectangular region cut into M × N equal bins, axis 0 being x and axis 1 y. Maps over it are
/// arrays of shape \[M, N\] in C order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    low: [f64; 2],
    high: [f64; 2],
    bins: [usize; 2],
}

/// Cells: rectangles by their lower left corners and their sizes, in the units of the region; one
/// element a cell in each slice.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a, T> {
    /// x and y of the lower left corners.
    pub low: [&'a [T]; 2],
    /// Widths and heights.
    pub size: [&'a [T]; 2],
}

/// A cell as it charges the grid: its interval along each axis, in bins and clipped to the region,
/// and the density of its charge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Charge {
    pub(crate) spans: [Span; 2],
    pub(crate) density: f64,
}

/// An interval along an axis in bins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

impl Grid {
    /// The region between two corners, with so many bins along x and y.
    ///
    /// # Errors
    /// If the region is not finite or has no area, there are fewer than 2 bins along an axis, which
    /// have no field between them, or bins are too small for their sides to be numbers of full
    /// precision.
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
        // Positions are counted in bins, exactly.
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

    /// Bins along x and y, M and N.
    pub fn bins(&self) -> [usize; 2] {
        self.bins
    }

    /// Bins in all: elements of a map.
    pub fn count(&self) -> usize {
        self.bins[0] * self.bins[1]
    }

    /// Width and height of a bin.
    pub fn bin_size(&self) -> [f64; 2] {
        [0, 1].map(|axis| (self.high[axis] - self.low[axis]) / self.bins[axis] as f64)
    }

    /// The lower left and the upper right corner of the region.
    pub fn region(&self) -> [[f64; 2]; 2] {
        [self.low, self.high]
    }

    /// The charge of cell `i`, widened to `least` bins where it is smaller.
    pub(crate) fn charge<T: Float>(&self, cells: Cells<'_, T>, i: usize, least: f64) -> Result<Charge> {
        let low = cells.low.map(|low| low[i].into());
        let size = cells.size.map(|size| size[i].into());
        if !size.iter().all(|size: &f64| size.is_finite() && *size >= 0.0) {
            return Err(wrong(format!(
                "cell {i} has size {size:?}: expected finite numbers of 0 or more along each axis"
            )));
        }
        // A cell that only touches the region, such as a terminal on its border, is not outside; it
        // charges the bins over which it is widened.
        let inside = |axis: usize| low[axis] <= self.high[axis] && low[axis] + size[axis] >= self.low[axis];
        if !inside(0) || !inside(1) {
            let region = format!("the region from {:?} to {:?}", self.low, self.high);
            return Err(wrong(format!(
                "cell {i} of size {size:?} at {low:?} lies outside {region}: no part of it can be charged"
            )));
        }
        let bin = self.bin_size();
        let mut density = 1.0;
        let spans = [0, 1].map(|axis| {
            // Of a huge cell these may be infinite.
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
    /// How many there are.
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

impl Span {
    /// The bins that it meets, of `bins`.
    #[inline]
    pub(crate) fn bins(self, bins: usize) -> std::ops::Range<usize> {
        // Both ends are within 0 and `bins`. Not `ceil`, which is a call where the instruction is
        // not known to be there.
        let (first, last) = ((self.low as usize).min(bins - 1), self.high as usize);
        first..(last + usize::from(self.high > last as f64)).max(first + 1)
    }

    /// The part of bin `i` that it covers, 0 to 1.
    #[inline]
    pub(crate) fn overlap(self, i: usize) -> f64 {
        (self.high.min(i as f64 + 1.0) - self.low.max(i as f64)).max(0.0)
    }
}

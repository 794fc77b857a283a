//! Rectangles, one and many.

use std::collections::TryReserveError;

/// A rectangle by its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) low: [f64; 2],
    pub(crate) high: [f64; 2],
}

/// Rectangles by their lower left corners and sizes, as lists for each axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rects {
    pub(crate) low: [Vec<f64>; 2],
    pub(crate) size: [Vec<f64>; 2],
}

impl Rect {
    pub(crate) fn new(low: [f64; 2], size: [f64; 2]) -> Rect {
        Rect { low, high: [low[0] + size[0], low[1] + size[1]] }
    }

    pub(crate) fn size(&self) -> [f64; 2] {
        [0, 1].map(|axis| self.high[axis] - self.low[axis])
    }

    pub(crate) fn area(&self) -> f64 {
        self.size().iter().product()
    }

    /// The smallest rectangle around both.
    pub(crate) fn around(self, other: Rect) -> Rect {
        let axes = [0, 1];
        let low = axes.map(|axis| self.low[axis].min(other.low[axis]));
        Rect { low, high: axes.map(|axis| self.high[axis].max(other.high[axis])) }
    }
}

impl Rects {
    /// Makes room for so many more.
    pub(crate) fn try_reserve(&mut self, count: usize) -> Result<(), TryReserveError> {
        self.low.iter_mut().chain(&mut self.size).try_for_each(|list| list.try_reserve_exact(count))
    }

    pub(crate) fn push(&mut self, rect: Rect) {
        let size = rect.size();
        for axis in [0, 1] {
            self.low[axis].push(rect.low[axis]);
            self.size[axis].push(size[axis]);
        }
    }

    pub(crate) fn get(&self, i: usize) -> Rect {
        Rect::new([0, 1].map(|axis| self.low[axis][i]), [0, 1].map(|axis| self.size[axis][i]))
    }

    pub(crate) fn area(&self, i: usize) -> f64 {
        self.size[0][i] * self.size[1][i]
    }
}

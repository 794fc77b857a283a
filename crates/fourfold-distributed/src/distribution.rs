//! Distributions: which part of an array each rank has.

use crate::grid::{DIMENSIONS, Grid};
use fourfold::{Error, ErrorKind, Result};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A distribution says, for each axis of an array, which dimensions of the [`Grid`] divide it.
///
/// It prints and parses as one word for each axis, with commas between them. `p` is an axis that the
/// grid's first dimension divides, `q` one that the second divides, `pq` one whose parts by `p` are
/// divided by `q`, and `*` is an axis that every rank has as a whole. So slabs of a 3D array are
/// `p,*,*`, and pencils along its last axis are `p,q,*`.
///
/// Parts are blocks: rank i of P has, of n elements, those from i ⌊n/P⌋ + min(i, n mod P) on. The
/// first n mod P ranks have ⌊n/P⌋ + 1 elements, and the others ⌊n/P⌋, which may be 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Distribution {
    /// For each axis the grid's dimensions that divide it, the outermost first.
    axes: Vec<Vec<usize>>,
}

impl Distribution {
    /// The usual distribution of an array of `axes` axes: each dimension of the grid divides another
    /// axis, beginning with the first, and the last axis is whole. If there are too few axes, all
    /// dimensions divide the first one.
    pub fn blocks(axes: usize, grid: &Grid) -> Distribution {
        let mut divided = vec![vec![]; axes];
        let spread = grid.lengths().len() < axes;
        for (dimension, length) in grid.lengths().iter().enumerate() {
            if *length > 1 {
                divided[if spread { dimension } else { 0 }].push(dimension);
            }
        }
        Distribution { axes: divided }
    }

    /// All dimensions of the grid divide one axis of `axes`.
    pub(crate) fn on_axis(axis: usize, axes: usize, grid: &Grid) -> Distribution {
        let mut divided = vec![vec![]; axes];
        divided[axis] = (0..grid.lengths().len()).collect();
        Distribution { axes: divided }
    }

    /// The ranges of indices along each axis of an array of this shape that `rank` has.
    ///
    /// # Panics
    /// If `shape` has fewer axes than the distribution, or if the distribution names a dimension
    /// that the grid lacks. Those of a recipe fit its grid.
    pub fn ranges(&self, shape: &[usize], grid: &Grid, rank: usize) -> Vec<Range<usize>> {
        let range = |(dimensions, &n): (&Vec<usize>, &usize)| {
            dimensions.iter().fold(0..n, |range, &dimension| {
                let part = block(range.len(), grid.lengths()[dimension], grid.coordinate(rank, dimension));
                range.start + part.start..range.start + part.end
            })
        };
        self.axes.iter().zip(shape).map(range).collect()
    }

    /// Whether every rank has all of an axis.
    pub(crate) fn is_whole(&self, axis: usize) -> bool {
        self.axes[axis].is_empty()
    }

    /// Whether the same dimensions of the grid divide an axis in both distributions.
    pub(crate) fn divides_alike(&self, other: &Distribution, axis: usize) -> bool {
        self.axes[axis] == other.axes[axis]
    }

    /// The distributions after the `count` innermost dimensions of axis `from` have moved to axis `to`,
    /// with the product of their lengths, for every possible `count`.
    pub(crate) fn moved(&self, from: usize, to: usize, grid: &Grid) -> impl Iterator<Item = (usize, Distribution)> {
        (0..self.axes[from].len()).map(move |kept| {
            let mut moved = self.clone();
            let dimensions = moved.axes[from].split_off(kept);
            let parts = dimensions.iter().map(|dimension| grid.lengths()[*dimension]).product();
            moved.axes[to].extend(dimensions);
            (parts, moved)
        })
    }

    /// The number of axes.
    pub(crate) fn axes(&self) -> usize {
        self.axes.len()
    }

    /// The distribution without the dimensions of length 1, for an array with this number of axes. An
    /// array of one axis has a second one of length 1.
    ///
    /// # Errors
    /// If the numbers of axes differ, or if the distribution does not name each dimension of the grid
    /// once.
    pub(crate) fn fitted(&self, axes: usize, grid: &Grid) -> Result<Distribution> {
        let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
        let mut fitted = self.clone();
        if axes == 1 && fitted.axes.len() == 1 {
            fitted.axes.push(vec![]);
        }
        if fitted.axes.len() != axes.max(2) {
            return fail(format!("the distribution {self} has {} axes, and the array {axes}", self.axes.len()));
        }
        for (dimension, &length) in grid.lengths().iter().enumerate() {
            let count = fitted.axes.iter().flatten().filter(|named| **named == dimension).count();
            if count > 1 || (count == 0 && length > 1) {
                let name = DIMENSIONS[dimension];
                return fail(format!(
                    "the distribution {self} names {name} {count} times: each dimension of the grid {grid} divides one axis"
                ));
            }
        }
        if let Some(dimension) = fitted.axes.iter().flatten().find(|dimension| **dimension >= grid.lengths().len()) {
            let name = DIMENSIONS[*dimension];
            return fail(format!("the distribution {self} names {name}, and the grid {grid} has one dimension, p"));
        }
        fitted.axes.iter_mut().for_each(|axis| axis.retain(|dimension| grid.lengths()[*dimension] > 1));
        Ok(fitted)
    }
}

/// The block of index `i` of `n` elements in `parts` blocks.
pub(crate) fn block(n: usize, parts: usize, i: usize) -> Range<usize> {
    let (least, longer) = (n / parts, n % parts);
    let start = |i: usize| i * least + i.min(longer);
    start(i)..start(i + 1)
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, dimensions) in self.axes.iter().enumerate() {
            f.write_str(if axis > 0 { "," } else { "" })?;
            if dimensions.is_empty() {
                f.write_str("*")?;
            }
            dimensions.iter().try_for_each(|dimension| write!(f, "{}", DIMENSIONS[*dimension]))?;
        }
        Ok(())
    }
}

impl FromStr for Distribution {
    type Err = Error;

    /// Reads what `Display` writes.
    ///
    /// # Errors
    /// If the text is malformed.
    fn from_str(text: &str) -> Result<Distribution> {
        let dimension = |c: char| DIMENSIONS.iter().position(|name| *name == c);
        let axis = |word: &str| match word {
            "*" => Some(vec![]),
            "" => None,
            _ => word.chars().map(dimension).collect::<Option<Vec<_>>>(),
        };
        let axes = text.split(',').map(axis).collect::<Option<Vec<_>>>();
        let message = || {
            format!("{text:?} is no distribution: expected p, q, pq or * for each axis, such as p,q,* for a 3D array")
        };
        Ok(Distribution { axes: axes.ok_or_else(|| Error::new(ErrorKind::Notation, message()))? })
    }
}

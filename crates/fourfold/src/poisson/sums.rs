//! Weighted sums over right-hand sides, and over parts of them.

use crate::cpu::base::threads::Pool;
use crate::error::{Error, Result};
use crate::poisson::boundary::Axis;
use crate::poisson::equation::Equation;
use crate::problem::float::Float;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The sums of a right-hand side over the box.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sums {
    pub(crate) sum: f64,
    pub(crate) magnitude: f64,
}

impl Sums {
    pub(crate) fn add(&mut self, weight: f64, other: Sums) {
        self.sum += weight * other.sum;
        self.magnitude += weight * other.magnitude;
    }

    pub(crate) fn are_finite(&self) -> bool {
        self.sum.is_finite() && self.magnitude.is_finite()
    }
}

/// The least lines of a task, and the most tasks.
const LINES: usize = 16;
const MOST_TASKS: usize = 1 << 9;

impl Equation {
    /// The sums Σ w f and Σ w |f| over a part of the right-hand side: the points in these ranges along each
    /// axis, in C order.
    ///
    /// # Errors
    /// If the ranges are not those of points of the axes, or if `f` has another length.
    pub fn sums_of_part<T: Float>(&self, f: &[T], ranges: &[Range<usize>]) -> Result<[f64; 2]> {
        let axes = self.axes();
        let fits = axes.len() == ranges.len()
            && axes.iter().zip(ranges).all(|(axis, range)| range.start <= range.end && range.end <= axis.points);
        if !fits || ranges.iter().map(Range::len).product::<usize>() != f.len() {
            let message = format!("{} elements in {ranges:?} of the shape {:?}", f.len(), self.shape());
            return Err(Error::argument(message));
        }
        let ([outer @ .., last], [outer_ranges @ .., range]) = (axes, ranges) else {
            unreachable!("an equation has an axis")
        };
        let mut total = Sums::default();
        for (i, line) in f.chunks_exact(range.len().max(1)).enumerate() {
            let mut sums = sums_of_line(line, false);
            for n in [0, last.points - 1].into_iter().filter(|n| range.contains(n)) {
                let (less, x) = (last.weight(n) - 1.0, line[n - range.start].into());
                sums.add(less, Sums { sum: x, magnitude: x.abs() });
            }
            total.add(weight_of_part(outer, outer_ranges, i), sums);
        }
        Ok([total.sum, total.magnitude])
    }

    /// The sums over all points. Every line along the last axis is summed separately, so they do
    /// not depend on the number of threads.
    pub(crate) fn sums<T: Float>(&self, f: &[T], pool: &Pool) -> Sums {
        let (last, outer) = self.axes().split_last().expect("an equation has an axis");
        let line = |i: usize| &f[i * last.points..][..last.points];
        let lines = f.len() / last.points;
        let part = lines.div_ceil(MOST_TASKS).max(LINES);
        let parts: Vec<_> = (0..lines.div_ceil(part)).map(|_| Mutex::new(Sums::default())).collect();
        pool.run_tasks(parts.len(), &|_, task| {
            let mut total = Sums::default();
            for i in (task * part..lines).take(part) {
                total.add(weight_of(outer, i), sums_of_line(line(i), last.halves_ends()));
            }
            *parts[task].lock().unwrap_or_else(PoisonError::into_inner) = total;
        });
        let mut total = Sums::default();
        for part in parts {
            total.add(1.0, part.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        total
    }
}

/// The product of the weights along these axes of point `i` of the array that has only them.
pub(crate) fn weight_of(axes: &[Axis], mut i: usize) -> f64 {
    let mut weight = 1.0;
    for axis in axes.iter().rev() {
        weight *= axis.weight(i % axis.points);
        i /= axis.points;
    }
    weight
}

/// The same of the part of that array in these ranges.
fn weight_of_part(axes: &[Axis], ranges: &[Range<usize>], mut i: usize) -> f64 {
    let mut weight = 1.0;
    for (axis, range) in axes.iter().zip(ranges).rev() {
        weight *= axis.weight(range.start + i % range.len());
        i /= range.len();
    }
    weight
}

/// The sums of a line in eight parts, which a compiler makes vectors of.
pub(crate) fn sums_of_line<T: Float>(line: &[T], halves_ends: bool) -> Sums {
    let (mut sum, mut magnitude) = ([0.0; 8], [0.0; 8]);
    let mut add = |chunk: &[T]| {
        for ((x, sum), magnitude) in chunk.iter().zip(&mut sum).zip(&mut magnitude) {
            let x: f64 = (*x).into();
            *sum += x;
            *magnitude += x.abs();
        }
    };
    let chunks = line.chunks_exact(8);
    let rest = chunks.remainder();
    chunks.for_each(&mut add);
    add(rest);
    let mut sums = Sums { sum: sum.iter().sum(), magnitude: magnitude.iter().sum() };
    if halves_ends {
        for end in [line[0], line[line.len() - 1]] {
            sums.sum -= 0.5 * end.into();
            sums.magnitude -= 0.5 * end.into().abs();
        }
    }
    sums
}

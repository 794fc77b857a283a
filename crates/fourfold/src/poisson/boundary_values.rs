//! Right-hand sides: boundary values, and the compatibility of singular equations.

use crate::cpu::base::threads::Pool;
use crate::error::{Error, Result};
use crate::poisson::boundary::Axis;
use crate::poisson::equation::Equation;
use crate::problem::element::Precision;
use crate::problem::float::Float;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// An end of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Before the first unknown.
    Low,
    /// After the last unknown.
    High,
}

/// The values at the ends of axes: u for Dirichlet's condition, and the derivative of u along the
/// outward normal for Neumann's. Ends without values have zeros, and no end is given twice.
///
/// ```
/// use fourfold::poisson::{BoundaryValues, End};
/// // 1 at the low end of axis 0, and one value for each point of axis 0 at the high end of axis 1.
/// let list = [0.0, 0.1, 0.2];
/// let values = BoundaryValues::new().constant(0, End::Low, 1.0).list(1, End::High, &list);
/// ```
#[derive(Clone, Debug, Default)]
pub struct BoundaryValues<'a, T> {
    values: Vec<(usize, End, Values<'a, T>)>,
}

#[derive(Clone, Copy, Debug)]
enum Values<'a, T> {
    Constant(T),
    List(&'a [T]),
}

impl<'a, T: Float> BoundaryValues<'a, T> {
    /// Zeros at all ends.
    pub fn new() -> Self {
        BoundaryValues { values: vec![] }
    }

    /// The same value everywhere at one end of an axis.
    pub fn constant(mut self, axis: usize, end: End, value: T) -> Self {
        self.values.push((axis, end, Values::Constant(value)));
        self
    }

    /// One value for each point of the other axes, in C order.
    pub fn list(mut self, axis: usize, end: End, values: &'a [T]) -> Self {
        self.values.push((axis, end, Values::List(values)));
        self
    }
}

/// The sums of a right-hand side over the box.
#[derive(Clone, Copy, Default)]
struct Sums {
    sum: f64,
    magnitude: f64,
}

impl Sums {
    fn add(&mut self, weight: f64, other: Sums) {
        self.sum += weight * other.sum;
        self.magnitude += weight * other.magnitude;
    }

    fn are_finite(&self) -> bool {
        self.sum.is_finite() && self.magnitude.is_finite()
    }
}

impl Equation {
    /// Adds to the right-hand side what given values at the ends contribute.
    ///
    /// # Errors
    /// If `f` has not the [number](Equation::unknowns) of unknowns; if there is no such axis; if
    /// the axis is periodic; if an end is given twice; if a list does not have one value for each point
    /// of the other axes; if a value is not finite, or makes an element of `f` overflow; or if the
    /// eigenvalues are spectral, which have no stencil that reads beyond an end.
    pub fn add_boundary_values<T: Float>(&self, values: &BoundaryValues<'_, T>, f: &mut [T]) -> Result<()> {
        self.check_len("right-hand side", f.len())?;
        self.each_term(values, &mut |place, term| {
            let before: f64 = f[place].into();
            f[place] = T::nearest(before + term);
            if before.is_finite() && !f[place].into().is_finite() {
                return Err(Error::argument(format!(
                    "boundary values add {term:e} to the right-hand side at {:?}, which is then out of the range of {}: \
                     expected smaller values, or spacings nearer to 1",
                    self.index(place),
                    T::PRECISION.name()
                )));
            }
            Ok(())
        })
    }

    /// Calls `each` with the place and the size of every term that boundary values add.
    fn each_term<T: Float>(
        &self,
        values: &BoundaryValues<'_, T>,
        each: &mut impl FnMut(usize, f64) -> Result<()>,
    ) -> Result<()> {
        for (i, &(axis, end, given)) in values.values.iter().enumerate() {
            if values.values[..i].iter().any(|(other, at, _)| (*other, *at) == (axis, end)) {
                let message = format!("the {end} end of axis {axis} has boundary values twice: expected once");
                return Err(Error::argument(message));
            }
            self.each_term_of_end(axis, end, given, each)?;
        }
        Ok(())
    }

    fn each_term_of_end<T: Float>(
        &self,
        number: usize,
        end: End,
        values: Values<'_, T>,
        each: &mut impl FnMut(usize, f64) -> Result<()>,
    ) -> Result<()> {
        let axes = self.axes();
        let missing =
            || Error::argument(format!("boundary values at axis {number}: the equation has {} axes", axes.len()));
        let axis = axes.get(number).ok_or_else(missing)?;
        let boundary = if end == End::Low { axis.ends.low } else { axis.ends.high };
        let periodic =
            || Error::argument(format!("boundary values at axis {number}, which is periodic and has no ends"));
        let factor = axis.boundary_factor(boundary).ok_or_else(periodic)?;
        if self.is_spectral() {
            return Err(Error::argument("boundary values with spectral eigenvalues: expected those of the stencil"));
        }
        let inner: usize = axes[number + 1..].iter().map(|axis| axis.points).product();
        let count = self.unknowns() / axis.points;
        if let Values::List(list) = values
            && list.len() != count
        {
            let message = format!("{} boundary values at axis {number}: expected {count}", list.len());
            return Err(Error::argument(message));
        }
        let (at, factor) = (if end == End::Low { 0 } else { axis.points - 1 }, factor * self.operator_factor());
        for i in 0..count {
            let value: f64 = match values {
                Values::Constant(value) => value,
                Values::List(list) => list[i],
            }
            .into();
            if !value.is_finite() {
                let message = format!("a boundary value of {value} at axis {number}: expected finite numbers");
                return Err(Error::argument(message));
            }
            each((i / inner * axis.points + at) * inner + i % inner, factor * value)?;
        }
        Ok(())
    }

    /// The index along each axis of the unknown at `place` in C order.
    fn index(&self, mut place: usize) -> Vec<usize> {
        let mut index = vec![0; self.axes().len()];
        for (i, axis) in index.iter_mut().zip(self.axes()).rev() {
            *i = place % axis.points;
            place /= axis.points;
        }
        index
    }

    /// Checks that an array has the [number](Equation::unknowns) of unknowns, for authors of engines.
    /// `what` names it in the message.
    ///
    /// # Errors
    /// If it has not.
    pub fn check_len(&self, what: &str, len: usize) -> Result<()> {
        let unknowns = self.unknowns();
        if len == unknowns {
            return Ok(());
        }
        Err(Error::argument(format!("the {what} has {len} elements: expected {unknowns} of shape {:?}", self.shape())))
    }

    /// Checks that a singular equation has a solution for this right-hand side f and these boundary
    /// values, of which every one contributes a term b to an element. Other equations always have one.
    ///
    /// ```text
    /// |Σ w f + Σ w b| ≤ tolerance · (Σ w |f| + Σ w |b|)
    /// ```
    ///
    /// The weight w of a point is ½ for each axis of which it is an end between Neumann nodes, and 1
    /// otherwise. The right side is that of the terms before they cancel, so that rounding errors of
    /// equal and opposite ones are no reason to refuse them.
    ///
    /// # Errors
    /// If the left side exceeds the [tolerance](Equation::tolerance). The message has the ratio. If an
    /// element is not finite, or if the sums overflow. Those of [`Equation::add_boundary_values`].
    pub fn check_compatible<T: Float>(&self, f: &[T], values: &BoundaryValues<'_, T>) -> Result<()> {
        self.check()?;
        self.check_len("right-hand side", f.len())?;
        self.check_compatible_with(f, values, &Pool::of_caller())
    }

    pub(crate) fn check_compatible_with<T: Float>(
        &self,
        f: &[T],
        values: &BoundaryValues<'_, T>,
        pool: &Pool,
    ) -> Result<()> {
        if !self.is_singular() {
            return Ok(());
        }
        let mut sums = self.sums(f, pool);
        self.each_term(values, &mut |place, term| {
            sums.add(weight_of(self.axes(), place), Sums { sum: term, magnitude: term.abs() });
            Ok(())
        })?;
        if !sums.are_finite() {
            return Err(self.not_finite(f));
        }
        let with = if values.values.is_empty() { "" } else { ", with the terms of boundary values," };
        self.check_terms([sums.sum, sums.magnitude], T::PRECISION, with)
    }

    /// [`Equation::check_compatible`] of the sums Σ w f and Σ w |f| over all points, for programs that have
    /// a part of f each. [`Axis::weight`] is the factor of w of an axis.
    ///
    /// # Errors
    /// If the first exceeds the [tolerance](Equation::tolerance) times the second.
    pub fn check_compatible_sums(&self, sums: [f64; 2], precision: Precision) -> Result<()> {
        if self.is_singular() { self.check_terms(sums, precision, "") } else { Ok(()) }
    }

    fn check_terms(&self, [sum, magnitude]: [f64; 2], precision: Precision, with: &str) -> Result<()> {
        let tolerance = self.relative_tolerance(precision);
        if sum.abs() <= tolerance * magnitude {
            return Ok(());
        }
        Err(Error::argument(format!(
            "the right-hand side has no solution: c is 0, no end is dirichlet, and |Σ f|{with} is {:e} of Σ |f|. Expected \
             at most {tolerance:e}: subtract the mean, {:e}, or raise the tolerance",
            sum.abs() / magnitude,
            self.mean(sum)
        )))
    }

    /// Why the sums of a right-hand side are not finite.
    fn not_finite<T: Float>(&self, f: &[T]) -> Error {
        let elements = || f.iter().map(|&x| -> f64 { x.into() });
        Error::argument(match elements().enumerate().find(|(_, x)| !x.is_finite()) {
            Some((place, x)) => {
                format!("the right-hand side is {x} at {:?}: expected finite numbers", self.index(place))
            }
            None => {
                let largest = elements().fold(0.0, |largest: f64, x| largest.max(x.abs()));
                format!("the sum of the right-hand side, of up to {largest:e}, overflows: expected smaller numbers")
            }
        })
    }

    /// [`Equation::check_compatible`] after the forward transforms, whose first term is a multiple of
    /// the sum. Lines of f are read only until their Σ |f| is large enough, which the first one
    /// decides for most arrays.
    pub(crate) fn check_compatible_after<T: Float>(&self, f: &[T], first: f64, pool: &Pool) -> Result<()> {
        if !self.is_singular() {
            return Ok(());
        }
        let sum = first / self.axes().iter().map(Axis::first_term).product::<f64>();
        let (tolerance, [outer @ .., last]) = (self.relative_tolerance(T::PRECISION), self.axes()) else {
            unreachable!("an equation has an axis")
        };
        if sum.is_finite() && tolerance >= 2.0 * ROUNDED * T::PRECISION.epsilon() {
            let mut magnitude = 0.0;
            for (i, line) in f.chunks_exact(last.points).enumerate() {
                magnitude += weight_of(outer, i) * sums_of_line(line, last.halves_ends()).magnitude;
                // The other half of the tolerance is for the rounding errors of the transform.
                if sum.abs() <= 0.5 * tolerance * magnitude {
                    return Ok(());
                }
            }
        }
        self.check_compatible_with(f, &BoundaryValues::new(), pool)?;
        // The sum in `f64` may be finite where that of the transform is not.
        if sum.is_finite() { Ok(()) } else { Err(self.not_finite(f)) }
    }

    /// The mean of an array with this sum, in which the points at ends of Neumann nodes count half.
    fn mean(&self, sum: f64) -> f64 {
        let count = |axis: &Axis| if axis.halves_ends() { axis.points - 1 } else { axis.points };
        sum / self.axes().iter().map(|axis| count(axis) as f64).product::<f64>()
    }

    /// The sums over all points. Every line along the last axis is summed separately, so they do
    /// not depend on the number of threads.
    fn sums<T: Float>(&self, f: &[T], pool: &Pool) -> Sums {
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

/// The most rounding errors of the first term of a transform, as a multiple of Σ |f|: it is a sum of
/// log₂ N levels, and Bluestein's convolution has ten times the error of other DFTs.
const ROUNDED: f64 = 256.0;

/// The least lines of a task, and the most tasks.
const LINES: usize = 16;
const MOST_TASKS: usize = 1 << 9;

/// The product of the weights along these axes of point `i` of the array that has only them.
fn weight_of(axes: &[Axis], mut i: usize) -> f64 {
    let mut weight = 1.0;
    for axis in axes.iter().rev() {
        weight *= axis.weight(i % axis.points);
        i /= axis.points;
    }
    weight
}

/// The sums of a line in eight parts, which a compiler makes vectors of.
fn sums_of_line<T: Float>(line: &[T], halves_ends: bool) -> Sums {
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

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            End::Low => "low",
            End::High => "high",
        })
    }
}

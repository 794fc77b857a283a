//! Right-hand sides: boundary values, and the compatibility of singular equations.

use crate::cpu::base::threads::Pool;
use crate::error::{Error, Result};
use crate::poisson::boundary::Axis;
use crate::poisson::equation::Equation;
use crate::poisson::sums::{Sums, sums_of_line, weight_of};
use crate::problem::element::Precision;
use crate::problem::float::Float;
use std::fmt;

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
    /// a part of f each: the sum of [`Equation::sums_of_part`] over the parts.
    ///
    /// # Errors
    /// If the first exceeds the [tolerance](Equation::tolerance) times the second, or if one is not finite.
    pub fn check_compatible_sums(&self, sums: [f64; 2], precision: Precision) -> Result<()> {
        if !self.is_singular() {
            return Ok(());
        }
        if let Some(sum) = sums.into_iter().find(|sum| !sum.is_finite()) {
            let message = format!("a sum over the right-hand side is {sum}: expected finite numbers");
            return Err(Error::argument(message));
        }
        self.check_terms(sums, precision, "")
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
}

/// The most rounding errors of the first term of a transform, as a multiple of Σ |f|: it is a sum of
/// log₂ N levels, and Bluestein's convolution has ten times the error of other DFTs.
const ROUNDED: f64 = 256.0;

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            End::Low => "low",
            End::High => "high",
        })
    }
}

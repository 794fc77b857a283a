//! The description of an equation, which every engine solves.

use crate::error::{Error, Result};
use crate::poisson::boundary::{Axis, Ends, Position};
use crate::problem::element::Precision;
use crate::problem::kind::Kind;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::pipeline::Pipeline;

/// The operator −∇·∇ on the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Eigenvalues {
    /// The stencil of second order, (2u_n − u_{n−1} − u_{n+1})/h² along each axis.
    #[default]
    Stencil,
    /// The exact derivative of the series of basis functions.
    Spectral,
}

/// The equation −∇·∇u + c u = f on a box, or one implicit step of the heat equation. The
/// [module](super) has the definitions.
///
/// An equation is data: a [`Solver`](crate::poisson::Solver) and the engines for devices plan its
/// [pipeline](Equation::pipeline).
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    axes: Vec<Axis>,
    c: f64,
    eigenvalues: Eigenvalues,
    time_step: Option<f64>,
    tolerance: Option<f64>,
}

/// The most axes of an equation.
const MOST_AXES: usize = 4;

/// A factor below this many rounding errors of its terms counts as zero.
const CANCELLED: f64 = 64.0;

impl Equation {
    /// The equation on these axes, with c = 0 and the eigenvalues of the stencil. Arrays have the
    /// points of the axes as their shape, in C order.
    ///
    /// # Errors
    /// If there are no axes or more than 4. If a spacing is not a finite number above 0. If only one
    /// end of an axis is periodic, or if an axis has too few points.
    pub fn new(axes: impl Into<Vec<Axis>>) -> Result<Equation> {
        let axes = axes.into();
        if axes.is_empty() || axes.len() > MOST_AXES {
            return Err(Error::argument(format!("{} axes: expected 1 to {MOST_AXES}", axes.len())));
        }
        for (a, axis) in axes.iter().enumerate() {
            axis.check().map_err(|error| Error::argument(format!("axis {a}: {error}")))?;
        }
        Ok(Equation { axes, c: 0.0, eigenvalues: Eigenvalues::Stencil, time_step: None, tolerance: None })
    }

    /// The equation on an array of this shape. Each list has an entry for every axis, or one for all.
    ///
    /// # Errors
    /// Those of [`Equation::new`], and if a list has another number of entries.
    pub fn on_shape(shape: &[usize], ends: &[Ends], positions: &[Position], spacings: &[f64]) -> Result<Equation> {
        let axes = shape.len();
        let axis = |(a, &points): (usize, &usize)| {
            let ends = *entry("boundary conditions", ends, a, axes)?;
            let position = *entry("positions", positions, a, axes)?;
            Ok(Axis { points, spacing: *entry("spacings", spacings, a, axes)?, ends, position })
        };
        Equation::new(shape.iter().enumerate().map(axis).collect::<Result<Vec<_>>>()?)
    }

    /// Sets c. Negative ones make a Helmholtz equation.
    pub fn c(mut self, c: f64) -> Equation {
        self.c = c;
        self
    }

    /// Sets the operator.
    pub fn eigenvalues(mut self, eigenvalues: Eigenvalues) -> Equation {
        self.eigenvalues = eigenvalues;
        self
    }

    /// Asks for one implicit (backward Euler) step of ∂u/∂t = ∇·∇u − c u instead: the solution of
    /// u + τ (−∇·∇u + c u) = f, where f is the u before the step and τ the time. Sources are part
    /// of f, multiplied by τ.
    pub fn heat_step(mut self, time: f64) -> Equation {
        self.time_step = Some(time);
        self
    }

    /// Sets the largest |Σ f| of a singular equation, as a part of Σ |f|, both with the terms of
    /// boundary values: [`Equation::check_compatible`] has the formula. The default is 1e-8 in `f64`
    /// and 1e-4 in `f32`.
    pub fn tolerance(mut self, tolerance: f64) -> Equation {
        self.tolerance = Some(tolerance);
        self
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The points of all axes, which is the shape of f and u.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.points).collect()
    }

    /// The number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.axes.iter().fold(1, |product: usize, axis| product.saturating_mul(axis.points))
    }

    /// Whether constants solve the equation with f = 0.
    pub fn is_singular(&self) -> bool {
        self.c == 0.0 && self.time_step.is_none() && self.axes.iter().all(Axis::admits_constants)
    }

    /// The operator.
    pub(crate) fn is_spectral(&self) -> bool {
        self.eigenvalues == Eigenvalues::Spectral
    }

    /// The factor on the operator: 1, or the time of a heat step.
    pub(crate) fn operator_factor(&self) -> f64 {
        self.time_step.unwrap_or(1.0)
    }

    /// The largest |Σ f| as a part of Σ |f|.
    pub(crate) fn relative_tolerance(&self, precision: Precision) -> f64 {
        self.tolerance.unwrap_or(if precision == Precision::F32 { 1e-4 } else { 1e-8 })
    }

    /// The transforms and the factors between them, for authors of engines. It leaves the mean of
    /// singular equations out, and checks no right-hand side.
    ///
    /// # Errors
    /// If c, the time or the tolerance are no numbers or out of range, or if c is minus an
    /// eigenvalue. If factors are out of the range of the precision, or if there is no memory for
    /// them.
    pub fn pipeline(&self, precision: Precision) -> Result<Pipeline<'static>> {
        self.check()?;
        let kinds = self.axes.iter().map(Axis::kind).collect::<Result<Vec<Kind>>>()?;
        let forward = Problem::builder(kinds, precision, self.shape()).build()?;
        let inverse = forward.inverse()?;
        let factors = self.factors(precision)?;
        Ok(Pipeline::from(forward).multiply(factors).transform(inverse))
    }

    /// Checks c, the time and the tolerance.
    pub(crate) fn check(&self) -> Result<()> {
        if !self.c.is_finite() {
            return Err(Error::argument(format!("c = {}: expected a finite number", self.c)));
        }
        if let Some(time) = self.time_step.filter(|time| !(time.is_finite() && *time > 0.0)) {
            return Err(Error::argument(format!("a heat step of {time}: expected a finite number above 0")));
        }
        if let Some(tolerance) = self.tolerance.filter(|tolerance| !(tolerance.is_finite() && *tolerance >= 0.0)) {
            return Err(Error::argument(format!("a tolerance of {tolerance}: expected a finite number from 0 on")));
        }
        Ok(())
    }

    /// 1/(λ + c) for every term, or 1/(1 + τ (λ + c)); 0 for the constant of a singular equation.
    /// λ is a sum over the axes, so lists along them are enough, and no table need be read.
    fn factors(&self, precision: Precision) -> Result<Multiplier> {
        let mut lists =
            self.axes.iter().map(|axis| axis.eigenvalues(self.is_spectral())).collect::<Result<Vec<_>>>()?;
        match self.c < 0.0 {
            true => self.check_sums(&lists, 0.0, true, precision)?,
            false => self.check_ends(&lists, precision)?,
        }
        let (start, time) = (self.start(), self.operator_factor());
        for (a, list) in lists.iter_mut().enumerate() {
            let (c, start) = if a == 0 { (self.c, start) } else { (0.0, 0.0) };
            list.iter_mut().for_each(|lambda| *lambda = start + time * (*lambda + c));
        }
        Ok(Multiplier::ReciprocalSum(lists))
    }

    /// The term of the divisors that has no factor τ.
    fn start(&self) -> f64 {
        if self.time_step.is_some() { 1.0 } else { 0.0 }
    }

    /// Checks the divisors of the least and of the largest sum of one eigenvalue of every list. With c ≥ 0
    /// divisors grow with the sum, and so those between are in range, too.
    fn check_ends(&self, lists: &[Vec<f64>], precision: Precision) -> Result<()> {
        let least = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = lists.iter().map(|list| least(list)).sum();
        // Without the constant, whose eigenvalues are the first ones, one axis has another eigenvalue.
        let other = |list: &Vec<f64>| sum - least(list) + least(&list[1..]);
        let smallest = match self.is_singular() {
            true => lists.iter().filter(|list| list.len() > 1).map(other).reduce(f64::min),
            false => Some(sum),
        };
        // A singular equation of one unknown has only the constant.
        let Some(smallest) = smallest else { return Ok(()) };
        let largest = lists.iter().map(|list| list.iter().copied().fold(0.0, f64::max)).sum();
        [smallest, largest].into_iter().try_for_each(|sum| self.check_divisor(sum, precision))
    }

    /// Checks the divisors of all sums of `outer` and one eigenvalue of every list. `is_first` says
    /// whether `outer` is made of first eigenvalues: the constant of a singular equation has no divisor.
    fn check_sums(&self, lists: &[Vec<f64>], outer: f64, is_first: bool, precision: Precision) -> Result<()> {
        let Some((list, inner)) = lists.split_first() else {
            return if is_first && self.is_singular() { Ok(()) } else { self.check_divisor(outer, precision) };
        };
        let mut sums = list.iter().enumerate();
        sums.try_for_each(|(k, lambda)| self.check_sums(inner, outer + lambda, is_first && k == 0, precision))
    }

    /// Checks the divisor of the terms with eigenvalue λ, and its reciprocal.
    fn check_divisor(&self, lambda: f64, precision: Precision) -> Result<()> {
        let (start, time) = (self.start(), self.operator_factor());
        let (divisor, size) = (start + time * (lambda + self.c), start + time * (lambda + self.c.abs()));
        if self.c < 0.0 && size.is_finite() && divisor.abs() <= CANCELLED * precision.epsilon() * size {
            return Err(self.resonance(lambda));
        }
        let out_of_range = [1.0 / divisor, divisor].into_iter().any(|x| !is_normal(x, precision));
        if out_of_range { Err(self.out_of_range(lambda, 1.0 / divisor, precision)) } else { Ok(()) }
    }

    fn resonance(&self, lambda: f64) -> Error {
        let c = self.c;
        Error::argument(match self.time_step {
            Some(time) => format!(
                "c = {c} and a heat step of {time} make the factor 1 + time (λ + c) zero for the eigenvalue λ = {lambda} of \
                 the operator, so the solution is not unique: expected another c or time"
            ),
            None => format!(
                "c = {c} cancels the eigenvalue {lambda} of the operator, so the solution is not unique: expected a c that \
                 is not near minus an eigenvalue"
            ),
        })
    }

    /// Blames the largest part of the divisor that makes the factor.
    fn out_of_range(&self, lambda: f64, factor: f64, precision: Precision) -> Error {
        let sum = lambda + self.c;
        let (what, expected) = match self.time_step {
            Some(time) if is_normal(sum, precision) => (format!("a heat step of {time:e}"), "one nearer to 1"),
            _ if self.c.abs() > lambda => (format!("c = {:e}", self.c), "0 or a number nearer to 1"),
            _ => {
                let spacings: Vec<_> = self.axes.iter().map(|axis| axis.spacing).collect();
                (format!("spacings of {spacings:?}"), "spacings nearer to 1 and to each other")
            }
        };
        Error::argument(format!(
            "a factor of {factor:e} follows from {what}, and is out of the range of {}: expected {expected}",
            precision.name()
        ))
    }
}

/// The entry of an axis in a list with one entry for each axis, or one for all.
fn entry<'a, T>(what: &str, list: &'a [T], axis: usize, axes: usize) -> Result<&'a T> {
    match list {
        [one] => Ok(one),
        list if list.len() == axes => Ok(&list[axis]),
        list => Err(Error::argument(format!("{} {what} for {axes} axes: expected 1 or {axes}", list.len()))),
    }
}

/// Whether the number is normal in the precision.
fn is_normal(x: f64, precision: Precision) -> bool {
    if precision == Precision::F32 { (x as f32).is_normal() } else { x.is_normal() }
}

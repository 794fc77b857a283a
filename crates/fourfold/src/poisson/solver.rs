//! Solves an equation on the CPU.

use crate::cpu::base::memory::Scratch;
use crate::cpu::base::threads::Pool;
use crate::error::Result;
use crate::plan::plan::Plan;
use crate::plan::planner::Planner;
use crate::poisson::boundary_values::BoundaryValues;
use crate::poisson::equation::Equation;
use crate::problem::float::Float;
use std::marker::PhantomData;
use std::sync::Arc;

/// The executable form of an [`Equation`] on the CPU. The [module](super) has an example.
///
/// Results are the same bit for bit for any number of threads of the planner.
pub struct Solver<T> {
    equation: Equation,
    plan: Plan,
    pool: Arc<Pool>,
    float: PhantomData<T>,
}

impl<T: Float> Solver<T> {
    /// Plans an equation, with the threads of the planner.
    ///
    /// # Errors
    /// Those of [`Equation::pipeline`] and [`Planner::plan`].
    pub fn new(equation: &Equation, planner: &Planner) -> Result<Solver<T>> {
        let plan = planner.plan(equation.pipeline(T::PRECISION)?)?;
        Ok(Solver { equation: equation.clone(), plan, pool: planner.pool(), float: PhantomData })
    }

    /// The equation.
    pub fn equation(&self) -> &Equation {
        &self.equation
    }

    /// The transforms and the multiply between them as one plan. It checks no right-hand side.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Solves the equation with zeros at all ends. For a heat step, `f` is the u before it. If the
    /// equation is not singular, a NaN or an infinity in `f` makes all of `u` NaN or infinite.
    ///
    /// # Errors
    /// If an array has not the [number](Equation::unknowns) of unknowns, or if there is no memory for
    /// the scratch. Those of [`Equation::check_compatible`]: if a singular equation has no solution, `u`
    /// is that for `f` without its mean.
    pub fn solve(&self, f: &[T], u: &mut [T]) -> Result<()> {
        self.solve_with(f, u, &mut self.plan.try_scratch()?)
    }

    /// [`Solver::solve`] with scratch of the [plan](Solver::plan).
    ///
    /// # Errors
    /// Those of [`Solver::solve`], and if the scratch is too small.
    pub fn solve_with(&self, f: &[T], u: &mut [T], scratch: &mut Scratch) -> Result<()> {
        self.equation.check_len("right-hand side", f.len())?;
        self.equation.check_len("solution", u.len())?;
        self.plan.execute_with(f, u, scratch)?;
        // The transform has computed the sum of f, so the check needs no separate trip over it.
        match self.plan.first_multiplied(scratch) {
            Some(first) => self.equation.check_compatible_after(f, first, &self.pool),
            None => self.equation.check_compatible_with(f, &BoundaryValues::new(), &self.pool),
        }
    }

    /// Solves the equation with the given values at the ends.
    ///
    /// # Errors
    /// Those of [`Solver::solve`] and [`Equation::add_boundary_values`].
    pub fn solve_with_boundary(&self, f: &[T], values: &BoundaryValues<'_, T>, u: &mut [T]) -> Result<()> {
        self.equation.check_len("right-hand side", f.len())?;
        self.equation.check_len("solution", u.len())?;
        self.equation.check_compatible_with(f, values, &self.pool)?;
        u.copy_from_slice(f);
        self.equation.add_boundary_values(values, u)?;
        self.plan.execute_in_place(u)
    }
}

//! The transforms and the multiply of an equation, as one plan on a device.

use crate::api::array::GpuArray;
use crate::api::plan::GpuPlan;
use crate::api::planner::GpuPlanner;
use fourfold::Result;
use fourfold::poisson::{BoundaryValues, Equation, Float};
use std::marker::PhantomData;

/// [`Solver`](fourfold::poisson::Solver) on a device, of the same equations.
///
/// ```no_run
/// use fourfold::poisson::{Axis, Boundary::*, Equation};
/// use fourfold_gpu::poisson::GpuSolver;
/// use fourfold_gpu::{Device, GpuPlanner};
/// let device = Device::cuda(0)?;
/// let equation = Equation::new([Axis::cells(4096, 0.1, Neumann), Axis::cells(4096, 0.1, Dirichlet)])?;
/// let solver = GpuSolver::<f32>::new(&equation, &GpuPlanner::new(device.clone()))?;
/// let f = vec![1.0; 4096 * 4096];
/// let mut u = vec![0.0; 4096 * 4096];
/// solver.solve(&f, &mut u)?; // uploads f and downloads u
///
/// let (f, mut u) = (device.upload(&f)?, device.array(u.len())?);
/// solver.solve_on(&f, &mut u)?; // enqueues
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct GpuSolver<T> {
    equation: Equation,
    plan: GpuPlan,
    float: PhantomData<T>,
}

impl<T: Float> GpuSolver<T> {
    /// Plans an equation for the planner's device.
    ///
    /// # Errors
    /// As [`Equation::pipeline`] and [`GpuPlanner::plan`].
    pub fn new(equation: &Equation, planner: &GpuPlanner) -> Result<GpuSolver<T>> {
        let plan = planner.plan(equation.pipeline(T::PRECISION)?)?;
        Ok(GpuSolver { equation: equation.clone(), plan, float: PhantomData })
    }

    /// The equation.
    pub fn equation(&self) -> &Equation {
        &self.equation
    }

    /// The transforms and the multiply between them as one plan.
    pub fn plan(&self) -> &GpuPlan {
        &self.plan
    }

    /// Solves the equation with zeros at all ends, with arrays in the host's memory.
    ///
    /// # Errors
    /// As [`Solver::solve`](fourfold::poisson::Solver::solve) and [`GpuPlan::execute`].
    pub fn solve(&self, f: &[T], u: &mut [T]) -> Result<()> {
        self.equation.check_compatible(f, &BoundaryValues::new())?;
        self.plan.execute(f, u)
    }

    /// Solves the equation with the given values at the ends, with arrays in the host's memory.
    ///
    /// # Errors
    /// As [`GpuSolver::solve`] and [`Equation::add_boundary_values`].
    pub fn solve_with_boundary(&self, f: &[T], values: &BoundaryValues<'_, T>, u: &mut [T]) -> Result<()> {
        self.equation.check_len("right-hand side", f.len())?;
        self.equation.check_len("solution", u.len())?;
        self.equation.check_compatible(f, values)?;
        u.copy_from_slice(f);
        self.equation.add_boundary_values(values, u)?;
        self.plan.execute_in_place(u)
    }

    /// Enqueues a solve of arrays on the device. It does not check that a singular equation has a
    /// solution, but drops the mean of `f`. [`Equation::check_compatible`] and
    /// [`Equation::add_boundary_values`] do the rest before an upload.
    ///
    /// # Errors
    /// As [`GpuPlan::execute_on`].
    pub fn solve_on(&self, f: &GpuArray<T>, u: &mut GpuArray<T>) -> Result<()> {
        self.plan.execute_on(f, u)
    }
}

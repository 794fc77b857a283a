//! Solves the equations of [`fourfold::poisson`] on a device.

pub(crate) mod solver;

pub use crate::poisson::solver::GpuSolver;

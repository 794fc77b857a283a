//! The extension module `fourfold._fourfold`: plans that run on arrays in memory. The package in
//! `python/fourfold` has the interface of SciPy.

mod arrays;
mod cuda;
mod electrostatics;
mod error;
mod jpeg;
mod memory;
mod plan;
mod planners;
mod poisson;
mod signal;
mod xla;
mod xla_cuda;

/// Plans that run on arrays in memory.
#[pyo3::pymodule(gil_used = false)]
mod _fourfold {
    #[pymodule_export]
    use crate::cuda::CudaPlan;
    #[pymodule_export]
    use crate::electrostatics::{PySystem, poisson_steps};
    #[pymodule_export]
    use crate::jpeg::{decode, encode};
    #[pymodule_export]
    use crate::plan::{PyPlan, problem};
    #[pymodule_export]
    use crate::planners::{_after_fork_in_child, _at_exit};
    #[pymodule_export]
    use crate::poisson::PySolver;
    #[pymodule_export]
    use crate::signal::{PyConvolution, PyFilter};
    #[pymodule_export]
    use crate::xla_cuda::XlaPlans;
}

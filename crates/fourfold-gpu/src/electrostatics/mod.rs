pub(crate) mod cells;
pub(crate) mod fixed;
pub(crate) mod kernels;
pub(crate) mod solver;

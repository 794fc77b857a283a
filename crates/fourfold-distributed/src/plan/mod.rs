pub(crate) mod line_problem;
pub(crate) mod memory;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod prepare;
pub(crate) mod twiddles;

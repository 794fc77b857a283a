pub(crate) mod in_place;
pub(crate) mod line_problem;
pub(crate) mod memory;
pub(crate) mod plan;
pub(crate) mod planned_step;
pub(crate) mod planner;
pub(crate) mod prepare;
pub(crate) mod twiddles;

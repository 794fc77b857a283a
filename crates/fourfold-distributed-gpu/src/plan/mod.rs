pub(crate) mod plan;
pub(crate) mod planner;

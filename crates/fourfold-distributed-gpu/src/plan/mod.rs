pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod tune;

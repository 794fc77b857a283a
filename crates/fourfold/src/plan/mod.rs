#[cfg(feature = "ndarray")]
pub(crate) mod ndarray;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod tune;
pub(crate) mod wisdom;

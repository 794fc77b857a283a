pub(crate) mod array;
pub(crate) mod direct;
pub(crate) mod executable;
pub(crate) mod interop;
pub(crate) mod pinned;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod tune;

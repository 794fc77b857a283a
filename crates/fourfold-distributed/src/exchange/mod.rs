pub(crate) mod exchange;
pub(crate) mod moves;
pub(crate) mod packed;
pub(crate) mod region;
pub(crate) mod threads;

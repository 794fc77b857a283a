pub(crate) mod exchange;
pub(crate) mod moves;
pub(crate) mod packed;
pub(crate) mod piece;
pub(crate) mod region;
pub(crate) mod reordering;
pub(crate) mod threads;

pub(crate) mod frame;
pub(crate) mod known;
pub(crate) mod narrow;
pub(crate) mod operators;
pub(crate) mod packed;
pub(crate) mod range;
pub(crate) mod statement;
pub(crate) mod trace;

pub(crate) mod packed;
pub(crate) mod trace;

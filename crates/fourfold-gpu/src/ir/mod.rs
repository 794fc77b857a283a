pub(crate) mod arithmetic;
pub(crate) mod frame;
pub(crate) mod narrow;
pub(crate) mod operator;
pub(crate) mod packed;
pub(crate) mod trace;

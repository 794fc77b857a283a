pub(crate) mod blocks;
pub(crate) mod kernels;
pub(crate) mod ladder;

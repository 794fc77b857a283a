pub(crate) mod arrays;
pub(crate) mod blocks;
pub(crate) mod builder;
pub(crate) mod kernels;
pub(crate) mod ladder;

pub(crate) mod estimate;
pub(crate) mod padding;
pub(crate) mod tiling;

pub(crate) mod estimate;
pub(crate) mod padding;
pub(crate) mod radices;
pub(crate) mod tiling;

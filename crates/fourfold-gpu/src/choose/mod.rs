pub(crate) mod clusters;
pub(crate) mod digit_ranges;
pub(crate) mod estimate;
pub(crate) mod fused_axes;
pub(crate) mod lane_pairs;
pub(crate) mod padding;
pub(crate) mod radices;
pub(crate) mod tiling;

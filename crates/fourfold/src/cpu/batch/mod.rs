pub(crate) mod axis;
pub(crate) mod combine;
pub(crate) mod fused_combine;
pub(crate) mod pointwise;
pub(crate) mod symmetric_last_pass;
pub(crate) mod tiles;
pub(crate) mod tiling;
pub(crate) mod transpose;

pub(crate) mod axis_fusion;
pub(crate) mod geometry;
pub(crate) mod passes;
pub(crate) mod radices;
pub(crate) mod stages;
pub(crate) mod tables;

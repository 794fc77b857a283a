pub(crate) mod axis_fusion;
pub(crate) mod lowered_pass;
pub(crate) mod passes;
pub(crate) mod stages;
pub(crate) mod tables;

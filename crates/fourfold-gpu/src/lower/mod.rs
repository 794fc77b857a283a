pub(crate) mod axis_fusion;
pub(crate) mod draft;
pub(crate) mod passes;
pub(crate) mod stages;
pub(crate) mod tables;

pub(crate) mod program;
pub(crate) mod spec;
pub(crate) mod transform;

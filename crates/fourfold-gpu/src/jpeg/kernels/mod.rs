pub(crate) mod desc;
pub(crate) mod program;
pub(crate) mod transform;

pub(crate) mod compiler;
pub(crate) mod context;
pub(crate) mod errors;
pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod owned;
pub(crate) mod platforms;
pub(crate) mod queue;

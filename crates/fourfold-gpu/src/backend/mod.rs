pub(crate) mod cuda;
pub(crate) mod device;
pub(crate) mod interface;
pub(crate) mod opencl;
pub(crate) mod registry;
pub(crate) mod runtime;
pub(crate) mod transfer;
pub(crate) mod types;

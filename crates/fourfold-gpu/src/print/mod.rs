pub(crate) mod cuda;
pub(crate) mod opencl;
pub(crate) mod printer;

pub(crate) mod c;
pub(crate) mod cuda;
pub(crate) mod opencl;
pub(crate) mod printer;

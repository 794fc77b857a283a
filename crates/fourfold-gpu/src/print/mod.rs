pub(crate) mod c;
pub(crate) mod cuda;
mod four;
pub(crate) mod opencl;
pub(crate) mod printer;

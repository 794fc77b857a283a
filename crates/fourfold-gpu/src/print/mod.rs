pub(crate) mod c;
pub(crate) mod cuda;
mod four;
mod half;
pub(crate) mod opencl;
pub(crate) mod printer;

pub(crate) mod context;
pub(crate) mod memory;
pub(crate) mod platforms;
pub(crate) mod queue;

pub(crate) use crate::backend::opencl::context::{Kernel, Runtime};
pub(crate) use crate::backend::opencl::memory::{Buffer, Pinned};
pub(crate) use crate::backend::opencl::queue::{Event, Queue};

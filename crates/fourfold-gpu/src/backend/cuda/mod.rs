pub(crate) mod compiler;
pub(crate) mod context;
pub(crate) mod fft;
pub(crate) mod memory;
pub(crate) mod queue;

pub(crate) use crate::backend::cuda::context::{Kernel, Runtime};
pub(crate) use crate::backend::cuda::fft::VendorFft;
pub(crate) use crate::backend::cuda::memory::{Buffer, Pinned};
pub(crate) use crate::backend::cuda::queue::{Event, Queue};

pub(crate) mod compiler;
pub(crate) mod context;
pub(crate) mod fft;
pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod nvrtc;
pub(crate) mod queue;
pub(crate) mod releases;

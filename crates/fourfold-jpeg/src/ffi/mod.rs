//! Entropy coding by libjpeg: the only folder that calls C.

pub(crate) mod arrays;
pub(crate) mod error;
pub(crate) mod read;
pub(crate) mod write;

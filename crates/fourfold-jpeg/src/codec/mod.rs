//! JPEG files, except their entropy coding.

pub(crate) mod color;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod image;
pub(crate) mod metadata;
pub(crate) mod orientation;
pub(crate) mod pixels;
pub(crate) mod read;
pub(crate) mod resample;

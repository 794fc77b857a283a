//! Images, and their files.

pub mod files;
mod jpeg_file;
pub(crate) mod pixels;
pub mod plot;
pub mod png_file;

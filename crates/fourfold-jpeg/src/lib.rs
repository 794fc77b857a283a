#![doc = include_str!("../README.md")]

pub mod blocks;
mod codec;
mod coefficients;
mod error;
mod ffi;
mod limits;
mod memory;
mod simd;

pub use crate::blocks::Transform;
pub use crate::codec::decode::{decode, decode_into};
pub use crate::codec::encode::{Sampling, encode};
pub use crate::codec::image::Image;
pub use crate::codec::metadata::{color_profile, orientation};
pub use crate::codec::orientation::Orientation;
pub use crate::codec::read::{Header, WithWarnings, read_coefficients, read_header, write_coefficients};
pub use crate::coefficients::{Coefficients, Color, Component};
pub use crate::limits::Limits;
pub use fourfold::engine::jpeg::Mode;

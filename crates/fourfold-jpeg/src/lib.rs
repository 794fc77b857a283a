#![doc = include_str!("../README.md")]

mod blocks;
mod codec;
mod ffi;
mod memory;
mod simd;

pub use crate::blocks::{Forward, Inverse, Sample, Transform, TransformBuilder};
pub use crate::codec::decode::{decode, decode_into};
pub use crate::codec::encode::{Sampling, encode};
pub use crate::codec::metadata::{color_profile, orientation};
pub use crate::codec::orientation::Orientation;
pub use crate::codec::{Coefficients, Color, Component, Header, Image, Limits, Read};
pub use crate::codec::{read_coefficients, read_header, write_coefficients};
pub use fourfold::engine::jpeg::{Layout, Mode, Order, Table};

use fourfold::{Error, ErrorKind};

/// An argument that does not fit.
fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

#![doc = include_str!("../README.md")]

mod cpu;
mod file;
mod memory;
mod transform;

pub use file::{
    Coefficients, Color, Component, Image, Limits, Read, Sampling, color_profile, decode, decode_into, encode,
    read_coefficients, write_coefficients,
};
pub use fourfold::engine::jpeg::{Layout, Mode, Order, Table};
pub use transform::{Forward, Inverse, Sample, Transform, TransformBuilder};

use fourfold::{Error, ErrorKind};

/// An argument that does not fit.
fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

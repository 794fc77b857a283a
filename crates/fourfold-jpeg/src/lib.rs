#![doc = include_str!("../README.md")]

mod block;
mod cpu;
mod file;
mod transform;

pub use block::{Layout, Mode, Order, Table};
pub use file::{
    Coefficients, Color, Component, Image, Limits, Read, Sampling, decode, decode_into, encode, read_coefficients,
    write_coefficients,
};
pub use transform::{Forward, Inverse, Sample, Transform, TransformBuilder};

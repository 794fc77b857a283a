#![doc = include_str!("../README.md")]

mod block;
mod cpu;
mod transform;

pub use block::{Layout, Mode, Order, Table};
pub use transform::{Forward, Inverse, Sample, Transform, TransformBuilder};

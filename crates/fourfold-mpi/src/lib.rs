#![doc = include_str!("../README.md")]
//!
//! [`MpiRank`] has its parts in the memory of the host, and [`MpiDeviceRank`] on GPUs.

mod rank;

pub use crate::rank::device::{MpiDeviceRank, MpiDeviceRoute};
pub use crate::rank::library::{library_version, takes_device_memory};
pub use crate::rank::rank::{MpiRank, MpiRoute};

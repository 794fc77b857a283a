//! Exchanges of `fourfold-distributed` over MPI: [`MpiRank`], and [`MpiDeviceRank`] for parts on GPUs.
//!
//! The command `fourfold-mpi` verifies, times and runs transforms with it.

mod rank;

pub use crate::rank::device::{MpiDeviceRank, MpiDeviceRoute};
pub use crate::rank::library::{library_version, takes_device_memory};
pub use crate::rank::rank::{MpiRank, MpiRoute};

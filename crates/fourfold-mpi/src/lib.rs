//! Exchanges of `fourfold-distributed` over MPI: [`MpiRank`].
//!
//! The command `fourfold-mpi` verifies, times and runs transforms with it.

mod rank;

pub use crate::rank::rank::{MpiRank, MpiRoute};

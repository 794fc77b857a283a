//! The definitions as sums, and the comparison of a run with them.

pub mod naive;
pub mod verify;

//! The oracle: the defining sums, and the comparison of an engine's output with them.

mod definition;
pub mod naive;
pub mod verify;

//! Transforms of JPEG's blocks to be measured, on devices: their coefficients, times and errors.

pub mod device;
pub mod errors;
pub mod source;

//! The number types of maps and cells.

use crate::problem::element::Element;
use std::ops::{Add, Mul};

/// The type of positions, sizes and maps, which is `f32` or `f64`. Densities and forces are summed
/// in double precision.
pub trait Float: Element + Into<f64> + Add<Output = Self> + Mul<Output = Self> {
    /// The nearest value of this type.
    fn nearest(x: f64) -> Self;
}

impl Float for f32 {
    fn nearest(x: f64) -> f32 {
        x as f32
    }
}

impl Float for f64 {
    fn nearest(x: f64) -> f64 {
        x
    }
}

//! The number types that solvers compute with.

use crate::problem::element::Element;
use std::ops::{Add, Mul};

/// `f32` or `f64`, with the arithmetic that solvers and convolutions need.
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

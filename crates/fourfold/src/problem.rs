//! What to compute.

use crate::{Domain, Edges, Kind, Layout, Norm, Precision, Result, Sum};

/// A problem: always valid once built.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    kinds: Vec<Kind>,
    precision: Precision,
    norm: Norm,
    input: Layout,
    output: Layout,
}

/// Collects what a [`Problem`] needs.
#[derive(Clone, Debug)]
pub struct ProblemBuilder {}

/// One axis of a problem with everything resolved: y = scale · E_out · Sum(E_in · x) along `axis`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisTransform {
    /// The axis of the array.
    pub axis: usize,
    /// The logical length N of the sum (of the real side, where one side is a half spectrum).
    pub n: usize,
    /// The unscaled sum.
    pub sum: Sum,
    /// Factors on single terms.
    pub edges: Edges,
}

impl Problem {
    /// The real type.
    pub fn precision(&self) -> Precision {
        self.precision
    }
    /// Real or complex input.
    pub fn input_domain(&self) -> Domain {
        todo!()
    }
    /// Real or complex output.
    pub fn output_domain(&self) -> Domain {
        todo!()
    }
    /// Shape and strides of the input, in its own elements.
    pub fn input(&self) -> &Layout {
        &self.input
    }
    /// Shape and strides of the output, in its own elements.
    pub fn output(&self) -> &Layout {
        &self.output
    }
    /// The transformed axes, resolved.
    pub fn transforms(&self) -> &[AxisTransform] {
        todo!()
    }
    /// The product of all scale factors, to be applied once.
    pub fn scale(&self) -> f64 {
        todo!()
    }
    /// Whether input and output are the same memory.
    pub fn in_place(&self) -> bool {
        todo!()
    }
    /// The problem that undoes this one.
    pub fn inverse(&self) -> Result<Problem> {
        todo!()
    }
    /// The conjugate transpose.
    pub fn adjoint(&self) -> Problem {
        todo!()
    }
}

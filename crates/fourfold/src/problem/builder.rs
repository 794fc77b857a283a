//! Collects what a problem needs.

use crate::problem::element::Precision;
use crate::problem::kind::Kind;
use crate::problem::norm::Norm;

/// Collects what a [`Problem`](crate::problem::problem::Problem) needs; [`build`](ProblemBuilder::build) checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemBuilder {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) precision: Precision,
    pub(crate) shape: Vec<usize>,
    pub(crate) axes: Option<Vec<isize>>,
    pub(crate) norm: Norm,
    pub(crate) orthogonalize: Option<bool>,
    pub(crate) scale: f64,
    pub(crate) adjoint: bool,
    pub(crate) in_place: bool,
    pub(crate) input_strides: Option<Vec<isize>>,
    pub(crate) output_strides: Option<Vec<isize>>,
}

impl ProblemBuilder {
    pub(crate) fn new(kinds: &[Kind], precision: Precision, shape: &[usize]) -> Self {
        ProblemBuilder {
            kinds: kinds.to_vec(),
            precision,
            shape: shape.to_vec(),
            axes: None,
            norm: Norm::Backward,
            orthogonalize: None,
            scale: 1.0,
            adjoint: false,
            in_place: false,
            input_strides: None,
            output_strides: None,
        }
    }

    /// The axes to transform, −1 being the last; otherwise all, in order.
    pub fn axes(mut self, axes: impl AsRef<[isize]>) -> Self {
        self.axes = Some(axes.as_ref().to_vec());
        self
    }

    /// The norm; otherwise [`Norm::Backward`].
    pub fn norm(mut self, norm: Norm) -> Self {
        self.norm = norm;
        self
    }

    /// SciPy's `orthogonalize`: whether single terms are rescaled so that the orthonormal matrix is
    /// orthogonal (k = 0 of DCT-II, n = 0 of DCT-III, k = N−1 of DST-II, n = N−1 of DST-III, both
    /// ends on both sides of DCT-I; nothing for other kinds). Otherwise exactly with
    /// [`Norm::Ortho`].
    pub fn orthogonalize(mut self, yes: bool) -> Self {
        self.orthogonalize = Some(yes);
        self
    }

    /// A factor on everything, besides the norm's: finite and not zero.
    pub fn scale(mut self, factor: f64) -> Self {
        self.scale = factor;
        self
    }

    /// The conjugate transpose of what the rest names.
    pub fn adjoint(mut self) -> Self {
        self.adjoint = true;
        self
    }

    /// Output over input: both sides then have one layout, that of whichever strides are given.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Strides of the input in its own elements, one for each axis; 0 repeats, negative runs
    /// backwards. Otherwise C order.
    pub fn input_strides(mut self, strides: impl AsRef<[isize]>) -> Self {
        self.input_strides = Some(strides.as_ref().to_vec());
        self
    }

    /// Strides of the output in its own elements, one for each axis; no two elements may share a
    /// place. Otherwise C order.
    pub fn output_strides(mut self, strides: impl AsRef<[isize]>) -> Self {
        self.output_strides = Some(strides.as_ref().to_vec());
        self
    }
}

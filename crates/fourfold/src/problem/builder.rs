//! The builder of problems.

use crate::problem::element::Storage;
use crate::problem::kind::Kind;
use crate::problem::norm::Norm;

/// Builds a [`Problem`](crate::problem::problem::Problem) from kinds, shape and options. Only
/// [`build`](ProblemBuilder::build) checks them.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemBuilder {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) storage: Storage,
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
    pub(crate) fn new(kinds: &[Kind], storage: Storage, shape: &[usize]) -> Self {
        ProblemBuilder {
            kinds: kinds.to_vec(),
            storage,
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

    /// Sets the axes to transform. Negative axes count from the end: −1 is the last. The default is
    /// all axes in ascending order.
    pub fn axes(mut self, axes: impl AsRef<[isize]>) -> Self {
        self.axes = Some(axes.as_ref().to_vec());
        self
    }

    /// Sets the norm. The default is [`Norm::Backward`].
    pub fn norm(mut self, norm: Norm) -> Self {
        self.norm = norm;
        self
    }

    /// Sets SciPy's `orthogonalize`. With it, single terms are rescaled by √2 or 1/√2, so that the
    /// matrix is orthogonal under [`Norm::Ortho`]. These are k = 0 of the DCT-II, n = 0 of the
    /// DCT-III, k = N−1 of the DST-II, n = N−1 of the DST-III, and both ends on both sides of the
    /// DCT-I. It does not change other kinds. The default is `true` with [`Norm::Ortho`], else
    /// `false`.
    pub fn orthogonalize(mut self, yes: bool) -> Self {
        self.orthogonalize = Some(yes);
        self
    }

    /// Sets a factor on the whole output, which multiplies the norm's. It must be finite and not
    /// zero. The default is 1.
    pub fn scale(mut self, factor: f64) -> Self {
        self.scale = factor;
        self
    }

    /// Asks for the conjugate transpose of the transform that the other options describe.
    pub fn adjoint(mut self) -> Self {
        self.adjoint = true;
        self
    }

    /// Writes the output over the input. Both sides then have the same layout: the strides that are
    /// given for either side, or C order.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Sets the strides of the input, one for each axis, in elements of the input. A stride of 0
    /// repeats an element, and a negative one reverses the axis. The default is C order.
    pub fn input_strides(mut self, strides: impl AsRef<[isize]>) -> Self {
        self.input_strides = Some(strides.as_ref().to_vec());
        self
    }

    /// Sets the strides of the output, one for each axis, in elements of the output. No two
    /// elements may have the same address. The default is C order.
    pub fn output_strides(mut self, strides: impl AsRef<[isize]>) -> Self {
        self.output_strides = Some(strides.as_ref().to_vec());
        self
    }
}

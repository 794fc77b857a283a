//! Scale factors.

/// SciPy's `norm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Norm {
    /// Forward kinds unscaled, inverse kinds divided by the logical length.
    #[default]
    Backward,
    /// Both directions divided by the root of the logical length.
    Ortho,
    /// Forward kinds divided by the logical length, inverse kinds unscaled.
    Forward,
}

/// Factors on single terms of a sum: E_out · Sum · E_in. All 1 unless `orthogonalize` or an adjoint asks otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    /// Factor on the first input element.
    pub input_first: f64,
    /// Factor on the last input element (of a half spectrum: on the term N/2, if there is one).
    pub input_last: f64,
    /// Factor on the first output element.
    pub output_first: f64,
    /// Factor on the last output element (of a half spectrum: on the term N/2, if there is one).
    pub output_last: f64,
}

impl Edges {
    /// No term is special.
    pub const ONE: Edges = Edges { input_first: 1.0, input_last: 1.0, output_first: 1.0, output_last: 1.0 };
}

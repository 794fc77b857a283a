//! Scale factors on a whole transform ([`Norm`]) and on single terms ([`EndWeights`]).

use std::fmt;

/// The normalisation, as SciPy's `norm`. L is the [logical
/// length](crate::problem::kind::Kind::logical_length) of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Norm {
    /// Forward kinds are not scaled. Inverse kinds are divided by L.
    #[default]
    Backward,
    /// Both directions are divided by √L.
    Ortho,
    /// Forward kinds are divided by L. Inverse kinds are not scaled.
    Forward,
}

impl Norm {
    /// The norm's name in the notation: `backward`, `ortho` or `forward`.
    pub fn name(self) -> &'static str {
        match self {
            Norm::Backward => "backward",
            Norm::Ortho => "ortho",
            Norm::Forward => "forward",
        }
    }

    /// Whether this norm scales inverse kinds, if `inverse`, or else forward kinds.
    pub(crate) fn scales(self, inverse: bool) -> bool {
        match self {
            Norm::Backward => inverse,
            Norm::Ortho => true,
            Norm::Forward => !inverse,
        }
    }

    /// The divisor of the whole transform, given the product of the logical lengths of all axes
    /// that the norm scales. The root is taken of the product, because it is then exact if the
    /// product is a square.
    pub(crate) fn divisor(self, product: f64) -> f64 {
        match self {
            Norm::Ortho => product.sqrt(),
            Norm::Backward | Norm::Forward => product,
        }
    }
}

impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Factors on the first and last terms of a 1D transform T: W_out · T · W_in. All are 1 except with
/// `orthogonalize` and for adjoints.
///
/// On an axis of one element, that element is both the first and the last. At most one of the two
/// factors then differs from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndWeights {
    /// Factor on the first input element.
    pub input_first: f64,
    /// Factor on the last input element. For a half spectrum it is on the term N/2, and 1 if N is
    /// odd.
    pub input_last: f64,
    /// Factor on the first output element.
    pub output_first: f64,
    /// Factor on the last output element. For a half spectrum it is on the term N/2, and 1 if N is
    /// odd.
    pub output_last: f64,
}

impl EndWeights {
    /// All four factors are 1.
    pub const ONE: EndWeights = EndWeights { input_first: 1.0, input_last: 1.0, output_first: 1.0, output_last: 1.0 };

    /// The factor `input` on both ends of the input, and `output` on both ends of the output.
    pub(crate) fn ends(input: f64, output: f64) -> EndWeights {
        EndWeights { input_first: input, input_last: input, output_first: output, output_last: output }
    }

    /// The same weights with input and output exchanged.
    pub fn swapped(self) -> EndWeights {
        EndWeights {
            input_first: self.output_first,
            input_last: self.output_last,
            output_first: self.input_first,
            output_last: self.input_last,
        }
    }

    /// The products of the factors of `self` and `other`.
    pub(crate) fn times(self, other: EndWeights) -> EndWeights {
        EndWeights {
            input_first: self.input_first * other.input_first,
            input_last: self.input_last * other.input_last,
            output_first: self.output_first * other.output_first,
            output_last: self.output_last * other.output_last,
        }
    }
}

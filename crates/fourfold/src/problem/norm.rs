//! Scale factors: of a whole transform ([`Norm`]) and of single terms ([`EndWeights`]).

use std::fmt;

/// SciPy's `norm`. L is the [logical length](crate::problem::kind::Kind::logical_length) of an
/// axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Norm {
    /// Forward kinds unscaled, inverse kinds divided by L.
    #[default]
    Backward,
    /// Both directions divided by √L.
    Ortho,
    /// Forward kinds divided by L, inverse kinds unscaled.
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

    /// Whether this norm scales kinds of the given direction at all.
    pub(crate) fn scales(self, inverse: bool) -> bool {
        match self {
            Norm::Backward => inverse,
            Norm::Ortho => true,
            Norm::Forward => !inverse,
        }
    }

    /// What to divide by, given the product of the logical lengths of all axes that the norm
    /// scales. One root of the product, not a product of roots: exact where the product is a
    /// square.
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

/// Factors on single terms of a sum: E_out · Sum · E_in. All 1 unless `orthogonalize` or an adjoint
/// asks otherwise.
///
/// On an axis of one element, first and last are that element; at most one of the two factors then
/// differs from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndWeights {
    /// Factor on the first input element.
    pub input_first: f64,
    /// Factor on the last input element (of a half spectrum: on the term N/2; 1 if there is none).
    pub input_last: f64,
    /// Factor on the first output element.
    pub output_first: f64,
    /// Factor on the last output element (of a half spectrum: on the term N/2; 1 if there is none).
    pub output_last: f64,
}

impl EndWeights {
    /// No term is special.
    pub const ONE: EndWeights = EndWeights { input_first: 1.0, input_last: 1.0, output_first: 1.0, output_last: 1.0 };

    /// The same factor on both ends of a side.
    pub(crate) fn ends(input: f64, output: f64) -> EndWeights {
        EndWeights { input_first: input, input_last: input, output_first: output, output_last: output }
    }

    /// Input and output exchanged.
    pub(crate) fn swapped(self) -> EndWeights {
        EndWeights {
            input_first: self.output_first,
            input_last: self.output_last,
            output_first: self.input_first,
            output_last: self.input_last,
        }
    }

    /// Both sets of factors applied.
    pub(crate) fn times(self, other: EndWeights) -> EndWeights {
        EndWeights {
            input_first: self.input_first * other.input_first,
            input_last: self.input_last * other.input_last,
            output_first: self.output_first * other.output_first,
            output_last: self.output_last * other.output_last,
        }
    }
}

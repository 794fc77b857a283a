//! What a recipe computes: a problem, a filter, or a long signal.

use crate::recipe::real_form::RealForm;
use fourfold::engine::{AxisTransform, EndWeights, Transform1d, prime_factors};
use fourfold::{Domain, Error, ErrorKind, Kind, Norm, Problem, Result};
use std::fmt;

/// What a recipe computes. Its stages are problems in order, with a multiply between two of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subject {
    stages: Vec<Problem>,
    /// The signal of which the stages are the columns and the rows of a matrix.
    signal: Option<Problem>,
}

impl Subject {
    /// A problem.
    ///
    /// # Errors
    /// If its arrays have strides, or if it is in place.
    pub(crate) fn transform(problem: &Problem) -> Result<Subject> {
        check_layout(problem)?;
        Ok(Subject { stages: vec![problem.clone()], signal: None })
    }

    /// A filter: `forward`, a multiply, `inverse`.
    ///
    /// # Errors
    /// As for [`Subject::transform`], and if the output of `forward` is no input of `inverse`.
    pub(crate) fn filter(forward: &Problem, inverse: &Problem) -> Result<Subject> {
        check_layout(forward)?;
        check_layout(inverse)?;
        let fits = forward.precision() == inverse.precision()
            && forward.output_domain() == inverse.input_domain()
            && forward.output().shape == inverse.input().shape;
        if fits {
            return Ok(Subject { stages: vec![forward.clone(), inverse.clone()], signal: None });
        }
        let message =
            format!("the output of `{forward}` is not an input of `{inverse}`: shapes, domains and types must agree");
        Err(Error::new(ErrorKind::Problem, message))
    }

    /// An FFT of one signal of length N = N₁·N₂ as DFTs of the columns and the rows of a matrix: the
    /// four-step method (D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4,
    /// 1990). With n = N₂n₁ + n₂ and k = k₁ + N₁k₂,
    ///
    /// X\[k₁ + N₁k₂\] = Σ_{n₂} w_{N₂}^{n₂k₂} · w_N^{n₂k₁} · Σ_{n₁} x\[N₂n₁ + n₂\] w_{N₁}^{n₁k₁}.
    ///
    /// The first stage is the sum over n₁, along axis 0. The multiply is by w_N^{n₂k₁}. The second
    /// stage is the sum over n₂, along axis 1. For complex signals its output is stored with k₂ as the
    /// slower index.
    ///
    /// Columns of reals have half spectra, so `rfft` has the rows k₁ ≤ N₁/2, with all k₂. They contain
    /// every term X\[k\] or its conjugate X\[N − k\]. `irfft` has the same stages in the other order.
    /// The matrix of a [`RealForm::Ends`] has N/2 elements, and that of a [`RealForm::Extended`] 2(N ∓ 1), of whose
    /// columns and rows one half follows from the other.
    ///
    /// # Errors
    /// As for [`Subject::transform`], and if the problem is not such an FFT, or if N₁ does not divide N.
    pub(crate) fn signal(signal: &Problem, columns: usize) -> Result<Subject> {
        check_layout(signal)?;
        let fail = |message: String| Err(Error::new(ErrorKind::Problem, message));
        let Some((n, transform, form)) = fourier_signal(signal) else {
            return fail(format!("`{signal}` is not one signal of a kind that has columns and rows"));
        };
        if columns == 0 || n % columns != 0 {
            return fail(format!("`{signal}`: {columns} does not divide {n}"));
        }
        let sized = |kind: Kind, axis: isize, shape: [usize; 2], scale: f64| {
            let norm = if matches!(kind, Kind::Fft | Kind::Rfft) { Norm::Backward } else { Norm::Forward };
            Problem::builder(kind, signal.storage(), shape).axes([axis]).norm(norm).scale(scale).build()
        };
        let width = n / columns;
        let part = |kind: Kind, axis: isize, rows: usize, scale: f64| sized(kind, axis, [rows, width], scale);
        let (half, scale) = (columns / 2 + 1, signal.scale());
        let stages = match form {
            Some(RealForm::Extended { .. }) => {
                [sized(Kind::Rfft, 0, [columns, width / 2 + 1], 1.0)?, part(Kind::Irfft, 1, half, scale)?]
            }
            Some(
                RealForm::HalfSpectrum { inverse: false }
                | RealForm::TermPairs { inverse: false, .. }
                | RealForm::Centered { .. },
            ) => [part(Kind::Rfft, 0, columns, 1.0)?, part(Kind::Fft, 1, half, scale)?],
            Some(RealForm::HalfSpectrum { inverse: true } | RealForm::TermPairs { inverse: true, .. }) => {
                [part(Kind::Ifft, 1, half, 1.0)?, part(Kind::Irfft, 0, columns, scale)?]
            }
            Some(RealForm::Ends { backward: false }) => {
                [part(Kind::Fft, 0, columns, 1.0)?, part(Kind::Fft, 1, columns, scale)?]
            }
            None if transform == Transform1d::Forward => {
                [part(Kind::Fft, 0, columns, 1.0)?, part(Kind::Fft, 1, columns, scale)?]
            }
            _ => [part(Kind::Ifft, 0, columns, 1.0)?, part(Kind::Ifft, 1, columns, scale)?],
        };
        Ok(Subject { stages: stages.into(), signal: Some(signal.clone()) })
    }

    /// Whether a long signal is computed that is real, as its terms are.
    pub(crate) fn is_real_signal(&self) -> bool {
        let is_real = |signal: &Problem| [signal.input_domain(), signal.output_domain()] == [Domain::Real; 2];
        self.signal.as_ref().is_some_and(is_real)
    }

    /// The form of a long signal that is real on at least one side.
    pub(crate) fn real_form(&self) -> Option<RealForm> {
        RealForm::of(&self.signal.as_ref()?.transforms()[0])
    }

    /// The lengths N₁ and N₂ of a long signal's matrix.
    pub(crate) fn matrix(&self) -> [usize; 2] {
        // The stage along an axis has that axis as a whole on at least one side.
        let whole = |axis: usize| {
            let length = |problem: &Problem| problem.input().shape[axis].max(problem.output().shape[axis]);
            self.stages.iter().map(length).max().expect("a recipe computes something")
        };
        [whole(0), whole(1)]
    }

    /// Whether a complex signal is computed, whose spectrum can have its natural order.
    pub(crate) fn is_complex_signal(&self) -> bool {
        self.signal.as_ref().is_some_and(is_complex)
    }

    /// The problems in order.
    pub(crate) fn stages(&self) -> &[Problem] {
        &self.stages
    }

    /// The long signal, if the stages are its columns and rows.
    pub(crate) fn long_signal(&self) -> Option<&Problem> {
        self.signal.as_ref()
    }

    /// Whether the caller has factors for the multiply.
    pub(crate) fn is_filter(&self) -> bool {
        self.signal.is_none() && self.stages.len() > 1
    }

    /// The number of axes that a distribution names.
    pub(crate) fn named_axes(&self) -> usize {
        self.stages[0].input().shape.len()
    }

    /// The number of axes of all arrays.
    pub(crate) fn axes(&self) -> usize {
        self.input().1.len()
    }

    /// Domain and shape of the input.
    pub(crate) fn input(&self) -> (Domain, Vec<usize>) {
        let problem = &self.stages[0];
        (problem.input_domain(), with_unit_axis(&problem.input().shape))
    }

    /// Domain and shape of the array that is multiplied between two stages.
    pub(crate) fn multiplied(&self) -> (Domain, Vec<usize>) {
        let problem = &self.stages[0];
        (problem.output_domain(), with_unit_axis(&problem.output().shape))
    }

    /// Domain and shape of the output.
    pub(crate) fn output(&self) -> (Domain, Vec<usize>) {
        let problem = self.stages.last().expect("a recipe computes something");
        (problem.output_domain(), with_unit_axis(&problem.output().shape))
    }
}

/// The shape, with a second axis if there is only one: ranks that have nothing of a signal have
/// nothing of that axis.
pub(crate) fn with_unit_axis(shape: &[usize]) -> Vec<usize> {
    if let [n] = shape { vec![*n, 1] } else { shape.to_vec() }
}

/// The number of the matrix's elements, the transform and its form, if the problem is one signal of a kind that
/// has columns and rows. Weights are on terms that have no partner.
fn fourier_signal(problem: &Problem) -> Option<(usize, Transform1d, Option<RealForm>)> {
    let [transform] = problem.transforms() else { return None };
    let AxisTransform { n, transform1d, end_weights: weights, .. } = *transform;
    let one = EndWeights::ONE;
    let allowed = match transform1d {
        Transform1d::Dct1 => weights,
        Transform1d::Dct2 => EndWeights { output_first: weights.output_first, ..one },
        Transform1d::Dct3 => EndWeights { input_first: weights.input_first, ..one },
        Transform1d::Dst2 => EndWeights { output_last: weights.output_last, ..one },
        Transform1d::Dst3 => EndWeights { input_last: weights.input_last, ..one },
        _ => one,
    };
    let form = RealForm::of(transform);
    let is_complex = matches!(transform1d, Transform1d::Forward | Transform1d::Backward);
    let fits = problem.input().shape.len() == 1 && weights == allowed && (is_complex || form.is_some());
    fits.then(|| (form.map_or(n, |form| form.elements(n)), transform1d, form))
}

/// Whether both sides of the problem are complex.
fn is_complex(problem: &Problem) -> bool {
    [problem.input_domain(), problem.output_domain()] == [Domain::Complex; 2]
}

/// The number N₁ of columns' elements, if a signal is best computed by the four-step method on so
/// many ranks: the divisor of N next to √N, if every rank then has columns and rows.
pub(crate) fn columns_of(problem: &Problem, ranks: usize) -> Option<usize> {
    let (n, _, form) = fourier_signal(problem)?;
    let larger_first = prime_factors(n).into_iter().rev();
    let (a, b) = larger_first.fold((1, 1), |(a, b), p| if a <= b { (a * p, b) } else { (a, b * p) });
    // Without a form, and with this one, all rows are computed. Of a DFT of reals, half of them are.
    let is_full = matches!(form, None | Some(RealForm::Ends { .. }));
    let (a, b) = if is_full { (a, b) } else { (a.max(b), a.min(b)) };
    let rows = if is_full { a } else { a / 2 + 1 };
    let columns = if matches!(form, Some(RealForm::Extended { .. })) { b / 2 + 1 } else { b };
    (ranks > 1 && rows.min(columns) >= ranks).then_some(a)
}

fn check_layout(problem: &Problem) -> Result<()> {
    if !problem.in_place() && problem.input().is_c_order() && problem.output().is_c_order() {
        return Ok(());
    }
    let message = format!("`{problem}`: ranks have their parts in C order: leave out inplace, in= and out=");
    Err(Error::new(ErrorKind::Problem, message))
}

/// Writes the problems of the heading of a recipe.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(signal) = &self.signal {
            let [rows, columns] = self.matrix();
            return write!(f, "{signal} as {rows}x{columns}");
        }
        let problems: Vec<_> = self.stages.iter().map(Problem::to_string).collect();
        f.write_str(&problems.join(" | multiply | "))
    }
}

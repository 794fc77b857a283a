//! The problem that one rank computes in a pass.

use fourfold::engine::{AxisTransform, Transform1d};
use fourfold::{Kind, Norm, Problem, ProblemBuilder, Result};

/// The transforms along some axes of `problem` as a problem for an array of another shape along the
/// other axes. Its total scale is `scale`. Several transforms are all sums of reals, or all complex FFTs.
///
/// # Errors
/// If the array does not fit the address space, or if the scale does not fit the precision.
pub(crate) fn line_problem(
    problem: &Problem,
    transforms: &[AxisTransform],
    shape: &[usize],
    scale: f64,
    [input_strides, output_strides]: [Option<&[isize]>; 2],
) -> Result<Problem> {
    let kinds: Vec<_> = transforms.iter().map(|transform| kind_of(problem, transform)).collect();
    let axes: Vec<_> = transforms.iter().map(|transform| transform.axis as isize).collect();
    // The norm that does not scale the kind, if there is only one.
    let is_plain = |(kind, transform): (&Kind, &AxisTransform)| kind.scale(transform.n, Norm::Backward) == 1.0;
    let norm = if kinds.iter().zip(transforms).any(is_plain) { Norm::Backward } else { Norm::Forward };
    let build = |orthogonalize: bool, scale: f64| {
        let builder = Problem::builder(&kinds, problem.storage(), shape).axes(&axes);
        let builder = builder.norm(norm).orthogonalize(orthogonalize).scale(scale);
        let builder = if problem.is_adjoint() { builder.adjoint() } else { builder };
        let builder = input_strides.into_iter().fold(builder, ProblemBuilder::input_strides);
        output_strides.into_iter().fold(builder, ProblemBuilder::output_strides).build()
    };
    let plain = build(false, 1.0)?;
    let weighs = |transform: &AxisTransform| {
        let other = plain.transforms().iter().find(|other| other.axis == transform.axis);
        other.is_none_or(|other| other.end_weights != transform.end_weights)
    };
    // Adjoints of half spectra have the factor 1/2 or 2, so the quotient is exact.
    build(transforms.iter().any(weighs), scale / plain.scale())
}

/// The kind of a transform. `rfft` and `irfft` along several axes make or undo a half spectrum along
/// one of them, and are complex FFTs along the others.
fn kind_of(problem: &Problem, transform: &AxisTransform) -> Kind {
    let transforms = problem.transforms().iter();
    let named = transforms.zip(problem.kinds()).find(|(other, _)| other.axis == transform.axis);
    let kind = named.map_or(problem.kinds()[0], |(_, kind)| *kind);
    let is_half = matches!(transform.transform1d, Transform1d::R2C | Transform1d::C2R);
    match kind {
        Kind::Rfft if !is_half => Kind::Fft,
        Kind::Irfft if !is_half => Kind::Ifft,
        kind => kind,
    }
}

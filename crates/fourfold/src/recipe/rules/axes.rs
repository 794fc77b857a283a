//! A transform of several axes as one pass for each axis (the row-column method). With A_a the
//! matrix along axis a,
//!
//! y = (A_0 ⊗ A_1 ⊗ …) x = Π_a (I ⊗ A_a ⊗ I) x,
//!
//! and the factors of the product commute.
//!
//! A pass reads every element once and writes every element once. The first pass reads the input,
//! and the last one writes the output. Between passes, the array is in the output if shape and
//! domain are the same, else in the work array. R2C is in the first pass, since a half spectrum has
//! half the elements of a complex array. C2R is in the last pass for the same reason.
//!
//! One pass of a filter (forward → multiply → inverse) computes the last forward transform, the
//! multiply and the first inverse transform. If the input is multiplied, the first pass does so. If
//! the output is multiplied, the last pass does so.

use crate::error::{Error, Result};
use crate::problem::kind::Transform1d;
use crate::problem::problem::{AxisTransform, Problem};
use crate::recipe::recipe::{AxisRecipe, Multiplied, PassOp, Recipe};
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::extension;
use crate::recipe::rules::four_step;
use crate::recipe::rules::intra_vector;
use crate::recipe::rules::line_convolution;
use crate::recipe::rules::mixed_radix::four_step_factors;
use crate::recipe::scheme::Scheme;

/// The default recipe of `problem`.
pub(crate) fn recipe(problem: &Problem) -> Recipe {
    Recipe::new(problem.clone(), None, one_per_pass(lines(problem, None, None)))
}

/// The recipe of forward → multiply → inverse.
///
/// # Errors
/// If type, domain or shape of the output of `forward` differ from those of the input of `inverse`,
/// or if `forward` has no axis to transform.
pub(crate) fn filter(forward: &Problem, inverse: &Problem) -> Result<Recipe> {
    if forward.precision() != inverse.precision()
        || forward.output_domain() != inverse.input_domain()
        || forward.output().shape != inverse.input().shape
    {
        let message =
            format!("the output of `{forward}` is not an input of `{inverse}`: shapes, domains and types must agree");
        return Err(Error::problem(message));
    }
    let Some((mut before, mut after)) = fusion_axis(forward, inverse) else { return unfused_filter(forward, inverse) };
    batch_both(before.last_mut(), after.first_mut());
    let (mut ops, mut after) = (one_per_pass(before), one_per_pass(after).into_iter());
    let meet = ops.last_mut().expect("not empty");
    meet.push(PassOp::Multiply);
    meet.extend(after.next().into_iter().flatten());
    ops.extend(after);
    Ok(Recipe::new(forward.clone(), Some(Multiplied::Between(Box::new(inverse.clone()))), ops))
}

/// The recipe of a filter whose problems share no axis. The last pass of the first one multiplies, so
/// it has one pass more than other filters.
fn unfused_filter(forward: &Problem, inverse: &Problem) -> Result<Recipe> {
    let mut ops = multiplied_last(forward)?;
    ops.extend(one_per_pass(lines(inverse, None, None)));
    Ok(Recipe::new(forward.clone(), Some(Multiplied::Between(Box::new(inverse.clone()))), ops))
}

/// The recipe of multiply → `problem`.
///
/// # Errors
/// If no axis is transformed, so that no pass can include the multiply.
pub(crate) fn premultiplied(problem: &Problem) -> Result<Recipe> {
    // Complex factors need a pass with a Fourier transform: see `fusion_axis`.
    let fourier = lines(problem, None, None).iter().find(|line| is_fourier(line)).map(|line| line.transform.axis);
    let mut ops = one_per_pass(lines(problem, fourier, None));
    ops.first_mut().ok_or_else(|| no_axis(problem))?.insert(0, PassOp::Multiply);
    Ok(Recipe::new(problem.clone(), Some(Multiplied::Input), ops))
}

/// The recipe of `problem` → multiply.
///
/// # Errors
/// If no axis is transformed, so that no pass can include the multiply.
pub(crate) fn postmultiplied(problem: &Problem) -> Result<Recipe> {
    Ok(Recipe::new(problem.clone(), Some(Multiplied::Output), multiplied_last(problem)?))
}

/// The passes of `problem`, of which the last one multiplies.
fn multiplied_last(problem: &Problem) -> Result<Vec<Vec<PassOp>>> {
    // The rows are in the last pass, because the pass that multiplies takes longest, and rows read
    // the table of factors in order. Measured: docs/performance/log.md.
    let passes = lines(problem, None, None);
    let last = passes.iter().rfind(|line| is_fourier(line)).or(passes.first()).map(|line| line.transform.axis);
    let mut ops = one_per_pass(lines(problem, None, last));
    ops.last_mut().ok_or_else(|| no_axis(problem))?.push(PassOp::Multiply);
    Ok(ops)
}

fn no_axis(problem: &Problem) -> Error {
    Error::problem(format!("`{problem}` has no axis to transform: nothing to multiply for"))
}

/// Each transform in a separate pass.
fn one_per_pass(lines: Vec<AxisRecipe>) -> Vec<Vec<PassOp>> {
    lines.into_iter().map(|line| vec![PassOp::Transform(line)]).collect()
}

/// Makes the schemes of two transforms in one pass batched if one of them is.
fn batch_both(before: Option<&mut AxisRecipe>, after: Option<&mut AxisRecipe>) {
    let mut both: Vec<_> = before.into_iter().chain(after).collect();
    if both.iter().any(|line| matches!(line.scheme, Scheme::Batched(_))) {
        for line in &mut both {
            let AxisTransform { transform1d, n, .. } = line.transform;
            line.scheme = Scheme::Batched(extension::factors_of(transform1d, n));
        }
    }
}

/// The transforms of both problems, such that the last of `forward` and the first of `inverse` are
/// along the same axis. If possible, they are Fourier transforms. Complex factors mix the real and
/// the imaginary part, but a pass of real transforms computes the two parts separately.
fn fusion_axis(forward: &Problem, inverse: &Problem) -> Option<(Vec<AxisRecipe>, Vec<AxisRecipe>)> {
    let mut ends = lines(forward, None, None);
    ends.reverse();
    ends.sort_by_key(|line| !is_fourier(line));
    ends.iter().map(|line| line.transform.axis).find_map(|axis| {
        let (before, after) = (lines(forward, None, Some(axis)), lines(inverse, Some(axis), None));
        let (end, begin) = (before.last()?, after.first()?);
        let meet = [end, begin].iter().all(|line| line.transform.axis == axis) && is_fourier(end) == is_fourier(begin);
        meet.then_some((before, after))
    })
}

/// Whether at least one side of the transform is complex.
fn is_fourier(line: &AxisRecipe) -> bool {
    matches!(
        line.transform.transform1d,
        Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R
    )
}

/// The transforms of a problem in the order of the passes. The last one includes the scale, but
/// see [`share`]. `first` and `last` are the preferred axes of the first and the last pass.
fn lines(problem: &Problem, first: Option<usize>, last: Option<usize>) -> Vec<AxisRecipe> {
    let strides = &problem.input().strides;
    let mut transforms: Vec<AxisTransform> = problem.transforms().to_vec();
    let rank = |t: &AxisTransform| match t.transform1d {
        Transform1d::R2C => 0,
        Transform1d::C2R => 4,
        _ if Some(t.axis) == first => 1,
        _ if Some(t.axis) == last => 3,
        _ => 2,
    };
    // Rows come before columns. The first pass writes to another array than it reads, and passes
    // along columns are fastest in place.
    transforms.sort_by_key(|t| (rank(t), strides[t.axis].unsigned_abs(), std::cmp::Reverse(t.axis)));
    let line = |(i, transform): (usize, &AxisTransform)| AxisRecipe {
        transform: *transform,
        scale: share(problem, &transforms, i),
        scheme: scheme(transform, problem),
    };
    transforms.iter().enumerate().map(line).collect()
}

/// The factor of pass i of a problem's scale s: s for the last pass, else 1.
///
/// Arrays of 16 bits hold what is between two passes, too, and `f16` has a narrow range. There all
/// passes share the scale: with n_j elements along axis j, pass i takes |s|^(ln n_i / Σ ln n_j). By a
/// norm, sums grow with a power of n, so each pass undoes about its own growth.
fn share(problem: &Problem, transforms: &[AxisTransform], i: usize) -> f64 {
    let (scale, is_last) = (problem.scale(), i + 1 == transforms.len());
    let weight = |transform: &AxisTransform| (transform.n as f64).ln();
    let all: f64 = transforms.iter().map(weight).sum();
    match problem.storage().is_half() && all > 0.0 {
        true => scale.abs().powf(weight(&transforms[i]) / all) * if is_last { scale.signum() } else { 1.0 },
        false if is_last => scale,
        false => 1.0,
    }
}

/// The approximate number of lines along an axis. A half spectrum changes it.
pub(crate) fn lines_along(problem: &Problem, axis: usize) -> usize {
    problem.input().elements() / problem.input().shape[axis]
}

/// The scheme for the lines of `problem` along one axis.
fn scheme(transform: &AxisTransform, problem: &Problem) -> Scheme {
    let (data, len) = dft_of(transform.transform1d, transform.n);
    let lines = lines_along(problem, transform.axis);
    let [rows, columns] = intra_vector::FEW;
    let few = if problem.input().strides[transform.axis].unsigned_abs() == 1 { rows } else { columns };
    let real = problem.precision().bytes();
    let along = four_step::single(data, len, lines, few).and_then(|m| intra_vector::scheme(m, real));
    if let Some(scheme) = along {
        return scheme;
    }
    let in_lanes = match four_step::lengths(data, len, lines) {
        None => Scheme::Batched(extension::factors_of(transform.transform1d, transform.n)),
        Some((columns, rows)) => {
            let (columns, rows) = four_step_factors(columns, rows);
            Scheme::FourStep { columns, rows }
        }
    };
    let convolution =
        if lines <= few || len > four_step::LONG { line_convolution::scheme(data, len, real) } else { None };
    match convolution {
        Some(convolution) if line_convolution::is_faster(&convolution, &in_lanes, data, lines, real) => convolution,
        _ => in_lanes,
    }
}

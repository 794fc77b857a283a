//! A transform of several axes as one pass an axis (the row-column method): with A_a the matrix
//! along axis a,
//!
//! y = (A_0 ⊗ A_1 ⊗ …) x = Π_a (I ⊗ A_a ⊗ I) x,
//!
//! and the factors of the product commute.
//!
//! A pass reads every element once and writes every element once. The first reads the input, the
//! last writes the output. Between passes the array stands in the output, if shape and domain are
//! the same, else in the work array. A real-to-half-spectrum sum goes first and its reverse
//! last, so that the array is small and real passes stay real. A filter (forward → multiply →
//! inverse) runs the last forward sum, the multiply and the first inverse sum in one pass; where
//! the input is multiplied, the first pass does so, and where the output is, the last.

use crate::error::{Error, Result};
use crate::problem::kind::Transform1d;
use crate::problem::problem::{AxisTransform, Problem};
use crate::recipe::recipe::{AxisRecipe, Multiplied, PassOp, Recipe};
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::extension;
use crate::recipe::rules::four_step;
use crate::recipe::rules::intra_vector;
use crate::recipe::rules::mixed_radix::factors_of_cut;
use crate::recipe::scheme::Scheme;

/// The passes of `problem` with the planner's own factors.
pub(crate) fn recipe(problem: &Problem) -> Recipe {
    Recipe::new(problem.clone(), None, one_per_pass(lines(problem, None, None)))
}

/// The passes of forward → multiply → inverse.
///
/// # Errors
/// If the spectrum of one problem is not that of the other, or there is no axis to carry the
/// multiply.
pub(crate) fn filter(forward: &Problem, inverse: &Problem) -> Result<Recipe> {
    if forward.precision() != inverse.precision()
        || forward.output_domain() != inverse.input_domain()
        || forward.output().shape != inverse.input().shape
    {
        let message =
            format!("the output of `{forward}` is not an input of `{inverse}`: shapes, domains and types must agree");
        return Err(Error::problem(message));
    }
    let Some((mut before, mut after)) = fusion_axis(forward, inverse) else {
        let message = format!(
            "`{forward}` and `{inverse}` share no axis on which the first can end and the second begin, both with Fourier \
             transforms or neither"
        );
        return Err(Error::problem(message));
    };
    before.last_mut().into_iter().chain(after.first_mut()).for_each(hold_whole_lines);
    let (mut ops, mut after) = (one_per_pass(before), one_per_pass(after).into_iter());
    let meet = ops.last_mut().expect("not empty");
    meet.push(PassOp::Multiply);
    meet.extend(after.next().into_iter().flatten());
    ops.extend(after);
    Ok(Recipe::new(forward.clone(), Some(Multiplied::Between(Box::new(inverse.clone()))), ops))
}

/// The passes of multiply → `problem`.
///
/// # Errors
/// If there is no axis to carry the multiply.
pub(crate) fn premultiplied(problem: &Problem) -> Result<Recipe> {
    // Complex factors need a Fourier transform to meet them; see `fusion_axis`.
    let fourier = lines(problem, None, None).iter().find(|line| is_fourier(line)).map(|line| line.transform.axis);
    let mut lines = lines(problem, fourier, None);
    hold_whole_lines(lines.first_mut().ok_or_else(|| nothing_to_carry(problem))?);
    let mut ops = one_per_pass(lines);
    ops[0].insert(0, PassOp::Multiply);
    Ok(Recipe::new(problem.clone(), Some(Multiplied::Input), ops))
}

/// The passes of `problem` → multiply.
///
/// # Errors
/// As [`premultiplied`].
pub(crate) fn postmultiplied(problem: &Problem) -> Result<Recipe> {
    // Rows last: the pass that multiplies is the longer one, and its table is read as it stands.
    // Measured: docs/performance/log.md.
    let passes = lines(problem, None, None);
    let last = passes.iter().rfind(|line| is_fourier(line)).or(passes.first()).map(|line| line.transform.axis);
    let mut lines = lines(problem, None, last);
    hold_whole_lines(lines.last_mut().ok_or_else(|| nothing_to_carry(problem))?);
    let mut ops = one_per_pass(lines);
    ops.last_mut().expect("one a line").push(PassOp::Multiply);
    Ok(Recipe::new(problem.clone(), Some(Multiplied::Output), ops))
}

fn nothing_to_carry(problem: &Problem) -> Error {
    Error::problem(format!("`{problem}` has no axis to transform: nothing to multiply for"))
}

/// Every sum in a separate pass.
fn one_per_pass(lines: Vec<AxisRecipe>) -> Vec<Vec<PassOp>> {
    lines.into_iter().map(|line| vec![PassOp::Transform(line)]).collect()
}

/// As the pass that multiplies does.
fn hold_whole_lines(line: &mut AxisRecipe) {
    let AxisTransform { sum, n, .. } = line.transform;
    line.scheme = Scheme::Batched(extension::factors_of(sum, n));
}

/// The sums of both problems, the last of `forward` along the same axis as the first of `inverse`:
/// a Fourier one if there is one, since complex factors turn real and imaginary part into each
/// other, which a pass of real sums sees one by one.
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

/// Whether complex numbers stand on one side of the sum at least.
fn is_fourier(line: &AxisRecipe) -> bool {
    matches!(line.transform.sum, Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R)
}

/// The sums of a problem in the order of the passes; the last carries the scale. `first` and
/// `last`: the axes to begin and to end with, if that may be.
fn lines(problem: &Problem, first: Option<usize>, last: Option<usize>) -> Vec<AxisRecipe> {
    let strides = &problem.input().strides;
    let mut transforms: Vec<AxisTransform> = problem.transforms().to_vec();
    let rank = |t: &AxisTransform| match t.sum {
        Transform1d::R2C => 0,
        Transform1d::C2R => 4,
        _ if Some(t.axis) == first => 1,
        _ if Some(t.axis) == last => 3,
        _ => 2,
    };
    // Rows before columns: the first pass leaves the input, and columns are best done where they
    // stand.
    transforms.sort_by_key(|t| (rank(t), strides[t.axis].unsigned_abs(), std::cmp::Reverse(t.axis)));
    let end = transforms.len().saturating_sub(1);
    let line = |(i, transform): (usize, AxisTransform)| AxisRecipe {
        transform,
        scale: if i == end { problem.scale() } else { 1.0 },
        scheme: scheme(&transform, problem),
    };
    transforms.into_iter().enumerate().map(line).collect()
}

/// About how many lines there are along an axis.
pub(crate) fn lines_along(problem: &Problem, axis: usize) -> usize {
    problem.input().elements() / problem.input().shape[axis]
}

/// How the DFT of a sum is done over the lines of `problem`.
fn scheme(transform: &AxisTransform, problem: &Problem) -> Scheme {
    let (data, len) = dft_of(transform.sum, transform.n);
    let lines = lines_along(problem, transform.axis);
    let [rows, columns] = intra_vector::FEW;
    let few = if problem.input().strides[transform.axis].unsigned_abs() == 1 { rows } else { columns };
    if let Some(m) = four_step::single(data, len, lines, few) {
        if let Some([within, across]) = intra_vector::parts(m) {
            return Scheme::Blocked { within, across };
        }
        if let Some(factors) = intra_vector::factors(m, problem.precision().bytes()) {
            return Scheme::IntraVector(factors);
        }
    }
    match four_step::lengths(data, len, lines) {
        None => Scheme::Batched(extension::factors_of(transform.sum, transform.n)),
        Some((columns, rows)) => {
            let (columns, rows) = factors_of_cut(columns, rows);
            Scheme::FourStep { columns, rows }
        }
    }
}

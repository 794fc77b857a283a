//! Recipes that may be faster than a given one.
//! [`Effort::Measure`](crate::plan::planner::Effort::Measure) measures them.
//!
//! They differ from it in one choice, a *step*, which is either the scheme of one pass or the order
//! of the passes. Tuning takes one step after another, and keeps the best choices of the steps
//! before. So the number of recipes is the sum of the numbers of choices, and not their product.

use crate::problem::kind::Transform1d;
use crate::recipe::recipe::{AxisRecipe, PassOp, Recipe};
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::extension;
use crate::recipe::rules::four_step;
use crate::recipe::rules::four_step::complex_length;
use crate::recipe::rules::line_convolution;
use crate::recipe::rules::mixed_radix::{four_step_factors, variants};
use crate::recipe::rules::{axes, intra_vector};
use crate::recipe::scheme::Scheme;

/// The most lines for which schemes that compute lines one by one are candidates.
const MANY: usize = 64;

/// The greatest length for which the batched scheme is a candidate.
const LONG: usize = 1 << 16;

/// The number of steps: one for each pass, and one for the order.
pub(crate) fn steps(recipe: &Recipe) -> usize {
    recipe.passes().len() + 1
}

/// The recipes that differ from `recipe` in this step. A recipe that multiplies has none.
pub(crate) fn at(recipe: &Recipe, step: usize) -> Vec<Recipe> {
    let Some(pass) = recipe.passes().get(step) else { return reversed(recipe).into_iter().collect() };
    let (Some(PassOp::Transform(line)), None) = (pass.ops.first(), recipe.multiplied()) else { return vec![] };
    let with = |scheme| {
        let mut ops: Vec<_> = recipe.passes().iter().map(|pass| pass.ops.clone()).collect();
        ops[step] = vec![PassOp::Transform(AxisRecipe { scheme, ..line.clone() })];
        Recipe::new(recipe.problem().clone(), None, ops)
    };
    schemes(recipe, line).into_iter().filter(|scheme| *scheme != line.scheme).map(with).collect()
}

/// The recipe with the passes in reverse order. R2C, which must be first, and C2R, which must be
/// last, prevent it.
fn reversed(recipe: &Recipe) -> Option<Recipe> {
    let halves = |line: &AxisRecipe| matches!(line.transform.transform1d, Transform1d::R2C | Transform1d::C2R);
    if recipe.passes().len() < 2 || recipe.lines().any(halves) || recipe.multiplied().is_some() {
        return None;
    }
    let ops = recipe.passes().iter().rev().map(|pass| pass.ops.clone()).collect();
    Some(Recipe::new(recipe.problem().clone(), None, ops))
}

/// All schemes that are candidates for a pass.
fn schemes(recipe: &Recipe, line: &AxisRecipe) -> Vec<Scheme> {
    let (data, len) = dft_of(line.transform.transform1d, line.transform.n);
    let lines = axes::lines_along(recipe.problem(), line.transform.axis);
    let mut list = vec![];
    if len <= LONG {
        let first = extension::factors_of(line.transform.transform1d, line.transform.n);
        let others = variants(len).into_iter().filter(|list| *list != first).collect::<Vec<_>>();
        list.extend(std::iter::once(first).chain(others).map(Scheme::Batched));
    }
    if lines <= MANY || len > LONG {
        list.extend(line_convolution::scheme(data, len, recipe.problem().precision().bytes()));
    }
    if let Some(m) = complex_length(data, len).filter(|_| lines <= MANY || len > LONG) {
        list.extend(intra_vector::variants(m).into_iter().map(Scheme::IntraVector));
        let parts = intra_vector::variants_in_parts(m).into_iter();
        list.extend(parts.map(|[within, across]| Scheme::Blocked { within, across }));
        let cut = |(columns, rows)| four_step_factors(columns, rows);
        list.extend(
            four_step::splits(m).into_iter().map(cut).map(|(columns, rows)| Scheme::FourStep { columns, rows }),
        );
    }
    list
}

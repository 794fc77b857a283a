//! Recipes that might be faster than a given one: what
//! [`Effort::Measure`](crate::plan::planner::Effort::Measure) tries.
//!
//! They differ from it in one thing, a *step*: the scheme of one line, or the order of the passes.
//! Step after step finds the best of each given the best before it, as many recipes as there are
//! schemes in all, and not their product.

use crate::problem::kind::Transform1d;
use crate::recipe::recipe::{AxisRecipe, PassOp, Recipe};
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::extension;
use crate::recipe::rules::four_step;
use crate::recipe::rules::four_step::complex_length;
use crate::recipe::rules::mixed_radix::{factors_of_cut, variants};
use crate::recipe::rules::{axes, intra_vector};
use crate::recipe::scheme::Scheme;

/// Lines that are more are not tried one by one.
const MANY: usize = 64;

/// Lengths up to which many lines are tried at once.
const LONG: usize = 1 << 16;

/// How many steps there are from a recipe.
pub(crate) fn steps(recipe: &Recipe) -> usize {
    recipe.passes().len() + 1
}

/// The recipes one step away. None from those that multiply.
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

/// The passes the other way round, unless half spectra must be made first or undone last.
fn reversed(recipe: &Recipe) -> Option<Recipe> {
    let halves = |line: &AxisRecipe| matches!(line.transform.sum, Transform1d::R2C | Transform1d::C2R);
    if recipe.passes().len() < 2 || recipe.lines().any(halves) || recipe.multiplied().is_some() {
        return None;
    }
    let ops = recipe.passes().iter().rev().map(|pass| pass.ops.clone()).collect();
    Some(Recipe::new(recipe.problem().clone(), None, ops))
}

/// All schemes that are tried for a line.
fn schemes(recipe: &Recipe, line: &AxisRecipe) -> Vec<Scheme> {
    let (data, len) = dft_of(line.transform.sum, line.transform.n);
    let lines = axes::lines_along(recipe.problem(), line.transform.axis);
    let mut list = vec![];
    if len <= LONG {
        let first = extension::factors_of(line.transform.sum, line.transform.n);
        let others = variants(len).into_iter().filter(|list| *list != first).collect::<Vec<_>>();
        list.extend(std::iter::once(first).chain(others).map(Scheme::Batched));
    }
    if let Some(m) = complex_length(data, len).filter(|_| lines <= MANY || len > LONG) {
        list.extend(intra_vector::variants(m).into_iter().map(Scheme::IntraVector));
        let parts = intra_vector::variants_in_parts(m).into_iter();
        list.extend(parts.map(|[within, across]| Scheme::Blocked { within, across }));
        let cut = |(columns, rows)| factors_of_cut(columns, rows);
        list.extend(
            four_step::splits(m).into_iter().map(cut).map(|(columns, rows)| Scheme::FourStep { columns, rows }),
        );
    }
    list
}

//! Exchanges that can be cut into parts, with the passes that are computed part by part beside them.
//!
//! Parts are blocks along axis 0, which are contiguous in memory. Passes along other axes can be done block
//! by block: the exchange of one is under way while the pass before it computes the next one, or the pass
//! after it one that has arrived. Such a pass is in place in the memory of the exchange, or reads the input.

use crate::distribution::block;
use crate::recipe::recipe::Recipe;
use crate::recipe::step::{Action, PassOp, Step};
use fourfold::engine::ArrayId;
use std::ops::Range;

/// An exchange in parts. It is the step between the two ranges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cut {
    /// The steps before it that are computed in parts.
    pub(crate) before: Range<usize>,
    /// The steps after it that are.
    pub(crate) after: Range<usize>,
    /// Whose axis 0 is cut: that of the part of the rank that sends (0), or of the one that receives (1).
    pub(crate) side: usize,
}

/// The fewest lines of a pass in a part. Engines compute fewer lines in other ways, which have other last bits.
const LEAST_LINES: usize = 17;

/// The exchanges of a recipe that are cut into so many parts. A pass between two exchanges belongs to the
/// second one where it can. An exchange stays whole if a part of some rank would have few lines.
pub(crate) fn cuts(recipe: &Recipe, parts: usize) -> Vec<Cut> {
    let all = (0..recipe.steps().len()).filter_map(|exchange| cut(recipe, exchange));
    all.filter(|cut| parts > 1 && has_enough(recipe, cut, parts)).collect()
}

fn cut(recipe: &Recipe, exchange: usize) -> Option<Cut> {
    let steps = recipe.steps();
    let Step { from, to, .. } = steps[exchange];
    if !is_plain_exchange(recipe, exchange) || from == ArrayId::Input {
        return None;
    }
    let is_before = |i: &usize| {
        is_divisible(recipe, *i) && steps[*i].to == from && [from, ArrayId::Input].contains(&steps[*i].from)
    };
    let start = (0..exchange).rev().take_while(is_before).last().unwrap_or(exchange);
    let is_after = |i: &usize| is_divisible(recipe, *i) && [steps[*i].from, steps[*i].to] == [to; 2];
    let end = (exchange + 1..steps.len()).take_while(is_after).last().map_or(exchange + 1, |last| last + 1);
    let side = usize::from(start == exchange);
    let [before, after] = [exchange, exchange + 1].map(|i| &recipe.arrays()[i].distribution);
    let belongs_to_next = end < steps.len() && is_plain_exchange(recipe, end);
    let is_apart = side == 0 && !before.divides_alike(after, 0);
    let end = if belongs_to_next || is_apart { exchange + 1 } else { end };
    (start < exchange || end > exchange + 1).then_some(Cut { before: start..exchange, after: exchange + 1..end, side })
}

/// Whether a step is an exchange of arrays in C order.
fn is_plain_exchange(recipe: &Recipe, i: usize) -> bool {
    matches!(recipe.steps()[i].action, Action::Exchange { reorder: None, .. }) && is_c_order(recipe, i)
}

/// Whether a step is a pass that can be done in blocks along axis 0.
fn is_divisible(recipe: &Recipe, i: usize) -> bool {
    let Action::Pass { axis, ops } = &recipe.steps()[i].action else { return false };
    *axis != 0 && !ops.contains(&PassOp::Multiply) && is_c_order(recipe, i)
}

/// Whether a step reads and writes arrays in C order.
fn is_c_order(recipe: &Recipe, i: usize) -> bool {
    recipe.arrays()[i..=i + 1].iter().all(|array| array.order.is_sorted())
}

/// Whether all parts of all ranks have enough lines, but for ranks that have nothing.
fn has_enough(recipe: &Recipe, cut: &Cut, parts: usize) -> bool {
    let is_enough = |i: usize, rank: usize| {
        let Action::Pass { axis, .. } = recipe.steps()[i].action else { return false };
        let lengths: Vec<_> = recipe.arrays()[i].ranges(recipe.grid(), rank).iter().map(Range::len).collect();
        let across: usize = (1..lengths.len()).filter(|other| *other != axis).map(|other| lengths[other]).product();
        let least = block(lengths[0], parts, parts - 1).len();
        lengths.contains(&0) || least * across >= LEAST_LINES
    };
    let passes = || cut.before.clone().chain(cut.after.clone());
    passes().all(|i| (0..recipe.grid().ranks()).all(|rank| is_enough(i, rank)))
}

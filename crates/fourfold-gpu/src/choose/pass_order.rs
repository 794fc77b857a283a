//! Choices are in the order of the recipe. A pass that is one kernel with another one than that before it there
//! names it ([`AxisFusion::WithPass`]), and runs right after it.

use crate::choose::estimate::{Choice, Chosen};
use crate::desc::choice::AxisFusion;
use crate::error::argument;
use fourfold::Result;

/// The numbers of the passes in the order in which they run: every one right after that which its choice names,
/// which may be a later one that names another. An error if that does not lead to one that names none.
pub(crate) fn order_of(choices: &[Choice]) -> Result<Vec<usize>> {
    let named = |i: usize| match choices[i].axis_fusion {
        AxisFusion::WithPass(other) => Some(other),
        AxisFusion::None | AxisFusion::WithPrevious => None,
    };
    let (mut waiting, mut order): (Vec<usize>, Vec<usize>) = (0..choices.len()).partition(|i| named(*i).is_some());
    while let Some(next) = waiting.first().copied() {
        let place = |i: usize| Some((i, order.iter().position(|pass| named(i) == Some(*pass))?));
        let wrong = || {
            let message = format!("`{}` of pass {}: expected the number of another one", choices[next], next + 1);
            argument(message)
        };
        let (i, at) = waiting.iter().find_map(|&i| place(i)).filter(|_| named(0).is_none()).ok_or_else(wrong)?;
        order.insert(at + 1, i);
        waiting.retain(|other| *other != i);
    }
    Ok(order)
}

/// Choices in the order in which passes run, of which those that fuse are joined with the pass before them.
pub(crate) fn in_execution_order(choices: &[Choice], order: &[usize]) -> Vec<Choice> {
    if choices.len() != order.len() {
        return choices.to_vec();
    }
    let before = |turn: usize| turn.checked_sub(1).map(|turn| order[turn]);
    let chosen = |(turn, &pass): (usize, &usize)| {
        let wanted = match choices[pass].axis_fusion {
            AxisFusion::None => None,
            AxisFusion::WithPrevious => pass.checked_sub(1),
            AxisFusion::WithPass(other) => Some(other),
        };
        let follows = wanted.is_some() && wanted == before(turn);
        let axis_fusion = if follows { AxisFusion::WithPrevious } else { AxisFusion::None };
        Choice { axis_fusion, ..choices[pass].clone() }
    };
    order.iter().enumerate().map(chosen).collect()
}

/// What was chosen, back in the order of the recipe.
pub(crate) fn in_own_order(chosen: Vec<Chosen>, order: &[usize]) -> Vec<Chosen> {
    if chosen.len() != order.len() {
        return chosen;
    }
    let named = |(turn, mut chosen): (usize, Chosen)| {
        if chosen.choice.axis_fusion == AxisFusion::WithPrevious && !order.is_sorted() {
            chosen.choice.axis_fusion = AxisFusion::WithPass(order[turn - 1]);
        }
        (order[turn], chosen)
    };
    let mut numbered: Vec<(usize, Chosen)> = chosen.into_iter().enumerate().map(named).collect();
    numbered.sort_by_key(|(pass, _)| *pass);
    numbered.into_iter().map(|(_, chosen)| chosen).collect()
}

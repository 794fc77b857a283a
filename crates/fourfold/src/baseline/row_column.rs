//! The row-column method: for each axis, three stages along the last axis, and a transpose that
//! makes the next axis the last. For two axes these are the paper's 3 · 2 + 2 = 8 trips through
//! memory.
//!
//! A transpose moves the last axis to the front of those that are transformed. After as many
//! transposes as there are axes, the order is the original one. A single axis needs no transpose.

use crate::baseline::stage::{ArrayDesc, Stage};
use crate::baseline::three_stage::{Options, last, round_of};
use crate::problem::element::Domain;
use crate::problem::problem::Problem;

/// The stages. `None` unless all transforms are of types II and III.
pub(crate) fn stages(problem: &Problem) -> Option<Vec<Stage>> {
    let natural = ArrayDesc::natural(problem.input(), Domain::Real);
    let mut transforms = problem.transforms().to_vec();
    transforms.sort_by_key(|transform| transform.axis);
    let mut axes: Vec<usize> = transforms.iter().map(|transform| transform.axis).collect();
    let inner = |axes: &[usize]| natural.ordered(&last(&natural, axes));
    let (count, mut from, mut stages) = (transforms.len(), natural.clone(), vec![]);
    for (i, transform) in transforms.iter().rev().enumerate() {
        let end = i + 1 == count;
        let rows = inner(&axes);
        let scale = if end { problem.scale() } else { 1.0 };
        let done = if count == 1 { &natural } else { &rows };
        stages.extend(round_of(problem.precision(), &[*transform], [&from, &rows, done], scale, Options::BEST)?);
        axes.rotate_right(1);
        let to = if end { natural.clone() } else { inner(&axes) };
        if count > 1 {
            stages.push(Stage::transpose(&rows, &to));
        }
        from = to;
    }
    Some(stages)
}

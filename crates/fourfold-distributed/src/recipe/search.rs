//! The rule that finds the steps of a recipe: the fewest exchanges, and of these the least elements
//! that a rank sends and passes over.
//!
//! A state is the set of transforms that are done, and the distribution. Transforms along axes that
//! all ranks have as a whole are done at once, since an exchange would not make them cheaper. Then an
//! exchange moves dimensions of the grid from one axis to another. If that leads to the wanted output
//! only by detours, the last exchange moves everything to it. The search is Dijkstra's.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::progress::Progress;
use crate::recipe::step::Action;
use crate::recipe::subject::Subject;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// The cost of a path: exchanges, then elements, then passes in another order than that of one process.
type Cost = (usize, u128, usize);

/// A state with the path to it.
struct Node {
    progress: Progress,
    cost: Cost,
    /// The state before it, and the actions that lead from there.
    before: Option<usize>,
    actions: Vec<Action>,
}

/// The actions that compute the subject from an input of the distribution `input`. `output` is the
/// distribution of the output, if it is not free.
pub(crate) fn search(
    subject: &Subject,
    grid: &Grid,
    input: &Distribution,
    output: Option<&Distribution>,
) -> Vec<Action> {
    let start = Progress::start(input.clone());
    let mut nodes = vec![with_passes(subject, grid, start, (0, 0, 0), None, vec![])];
    let mut open = BinaryHeap::from([Reverse((nodes[0].cost, 0))]);
    let mut closed = HashSet::new();
    while let Some(Reverse((cost, at))) = open.pop() {
        let progress = nodes[at].progress.clone();
        if !closed.insert(progress.clone()) {
            continue;
        }
        let is_complete = progress.is_complete(subject);
        if is_complete && output.is_none_or(|output| *output == progress.distribution) {
            return path(nodes, at);
        }
        for (parts, to) in exchanges(&progress, grid, output.filter(|_| is_complete)) {
            let sent = sent(subject, grid, &progress, &to, parts);
            let actions = vec![Action::Exchange { to: to.clone(), reorder: None }];
            let mut moved = progress.clone();
            moved.distribution = to;
            let node = with_passes(subject, grid, moved, (cost.0 + 1, cost.1 + sent, cost.2), Some(at), actions);
            open.push(Reverse((node.cost, nodes.len())));
            nodes.push(node);
        }
    }
    unreachable!("any axis can become whole, and any output be reached")
}

/// The state after all passes that can come next.
fn with_passes(
    subject: &Subject,
    grid: &Grid,
    mut progress: Progress,
    mut cost: Cost,
    before: Option<usize>,
    mut actions: Vec<Action>,
) -> Node {
    loop {
        let last = progress.last_axis(subject);
        let Some(pass) = progress.next_pass(subject) else { break };
        cost.2 += usize::from(!matches!(pass, Action::Pass { axis, .. } if Some(axis) == last));
        cost.1 += most_elements(subject, grid, &progress, &progress.distribution);
        actions.push(pass);
    }
    Node { progress, cost, before, actions }
}

/// The distributions that one exchange leads to, each with the number of parts that it makes of a
/// rank's array. `output` is the wanted one, once all transforms are done.
fn exchanges(progress: &Progress, grid: &Grid, output: Option<&Distribution>) -> Vec<(usize, Distribution)> {
    let axes = progress.distribution.axes();
    let pairs = (0..axes).flat_map(|from| (0..axes).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let moved = pairs.flat_map(|(from, to)| progress.distribution.moved(from, to, grid));
    moved.chain(output.map(|output| (grid.ranks(), output.clone()))).collect()
}

/// About the most elements that a rank sends or receives.
fn sent(subject: &Subject, grid: &Grid, progress: &Progress, to: &Distribution, parts: usize) -> u128 {
    let ends = [&progress.distribution, to].map(|end| most_elements(subject, grid, progress, end));
    let most = ends[0].max(ends[1]);
    most - most / parts as u128
}

/// The most reals that a rank has of the array in a distribution. The blocks of rank 0 are the
/// largest.
fn most_elements(subject: &Subject, grid: &Grid, progress: &Progress, distribution: &Distribution) -> u128 {
    let (domain, shape) = progress.array(subject);
    let ranges = distribution.ranges(&shape, grid, 0);
    ranges.iter().map(|range| range.len() as u128).product::<u128>() * domain.reals() as u128
}

/// The actions that lead to a state.
fn path(mut nodes: Vec<Node>, at: usize) -> Vec<Action> {
    let mut pieces = vec![];
    let mut next = Some(at);
    while let Some(at) = next {
        pieces.push(std::mem::take(&mut nodes[at].actions));
        next = nodes[at].before;
    }
    pieces.into_iter().rev().flatten().collect()
}

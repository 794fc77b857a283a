//! Synthetic circuits with the figures of published ones.
//!
//! Counts of nodes, nets and pins, and the shares of the region that fixed and movable nodes cover,
//! are those of an ISPD 2005 circuit, in proportion to the cells that are wanted. The rest is drawn
//! at random, the same for the same seed:
//!
//! - Cells are one row high; their widths in sites are log-normal.
//! - Macros fill 90 % of the leaves of a slicing floorplan, so they do not overlap. The other
//!   leaves are for cells.
//! - Cells stand on rows beside macros, more densely in some places than in others.
//! - Terminals are squares of one site along the border.
//! - Degrees of nets follow a power law, most of them 2. Pins of a net are near each other.
//!
//! In the contest's bigblue3, 2485 movable nodes are higher than a row. Here all movable nodes are
//! cells.

mod cells;
mod floorplan;
mod nets;
mod random;
#[cfg(test)]
mod tests;

use fastrand::Rng;

use crate::circuit::generate::cells::Cells;
use crate::circuit::generate::floorplan::{Floorplan, ROW};
use crate::circuit::ispd2005::Published;
use crate::circuit::rects::Rect;
use crate::circuit::{Circuit, Kind, Nets, Nodes, Pin};

/// The circuit that is wanted.
pub(crate) struct Request {
    pub(crate) published: &'static Published,
    /// The number of movable nodes.
    pub(crate) cells: usize,
    pub(crate) seed: u64,
}

impl Request {
    /// A published count, in proportion to the cells.
    fn scaled(&self, count: usize) -> usize {
        (count as f64 * self.cells as f64 / self.published.movable as f64).round().max(1.0) as usize
    }

    /// More bytes than making it takes, about 825 a cell: between 400,000 and 2,000,000 cells,
    /// whose lists have up to twice the room that they need, 604 to 740 were counted.
    pub(crate) fn bytes(&self) -> usize {
        let Published { fixed, nets, pins, .. } = *self.published;
        let nodes = self.cells + self.scaled(fixed);
        400 * nodes + 200 * self.scaled(nets) + 2 * size_of::<Pin>() * self.scaled(pins)
    }
}

/// A circuit with its nets.
pub(crate) fn circuit(request: &Request) -> Circuit {
    let mut rng = Rng::with_seed(request.seed);
    let (mut circuit, cells) = place(request, &mut rng);
    let counts = [request.scaled(request.published.nets), request.scaled(request.published.pins)];
    circuit.nets = nets::between(&circuit, &cells, counts, &mut rng);
    circuit
}

/// The same circuit without its nets, which take most of the time.
pub(crate) fn placement(request: &Request) -> Circuit {
    place(request, &mut Rng::with_seed(request.seed)).0
}

fn place(request: &Request, rng: &mut Rng) -> (Circuit, Cells) {
    let published = request.published;
    let widths = random::widths(request.cells, rng);
    let area = widths.iter().sum::<f64>() * ROW / published.movable_share();
    let plan = Floorplan::new(area, published.fixed_share(), request.scaled(published.macros), rng);
    let cells = Cells::place(&widths, &plan, rng);
    let mut nodes = Nodes::default();
    let mut add = |rect: Rect, kind: Kind| nodes.push(&format!("o{}", nodes.len()), rect, kind);
    widths.iter().zip(&cells.low).for_each(|(width, low)| add(Rect::new(*low, [*width, ROW]), Kind::Movable));
    plan.macros.iter().for_each(|rect| add(*rect, Kind::Fixed));
    let terminals = request.scaled(published.fixed - published.macros);
    (0..terminals).for_each(|i| add(plan.terminal(i as f64 / terminals as f64), Kind::Fixed));
    (Circuit { nodes, rows: plan.rows(), nets: Nets::default() }, cells)
}

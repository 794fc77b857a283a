//! Circuits as charges of the electrostatic system.

use anyhow::Result;
use fourfold::Planner;
use fourfold::electrostatics::{self, Cells, CircuitBuilder, Grid};

use crate::circuit::rects::Rects;
use crate::circuit::{Circuit, Kind};

/// A circuit of which movable and fixed nodes are charged. Those that cells may lie under are not.
pub(crate) struct Charges {
    pub(crate) placed: electrostatics::Circuit<f64>,
    /// The nodes that are movable, in the order of the movable cells.
    pub(crate) movable: Vec<usize>,
}

impl Charges {
    /// The charges of a circuit on a grid of its region, with the settings that `set` makes.
    pub(crate) fn new(
        circuit: &Circuit,
        bins: [usize; 2],
        planner: &Planner,
        set: impl Fn(CircuitBuilder<'_, f64>) -> CircuitBuilder<'_, f64>,
    ) -> Result<Charges> {
        let region = circuit.region();
        let grid = Grid::new(region.low, region.high, bins)?;
        let (movable, cells) = of_kind(circuit, Kind::Movable);
        let (_, fixed) = of_kind(circuit, Kind::Fixed);
        let builder = electrostatics::Circuit::builder(grid, list(&cells)).fixed(list(&fixed));
        Ok(Charges { placed: set(builder).build(planner)?, movable })
    }
}

/// The nodes of a kind, and their rectangles.
fn of_kind(circuit: &Circuit, kind: Kind) -> (Vec<usize>, Rects) {
    let nodes = &circuit.nodes;
    let chosen: Vec<usize> = (0..nodes.len()).filter(|node| nodes.kinds[*node] == kind).collect();
    let pick = |values: &Vec<f64>| chosen.iter().map(|node| values[*node]).collect();
    let rects = Rects { low: nodes.rects.low.each_ref().map(pick), size: nodes.rects.size.each_ref().map(pick) };
    (chosen, rects)
}

fn list(rects: &Rects) -> Cells<'_, f64> {
    Cells { low: [&rects.low[0], &rects.low[1]], size: [&rects.size[0], &rects.size[1]] }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::circuit::bookshelf;
    use crate::circuit::rects::Rect;

    /// The area that two rectangles have in common.
    fn overlap(a: &Rect, b: &Rect) -> f64 {
        let along = |axis: usize| (a.high[axis].min(b.high[axis]) - a.low[axis].max(b.low[axis])).max(0.0);
        along(0) * along(1)
    }

    /// The small circuit on bins that are smaller than its cells, beside the overlaps of every node
    /// with every bin.
    #[test]
    fn the_density_of_a_circuit_is_the_sum_of_overlaps() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/small/small.aux");
        let (circuit, bins, target) = (bookshelf::read(&file).unwrap(), [40, 8], 0.75);
        let planner = Planner::new();
        let charges = Charges::new(&circuit, bins, &planner, |builder| builder.target_density(target)).unwrap();
        assert_eq!(charges.movable, [0, 1, 2]);
        let outside = charges.placed.outside();
        // p touches the region's corner from outside.
        assert_eq!([outside.clipped, outside.ignored, outside.moved], [1, 0, 0]);
        let (region, size, nodes) = (circuit.region(), charges.placed.grid().bin_size(), &circuit.nodes);
        let mut found = vec![0.0; bins[0] * bins[1]];
        let overflow = charges.placed.overflow(&mut found).unwrap();
        let (mut excess, mut all) = (0.0, 0.0);
        for (b, density) in found.iter().enumerate() {
            let corner = [b / bins[1], b % bins[1]].map(|i| i as f64);
            let bin = Rect::new([0, 1].map(|axis| region.low[axis] + corner[axis] * size[axis]), size);
            let of = |kind: Kind| {
                let chosen = (0..nodes.len()).filter(|node| nodes.kinds[*node] == kind);
                chosen.map(|node| overlap(&nodes.rects.get(node), &bin)).sum::<f64>() / bin.area()
            };
            let wanted = target * of(Kind::Fixed).min(1.0) + of(Kind::Movable);
            assert!((density - wanted).abs() < 1e-12, "bin {b}: {density}, expected {wanted}");
            excess += (wanted - target).max(0.0) * bin.area();
            all += wanted * bin.area();
        }
        // All movable cells are inside: 8, 5 and 6. m covers 8 x 4.
        assert!((all - (8.0 + 5.0 + 6.0 + 0.75 * 32.0)).abs() < 1e-9, "{all}");
        assert!((overflow - excess / 19.0).abs() < 1e-12, "{overflow}");
        assert!(overflow > 0.2, "cells are denser than the target: {overflow}");
    }
}

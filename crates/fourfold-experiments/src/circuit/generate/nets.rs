//! Nets between cells that are near each other.

use fastrand::Rng;

use crate::circuit::generate::cells::Cells;
use crate::circuit::generate::random::solve;
use crate::circuit::{Circuit, Nets, Pin};

/// The most pins of a net.
const MOST_PINS: usize = 1000;

/// A net of two pins reaches `REACH.0` units with a probability of about ½, and t times as far with
/// one of t^(−1/REACH.1).
const REACH: (f64, f64) = (24.0, 0.8);

/// So many nets and pins. The first net of each fixed node begins at it, others at any cell.
pub(super) fn between(circuit: &Circuit, cells: &Cells, [nets, pins]: [usize; 2], rng: &mut Rng) -> Nets {
    let (region, nodes) = (circuit.region(), &circuit.nodes);
    let most = region.size()[0] / 2.0;
    let mut list = Nets::default();
    for (net, degree) in degrees(nets, pins, cells.order.len(), rng).into_iter().enumerate() {
        let fixed = cells.order.len() + net;
        let first = if fixed < nodes.len() { fixed } else { rng.usize(..cells.order.len()) };
        let place = nodes.rects.get(first).low;
        let far = (REACH.0 * (degree as f64 / 2.0).sqrt() * (1.0 - rng.f64()).powf(-REACH.1)).min(most);
        for i in 0..degree {
            let node = if i == 0 { first as u32 } else { cells.near(place, far, region, rng) };
            let size = nodes.rects.get(node as usize).size();
            // Whole and half units, as in the contest's files.
            // The sum makes 0 of −0.
            let offset = size.map(|size| ((2.0 * rng.f64() - 1.0) * size).round() / 2.0 + 0.0);
            list.pins.push(Pin { node, offset });
        }
        list.end_net(&format!("n{net}"));
    }
    list
}

/// Pins of each net, from 2 on, with the given sum where that is possible. A degree d has a
/// probability proportional to d^(−a), with the a that makes the mean right.
fn degrees(nets: usize, pins: usize, cells: usize, rng: &mut Rng) -> Vec<usize> {
    let most = (cells / 4).clamp(3, MOST_PINS);
    let pins = pins.clamp(2 * nets, most * nets);
    let powers = |a: f64| (2..=most).map(move |d| (d as f64).powf(-a));
    let mean = |a: f64| powers(a - 1.0).sum::<f64>() / powers(a).sum::<f64>();
    let a = -solve(-50.0, 50.0, pins as f64 / nets as f64, |x| mean(-x));
    let ends: Vec<f64> = powers(a)
        .scan(0.0, |sum, power| {
            *sum += power;
            Some(*sum)
        })
        .collect();
    let all = ends[ends.len() - 1];
    let mut draw = || {
        let at = rng.f64() * all;
        2 + ends.partition_point(|end| *end <= at).min(ends.len() - 1)
    };
    let mut degrees: Vec<usize> = (0..nets).map(|_| draw()).collect();
    let mut sum: usize = degrees.iter().sum();
    while sum != pins {
        let degree = &mut degrees[rng.usize(..nets)];
        if sum < pins && *degree < most {
            (*degree, sum) = (*degree + 1, sum + 1);
        } else if sum > pins && *degree > 2 {
            (*degree, sum) = (*degree - 1, sum - 1);
        }
    }
    degrees
}

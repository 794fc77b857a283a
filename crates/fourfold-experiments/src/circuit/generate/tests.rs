//! Synthetic circuits beside the published figures.

use super::*;
use crate::circuit::bookshelf::{self, Part, Source, Sources};
use crate::circuit::ispd2005::CIRCUITS;

fn generated(name: &str, cells: usize, seed: u64) -> Circuit {
    circuit(&Request { published: Published::named(name).unwrap(), cells, seed })
}

/// The share of the region that nodes of a kind cover.
fn share(circuit: &Circuit, kind: Kind) -> f64 {
    let nodes = &circuit.nodes;
    let areas = (0..nodes.len()).filter(|node| nodes.kinds[*node] == kind).map(|node| nodes.rects.area(node));
    areas.sum::<f64>() / circuit.region().area()
}

/// adaptec1 has 211447 objects, 221142 nets and 944053 pins, and the nodes cover 75.71 % of the
/// region.
#[test]
fn a_whole_circuit_has_the_published_counts() {
    let circuit = generated("adaptec1", 210_904, 1);
    assert_eq!([circuit.nodes.len(), circuit.nets.len(), circuit.nets.pins.len()], [211_447, 221_142, 944_053]);
    assert_eq!([Kind::Movable, Kind::Fixed].map(|kind| circuit.nodes.count(kind)), [210_904, 543]);
    let density = share(&circuit, Kind::Movable) + share(&circuit, Kind::Fixed);
    assert!((density - 0.7571).abs() < 0.002, "{density}");
    let two = (0..circuit.nets.len()).filter(|net| circuit.nets.of(*net).len() == 2).count();
    assert!((110_000..150_000).contains(&two), "most nets have two pins: {two}");
    // As in the contest's file, whose region is 10692 wide and 10680 high.
    let size = circuit.region().size();
    assert!(size.iter().all(|side| (side / 10_700.0 - 1.0).abs() < 0.05), "{size:?}");
}

#[test]
fn smaller_circuits_have_the_same_shares() {
    for published in &CIRCUITS {
        let circuit = generated(published.name, 5000, 3);
        let [movable, fixed] = [Kind::Movable, Kind::Fixed].map(|kind| share(&circuit, kind));
        let density = 100.0 * (movable + fixed);
        let utilisation = 100.0 * movable / (1.0 - fixed);
        assert!((density - published.density).abs() < 1.0, "{}: {density}", published.name);
        assert!((utilisation - published.utilisation).abs() < 2.0, "{}: {utilisation}", published.name);
        let mean = circuit.nets.pins.len() as f64 / circuit.nets.len() as f64;
        let wanted = published.pins as f64 / published.nets as f64;
        assert!((mean - wanted).abs() < 0.01, "{}: {mean} pins a net", published.name);
    }
}

#[test]
fn nodes_stand_on_rows_and_macros_do_not_overlap() {
    for published in &CIRCUITS {
        let circuit = generated(published.name, 20_000, 2);
        let (region, nodes) = (circuit.region(), &circuit.nodes);
        for i in 0..nodes.len() {
            let rect = nodes.rects.get(i);
            let inside =
                [0, 1].iter().all(|&axis| rect.low[axis] >= region.low[axis] && rect.high[axis] <= region.high[axis]);
            assert!(inside, "{}: {rect:?} in {region:?}", nodes.names.get(i));
            let is_terminal = nodes.kinds[i] == Kind::Fixed && rect.area() == 1.0;
            assert!(is_terminal || (rect.low[1] - region.low[1]) % ROW == 0.0, "{rect:?}");
        }
        let big = |i: &usize| nodes.kinds[*i] == Kind::Fixed && nodes.rects.area(*i) > 1.0;
        let macros: Vec<Rect> = (0..nodes.len()).filter(big).map(|i| nodes.rects.get(i)).collect();
        let overlap = |a: &Rect, b: &Rect| {
            [0, 1]
                .map(|axis| (a.high[axis].min(b.high[axis]) - a.low[axis].max(b.low[axis])).max(0.0))
                .iter()
                .product::<f64>()
        };
        for (i, one) in macros.iter().enumerate() {
            assert!(macros[..i].iter().all(|other| overlap(one, other) == 0.0), "{}: {one:?}", published.name);
        }
        let cells = (0..nodes.len()).filter(|i| nodes.kinds[*i] == Kind::Movable).map(|i| nodes.rects.get(i));
        let covered = cells.filter(|cell| macros.iter().any(|other| overlap(cell, other) > 0.0)).count();
        assert_eq!(covered, 0, "{}: cells lie under macros", published.name);
    }
}

#[test]
fn every_fixed_node_has_a_net_whose_pins_are_near() {
    let circuit = generated("bigblue2", 20_000, 5);
    let mut has_net = vec![false; circuit.nodes.len()];
    circuit.nets.pins.iter().for_each(|pin| has_net[pin.node as usize] = true);
    assert!((20_000..circuit.nodes.len()).all(|node| has_net[node]));
    // Pins at random places would be a third of the region's sides apart.
    let mean = circuit.wire_length() / circuit.nets.len() as f64;
    assert!(mean < 0.2 * circuit.region().size()[0], "{mean}");
}

#[test]
fn a_seed_makes_one_circuit() {
    assert_eq!(generated("bigblue1", 1000, 1), generated("bigblue1", 1000, 1));
    assert_ne!(generated("bigblue1", 1000, 1), generated("bigblue1", 1000, 2));
    let request = Request { published: &CIRCUITS[0], cells: 1000, seed: 4 };
    let (whole, placed) = (circuit(&request), placement(&request));
    assert_eq!((whole.nodes, whole.rows), (placed.nodes, placed.rows));
}

#[test]
fn files_hold_the_whole_circuit() {
    for cells in [1000, 3000] {
        let circuit = generated("adaptec2", cells, 1);
        let texts = [Part::Nodes, Part::Pl, Part::Scl, Part::Nets, Part::Wts].map(|part| {
            let mut text = vec![];
            bookshelf::write(&circuit, "x", part, &mut text).unwrap();
            text
        });
        let [nodes, pl, scl, nets, wts] = texts.each_ref().map(|text| Source { name: "x", text });
        assert_eq!(bookshelf::parse(&Sources { nodes, pl, scl, nets, wts: Some(wts) }).unwrap(), circuit);
    }
}

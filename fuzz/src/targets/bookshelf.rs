//! Any bytes either are the files of a circuit, which survives being written and read again, or get
//! an error of one line. Nothing panics, and the circuit is no larger than its files.

use crate::circuit::bookshelf::{Part, Source, Sources, parse, write};
use crate::circuit::{Circuit, Row};

pub(crate) fn check(bytes: &[u8]) {
    match parse_all(bytes.splitn(5, |byte| *byte == b'%')) {
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n') && message.contains(": expected "), "{message}");
        }
        Ok(circuit) => {
            let things = circuit.nodes.len() + circuit.rows.len() + circuit.nets.len() + circuit.nets.pins.len();
            assert!(things <= bytes.len());
            assert!(circuit.rows.iter().map(Row::rect).all(|row| row.area() > 0.0));
            let written = [Part::Nodes, Part::Pl, Part::Scl, Part::Nets, Part::Wts].map(|part| {
                let mut text = Vec::new();
                write(&circuit, "x", part, &mut text).expect("memory takes all");
                text
            });
            assert_eq!(parse_all(written.iter().map(Vec::as_slice)).expect("what is written is a circuit"), circuit);
            assert!(circuit.wire_length().is_finite());
        }
    }
}

/// The circuit of files in the order nodes, placement, rows, nets, weights, the last of which may be
/// absent.
fn parse_all<'a>(mut texts: impl Iterator<Item = &'a [u8]>) -> anyhow::Result<Circuit> {
    let mut next = |name| texts.next().map(|text| Source { name, text });
    let mut file = |name| next(name).unwrap_or(Source { name, text: b"" });
    let (nodes, pl, scl, nets) = (file("nodes"), file("pl"), file("scl"), file("nets"));
    parse(&Sources { nodes, pl, scl, nets, wts: next("wts") })
}

//! Writes circuits.

use std::io::{self, Write};

use crate::circuit::{Circuit, Kind, Nets, Nodes, Row};

/// The files of a circuit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    Aux,
    Nodes,
    Nets,
    Wts,
    Pl,
    Scl,
}

impl Part {
    /// The files, the first of which names the others.
    pub(crate) const ALL: [Part; 6] = [Part::Aux, Part::Nodes, Part::Nets, Part::Wts, Part::Pl, Part::Scl];

    /// How the file's name ends.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Part::Aux => "aux",
            Part::Nodes => "nodes",
            Part::Nets => "nets",
            Part::Wts => "wts",
            Part::Pl => "pl",
            Part::Scl => "scl",
        }
    }
}

/// Writes one file of the circuit `name`, whose files are `name.aux` and so on.
pub(crate) fn write(circuit: &Circuit, name: &str, part: Part, to: &mut impl Write) -> io::Result<()> {
    if part == Part::Aux {
        let files = Part::ALL[1..].iter().map(|part| format!("{name}.{}", part.extension()));
        return writeln!(to, "RowBasedPlacement : {}", files.collect::<Vec<_>>().join(" "));
    }
    writeln!(to, "UCLA {} 1.0", part.extension())?;
    match part {
        Part::Aux => Ok(()),
        Part::Nodes => nodes(&circuit.nodes, to),
        Part::Nets => nets(&circuit.nets, &circuit.nodes, to),
        Part::Wts => weights(&circuit.nets, to),
        Part::Pl => placement(&circuit.nodes, to),
        Part::Scl => rows(&circuit.rows, to),
    }
}

fn nodes(nodes: &Nodes, to: &mut impl Write) -> io::Result<()> {
    let terminals = nodes.len() - nodes.count(Kind::Movable);
    writeln!(to, "NumNodes : {}\nNumTerminals : {terminals}", nodes.len())?;
    for (i, kind) in nodes.kinds.iter().enumerate() {
        let kind = match kind {
            Kind::Movable => "",
            Kind::Fixed => "\tterminal",
            Kind::Overlay => "\tterminal_NI",
        };
        let [width, height] = [0, 1].map(|axis| nodes.rects.size[axis][i]);
        writeln!(to, "{}\t{width}\t{height}{kind}", nodes.names.get(i))?;
    }
    Ok(())
}

fn placement(nodes: &Nodes, to: &mut impl Write) -> io::Result<()> {
    for (i, kind) in nodes.kinds.iter().enumerate() {
        let kind = match kind {
            Kind::Movable => "",
            Kind::Fixed => " /FIXED",
            Kind::Overlay => " /FIXED_NI",
        };
        let [x, y] = [0, 1].map(|axis| nodes.rects.low[axis][i]);
        writeln!(to, "{}\t{x}\t{y}\t: N{kind}", nodes.names.get(i))?;
    }
    Ok(())
}

fn rows(rows: &[Row], to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "NumRows : {}", rows.len())?;
    for row in rows {
        let Row { axis, low, height, site_width, spacing, sites } = row;
        let (origin, coordinate) = (low[*axis], low[1 - axis]);
        writeln!(to, "CoreRow {}", ["Horizontal", "Vertical"][*axis])?;
        writeln!(to, "  Coordinate : {coordinate}\n  Height : {height}")?;
        writeln!(to, "  Sitewidth : {site_width}\n  Sitespacing : {spacing}")?;
        writeln!(to, "  Siteorient : 1\n  Sitesymmetry : 1")?;
        writeln!(to, "  SubrowOrigin : {origin}  NumSites : {sites}\nEnd")?;
    }
    Ok(())
}

/// The first pin of a net drives it.
fn nets(nets: &Nets, nodes: &Nodes, to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "NumNets : {}\nNumPins : {}", nets.len(), nets.pins.len())?;
    for net in 0..nets.len() {
        let pins = nets.of(net);
        writeln!(to, "NetDegree : {}  {}", pins.len(), nets.names.get(net))?;
        for (i, pin) in pins.iter().enumerate() {
            let direction = if i == 0 { "O" } else { "I" };
            let [x, y] = pin.offset;
            writeln!(to, "\t{}\t{direction} : {x}\t{y}", nodes.names.get(pin.node as usize))?;
        }
    }
    Ok(())
}

fn weights(nets: &Nets, to: &mut impl Write) -> io::Result<()> {
    let named = (0..nets.len()).filter(|net| !nets.names.get(*net).is_empty());
    named.into_iter().try_for_each(|net| writeln!(to, "{}\t{}", nets.names.get(net), nets.weights[net]))
}

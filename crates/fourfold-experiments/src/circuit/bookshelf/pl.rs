//! `.pl` files: positions, orientations, and which nodes are fixed.

use anyhow::Result;

use crate::circuit::bookshelf::nodes::{Index, find};
use crate::circuit::bookshelf::orientation::{NAMES, Orientation};
use crate::circuit::bookshelf::source::{Source, SourceLine};
use crate::circuit::{Kind, Nodes};

/// Moves all nodes to their places and gives them the sizes that they have when they are turned.
/// Returns the orientations.
pub(super) fn parse(source: Source<'_>, index: &Index<'_>, nodes: &mut Nodes) -> Result<Vec<Orientation>> {
    let mut placed = source.filled(nodes.len(), false)?;
    let mut orientations = source.filled(nodes.len(), Orientation::NORTH)?;
    for line in source.lines_of("pl")? {
        let line = line?;
        let node = find(&line, line.words().next(), index)? as usize;
        if std::mem::replace(&mut placed[node], true) {
            return Err(line.wrong("one position for each node"));
        }
        orientations[node] = place(&line, node, nodes)?;
    }
    let name = |node: usize| nodes.names.get(node);
    match placed.iter().position(|placed| !placed) {
        Some(node) => Err(source.wrong(format!("a position for every node, found none for {:?}", name(node)))),
        None => Ok(orientations),
    }
}

fn place(line: &SourceLine<'_>, node: usize, nodes: &mut Nodes) -> Result<Orientation> {
    let mut words = line.words().skip(1).peekable();
    let low = [line.coordinate(words.next(), "x")?, line.coordinate(words.next(), "y")?];
    let orientation = match words.next_if(|word| !word.starts_with('/')) {
        None => Orientation::NORTH,
        Some(name) => name.parse().map_err(|()| line.wrong(format!("an orientation, {NAMES}")))?,
    };
    let expected = "/FIXED, /FIXED_NI or nothing after the orientation";
    let kind = match words.next() {
        None => Kind::Movable,
        Some(word) if word.eq_ignore_ascii_case("/FIXED") => Kind::Fixed,
        Some(word) if word.eq_ignore_ascii_case("/FIXED_NI") => Kind::Overlay,
        Some(_) => return Err(line.wrong(expected)),
    };
    line.end(words.next(), expected)?;
    // Of the two files that may say so, the one that allows less overlap with cells does not count.
    let kinds = [nodes.kinds[node], kind];
    let strongest = [Kind::Overlay, Kind::Fixed].into_iter().find(|kind| kinds.contains(kind));
    nodes.kinds[node] = strongest.unwrap_or(Kind::Movable);
    let rects = &mut nodes.rects;
    let size = orientation.turned([0, 1].map(|axis| rects.size[axis][node])).map(f64::abs);
    for axis in [0, 1] {
        rects.low[axis][node] = low[axis];
        rects.size[axis][node] = size[axis];
    }
    Ok(orientation)
}

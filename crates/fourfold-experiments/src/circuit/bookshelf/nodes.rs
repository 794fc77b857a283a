//! `.nodes` files: names, sizes, and which nodes are terminals.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use anyhow::Result;

use crate::circuit::bookshelf::source::{Source, SourceLine, Stated, granted};
use crate::circuit::rects::Rect;
use crate::circuit::{Kind, Nodes};

/// Nodes or nets by their names.
pub(super) type Index<'a> = HashMap<&'a str, u32>;

/// Reads the nodes, which are at the origin until the `.pl` file is read.
pub(super) fn parse(source: Source<'_>) -> Result<(Nodes, Index<'_>)> {
    let (mut nodes, mut index) = (Nodes::default(), Index::new());
    let most = source.lines().count();
    granted(source.name, nodes.try_reserve(most, source.text.len()))?;
    granted(source.name, index.try_reserve(most))?;
    let [mut all, mut terminals] = ["NumNodes", "NumTerminals"].map(Stated::new);
    for line in source.lines_of("nodes")? {
        let line = line?;
        if !all.is_in(line)? && !terminals.is_in(line)? {
            add(&line, &mut nodes, &mut index)?;
        }
    }
    all.check(nodes.len())?;
    terminals.check(nodes.len() - nodes.count(Kind::Movable))?;
    if nodes.len() == 0 { Err(source.wrong("nodes: lines \"name width height\"")) } else { Ok((nodes, index)) }
}

fn add<'a>(line: &SourceLine<'a>, nodes: &mut Nodes, index: &mut Index<'a>) -> Result<()> {
    let mut words = line.words();
    let Some(name) = words.next() else { return Err(line.wrong("a node's name")) };
    let size = [line.size(words.next(), "a width")?, line.size(words.next(), "a height")?];
    let kinds = "\"terminal\", \"terminal_NI\" or nothing after the height";
    let kind = match words.next() {
        None => Kind::Movable,
        Some(word) if word.eq_ignore_ascii_case("terminal") => Kind::Fixed,
        Some(word) if word.eq_ignore_ascii_case("terminal_NI") => Kind::Overlay,
        Some(_) => return Err(line.wrong(kinds)),
    };
    line.end(words.next(), kinds)?;
    insert(line, "nodes", name, nodes.len(), index)?;
    nodes.push(name, Rect::new([0.0; 2], size), kind);
    Ok(())
}

/// An error if a movable node does not fit the region.
pub(super) fn check_sizes(source: Source<'_>, nodes: &Nodes, region: Rect) -> Result<()> {
    let (most, sizes) = (region.size(), &nodes.rects.size);
    let fits = |node: usize| [0, 1].iter().all(|&axis| sizes[axis][node] <= most[axis]);
    let is_wrong = |node: &usize| nodes.kinds[*node] == Kind::Movable && !fits(*node);
    let Some(node) = (0..nodes.len()).find(is_wrong) else { return Ok(()) };
    let name = nodes.names.get(node);
    let expected = format!("a movable node that fits the rows' region of {} x {}", most[0], most[1]);
    let line = source.lines_of("nodes")?.flatten().find(|line| line.words().next() == Some(name));
    Err(line.map_or_else(|| source.wrong(&expected), |line| line.wrong(&expected)))
}

/// Adds a name that must be new.
pub(super) fn insert<'a>(
    line: &SourceLine<'a>,
    what: &str,
    name: &'a str,
    at: usize,
    index: &mut Index<'a>,
) -> Result<()> {
    let number = u32::try_from(at).map_err(|_| line.wrong(format!("at most 2^32 {what}")))?;
    match index.entry(name) {
        Entry::Vacant(place) => {
            place.insert(number);
            Ok(())
        }
        Entry::Occupied(_) => Err(line.wrong(format!("{what} with different names"))),
    }
}

/// The node of a name.
pub(super) fn find(line: &SourceLine<'_>, name: Option<&str>, index: &Index<'_>) -> Result<u32> {
    let found = name.and_then(|name| index.get(name));
    found.copied().ok_or_else(|| line.wrong("a node that the .nodes file has"))
}

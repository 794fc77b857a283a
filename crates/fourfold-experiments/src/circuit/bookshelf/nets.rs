//! `.nets` files: nets and their pins.

use anyhow::Result;

use crate::circuit::bookshelf::nodes::{Index, find, insert};
use crate::circuit::bookshelf::orientation::Orientation;
use crate::circuit::bookshelf::source::{Source, SourceLine, Stated, granted, names};
use crate::circuit::{Nets, Pin};

/// A net whose pins are being read.
struct Open<'a> {
    line: SourceLine<'a>,
    name: Option<&'a str>,
    degree: usize,
}

/// Reads the nets. Pins are turned with their nodes.
pub(super) fn parse<'a>(
    source: Source<'a>,
    nodes: &Index<'_>,
    orientations: &[Orientation],
) -> Result<(Nets, Index<'a>)> {
    let (mut nets, mut index, mut open) = (Nets::default(), Index::new(), None);
    let (all_lines, most) = (source.lines().count(), source.count("NetDegree"));
    granted(source.name, nets.try_reserve(most, all_lines - most, source.text.len()))?;
    granted(source.name, index.try_reserve(most))?;
    let [mut all, mut pins] = ["NumNets", "NumPins"].map(Stated::new);
    for line in source.lines_of("nets")? {
        let line = line?;
        if let Some(rest) = line.after("NetDegree") {
            end(open.replace(begin(line, rest)?), &mut nets, &mut index)?;
        } else if open.is_some() {
            nets.pins.push(pin(&line, nodes, orientations)?);
        } else if !all.is_in(line)? && !pins.is_in(line)? {
            return Err(line.wrong("NumNets, NumPins or NetDegree"));
        }
    }
    end(open, &mut nets, &mut index)?;
    all.check(nets.len())?;
    pins.check(nets.pins.len())?;
    Ok((nets, index))
}

fn begin<'a>(line: SourceLine<'a>, rest: &'a str) -> Result<Open<'a>> {
    let mut words = names(rest);
    let degree = line.count(words.next(), "NetDegree")?;
    let name = words.next();
    line.end(words.next(), "\"NetDegree : pins name\"")?;
    Ok(Open { line, name, degree })
}

fn end<'a>(open: Option<Open<'a>>, nets: &mut Nets, index: &mut Index<'a>) -> Result<()> {
    let Some(Open { line, name, degree }) = open else { return Ok(()) };
    let there = nets.pins.len() - nets.starts[nets.len()];
    if there != degree {
        return Err(line.wrong(format!("NetDegree : {there}, which is what the net has")));
    }
    if let Some(name) = name {
        insert(&line, "nets", name, nets.len(), index)?;
    }
    nets.end_net(name.unwrap_or_default());
    Ok(())
}

fn pin(line: &SourceLine<'_>, nodes: &Index<'_>, orientations: &[Orientation]) -> Result<Pin> {
    let mut words = line.words().peekable();
    let node = find(line, words.next(), nodes)?;
    words.next_if(|word| ["I", "O", "B"].contains(word));
    let offset = match words.peek() {
        None => [0.0; 2],
        Some(_) => [line.coordinate(words.next(), "a pin's x")?, line.coordinate(words.next(), "a pin's y")?],
    };
    line.end(words.next(), "\"node I : x y\", with I, O or B")?;
    Ok(Pin { node, offset: orientations[node as usize].turned(offset) })
}

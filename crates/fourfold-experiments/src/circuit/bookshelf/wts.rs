//! `.wts` files: weights of nets. Those of nodes mean nothing to a placer here.

use std::collections::HashSet;

use anyhow::Result;

use crate::circuit::bookshelf::nodes::Index;
use crate::circuit::bookshelf::source::{Source, granted};

/// Sets the weights of nets that the file names.
pub(super) fn parse(source: Source<'_>, nodes: &Index<'_>, nets: &Index<'_>, weights: &mut [f64]) -> Result<()> {
    let mut seen = HashSet::new();
    granted(source.name, seen.try_reserve(source.lines().count()))?;
    for line in source.lines_of("wts")? {
        let line = line?;
        let mut words = line.words();
        let name = words.next().unwrap_or_default();
        let weight = line.size(words.next(), "a weight")?;
        line.end(words.next(), "\"name weight\"")?;
        if !seen.insert(name) {
            return Err(line.wrong("one weight for each name"));
        }
        match nets.get(name) {
            Some(net) => weights[*net as usize] = weight,
            None if nodes.contains_key(name) => {}
            None => return Err(line.wrong("a net or a node that the other files have")),
        }
    }
    Ok(())
}

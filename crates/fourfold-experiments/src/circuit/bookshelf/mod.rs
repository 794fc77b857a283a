//! Circuits in files of the Bookshelf format, which placement contests use.
//!
//! The format: G.-J. Nam and J. Roy,
//! <http://vlsicad.eecs.umich.edu/BK/ISPD06bench/BookshelfFormat.txt>. An `.aux` file names the
//! others:
//!
//! ```text
//! .nodes  name width height [terminal | terminal_NI]
//! .pl     name x y : orientation [/FIXED | /FIXED_NI]      the lower left corner
//! .scl    CoreRow … End                                    rows
//! .nets   NetDegree : pins [name], then for each pin: node [I | O | B] [: x y]
//! .wts    name weight                                      may be absent
//! ```
//!
//! Files begin with a line `UCLA …`, may state how many nodes and so on they have, and have
//! comments from `#` to the end of a line.

mod aux;
mod nets;
mod nodes;
mod orientation;
mod pl;
mod scl;
mod source;
#[cfg(test)]
mod tests;
mod write;
mod wts;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::circuit::bookshelf::aux::Aux;
pub(crate) use crate::circuit::bookshelf::source::Source;
pub(crate) use crate::circuit::bookshelf::write::{Part, write};
use crate::circuit::{Circuit, region};

/// The files that an `.aux` file names.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) nodes: Source<'a>,
    pub(crate) pl: Source<'a>,
    pub(crate) scl: Source<'a>,
    pub(crate) nets: Source<'a>,
    pub(crate) wts: Option<Source<'a>>,
}

/// Reads a circuit by its `.aux` file.
///
/// # Errors
/// If a file cannot be read, or is not as the format wants it: then the error has the file, the
/// line and what was expected.
pub(crate) fn read(path: &Path) -> Result<Circuit> {
    let (name, text) = (path.display().to_string(), load(path)?);
    let aux = Aux::parse(Source { name: &name, text: &text })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = |name: &str| -> Result<(String, Vec<u8>)> {
        let path = folder.join(name);
        Ok((path.display().to_string(), load(&path)?))
    };
    let [nodes, pl, scl, nets] = [file(aux.nodes)?, file(aux.pl)?, file(aux.scl)?, file(aux.nets)?];
    let wts = aux.wts.map(file).transpose()?;
    fn source((name, text): &(String, Vec<u8>)) -> Source<'_> {
        Source { name, text }
    }
    let sources = Sources {
        nodes: source(&nodes),
        pl: source(&pl),
        scl: source(&scl),
        nets: source(&nets),
        wts: wts.as_ref().map(source),
    };
    parse(&sources)
}

/// Reads a circuit from the content of its files.
pub(crate) fn parse(sources: &Sources<'_>) -> Result<Circuit> {
    let (mut nodes, index) = nodes::parse(sources.nodes)?;
    let orientations = pl::parse(sources.pl, &index, &mut nodes)?;
    let rows = scl::parse(sources.scl)?;
    nodes::check_sizes(sources.nodes, &nodes, region(&rows))?;
    let (mut nets, net_index) = nets::parse(sources.nets, &index, &orientations)?;
    if let Some(source) = sources.wts {
        wts::parse(source, &index, &net_index, &mut nets.weights)?;
    }
    Ok(Circuit { nodes, rows, nets })
}

/// The content of a file. Devices and pipes are refused, since they may never end.
fn load(path: &Path) -> Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    ensure!(fs::metadata(path).with_context(cannot)?.is_file(), "cannot read {}: it is no file", path.display());
    fs::read(path).with_context(cannot)
}

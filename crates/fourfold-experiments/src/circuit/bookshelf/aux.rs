//! `.aux` files: the names of the other files.

use anyhow::{Error, Result};

use crate::circuit::bookshelf::source::{Source, names};

/// The names of files, beside the `.aux` file.
pub(super) struct Aux<'a> {
    pub(super) nodes: &'a str,
    pub(super) pl: &'a str,
    pub(super) scl: &'a str,
    pub(super) nets: &'a str,
    pub(super) wts: Option<&'a str>,
}

/// The one line of the file.
const EXPECTED: &str = "\"RowBasedPlacement : X.nodes X.nets X.wts X.pl X.scl\"";

impl<'a> Aux<'a> {
    /// Reads the file. Files with other extensions, such as `.route` of later contests, are not
    /// needed.
    pub(super) fn parse(source: Source<'a>) -> Result<Aux<'a>> {
        let mut lines = source.lines();
        let Some(line) = lines.next().transpose()? else { return Err(source.wrong(EXPECTED)) };
        if let Some(more) = lines.next().transpose()? {
            return Err(more.wrong("nothing after the line \"RowBasedPlacement : …\""));
        }
        let files = line.after("RowBasedPlacement").ok_or_else(|| line.wrong(EXPECTED))?;
        let named = |extension: &str| -> Result<Option<&'a str>> {
            let mut files = names(files).filter(|file| file.rsplit_once('.').is_some_and(|(_, end)| end == extension));
            match (files.next(), files.next()) {
                (_, Some(_)) => Err(line.wrong(format!("one file .{extension}"))),
                (file, _) => Ok(file),
            }
        };
        let needed = |extension: &str| -> Result<&'a str> {
            let missing = || -> Error { line.wrong(format!("a file .{extension}")) };
            named(extension)?.ok_or_else(missing)
        };
        Ok(Aux {
            nodes: needed("nodes")?,
            pl: needed("pl")?,
            scl: needed("scl")?,
            nets: needed("nets")?,
            wts: named("wts")?,
        })
    }
}

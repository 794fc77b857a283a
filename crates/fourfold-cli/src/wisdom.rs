//! The file that keeps what was measured.

use std::env;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use fourfold::Wisdom;
use fourfold_gpu::Cache;

use crate::args::WisdomFile;
use crate::output::Output;

/// Names the file.
const VARIABLE: &str = "FOURFOLD_WISDOM";

/// Its name in the cache's folder.
const NAME: &str = "wisdom";

/// What to do if there is no place for it.
pub(crate) const NOWHERE: &str = "nowhere to keep what is measured: name a file with --wisdom, or in FOURFOLD_WISDOM";

/// The file, if there is a place for one.
pub(crate) fn path(file: &WisdomFile) -> Result<Option<PathBuf>> {
    let named = || env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    match file.path.clone().or_else(named) {
        Some(path) => Ok(Some(path)),
        None => Ok(Cache::standard()?.map(|cache| cache.folder().join(NAME))),
    }
}

/// What it says.
#[derive(Default)]
pub struct Kept {
    pub(crate) wisdom: Wisdom,
    /// Where it was read.
    path: PathBuf,
}

impl Kept {
    /// What `make` makes with the wisdom. Where it could only without, the file is to blame.
    pub(crate) fn follow<T>(&self, make: impl Fn(Wisdom) -> fourfold::Result<T>) -> Result<T> {
        let error = match make(self.wisdom.clone()) {
            Ok(made) => return Ok(made),
            Err(error) => error,
        };
        make(Wisdom::new())?;
        Err(error).with_context(|| format!("cannot use {}", self.path.display()))
    }
}

/// What it says; nothing, if it is not there, unless the command line names it.
pub(crate) fn load(file: &WisdomFile) -> Result<Kept> {
    match (read(file)?, &file.path) {
        (None, Some(path)) => bail!("there is no file {}: `fourfold tune --wisdom` makes it", path.display()),
        (kept, _) => Ok(kept.unwrap_or_default()),
    }
}

/// What it says, if it is there.
pub(crate) fn read(file: &WisdomFile) -> Result<Option<Kept>> {
    let Some(path) = path(file)? else { return Ok(None) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let wisdom = text.parse().with_context(|| format!("cannot use {}", path.display()))?;
    Ok(Some(Kept { wisdom, path }))
}

/// Adds to it. What another process has added meanwhile stays.
pub(crate) fn add(file: &WisdomFile, wisdom: Wisdom) -> Result<PathBuf> {
    let path = path(file)?.context(NOWHERE)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut all = read(file)?.unwrap_or_default().wisdom;
    all.merge(wisdom);
    let mut output = Output::create(&path)?;
    output.fill(|to| to.write_all(all.to_string().as_bytes()))?;
    output.commit()?;
    Ok(path)
}

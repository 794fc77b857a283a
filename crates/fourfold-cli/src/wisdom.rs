//! The tuning file: the wisdom that `tune` writes and the other commands read.

use std::env;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use fourfold::Wisdom;
use fourfold_gpu::cache::Cache;

use crate::args::common::WisdomFile;
use crate::files::output::Output;

/// The environment variable that names the file.
const VARIABLE: &str = "FOURFOLD_WISDOM";

/// The file's name in the cache's folder.
const NAME: &str = "wisdom";

/// The error if neither an option, nor the variable, nor a cache says where the file is.
pub(crate) const NOWHERE: &str = "there is no tuning file to write: name one with --wisdom, or in FOURFOLD_WISDOM";

/// Where the file is, or would be.
pub(crate) fn path(file: &WisdomFile) -> Result<Option<PathBuf>> {
    let named = || env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    match file.path.clone().or_else(named) {
        Some(path) => Ok(Some(path)),
        None => Ok(Cache::standard()?.map(|cache| cache.folder().join(NAME))),
    }
}

/// The wisdom of a tuning file; none without a file.
#[derive(Default)]
pub struct Tuning {
    pub(crate) wisdom: Wisdom,
    /// The file it was read from.
    path: PathBuf,
}

impl Tuning {
    /// The result of `make` for the wisdom. If `make` fails with it but not without, the error
    /// names the file.
    pub(crate) fn apply<T>(&self, make: impl Fn(Wisdom) -> fourfold::Result<T>) -> Result<T> {
        let error = match make(self.wisdom.clone()) {
            Ok(made) => return Ok(made),
            Err(error) => error,
        };
        make(Wisdom::new())?;
        Err(error).with_context(|| format!("cannot use {}", self.path.display()))
    }
}

/// Reads the file. It may be absent, unless the command line names it.
pub(crate) fn load(file: &WisdomFile) -> Result<Tuning> {
    match (read(file)?, &file.path) {
        (None, Some(path)) => bail!("there is no file {}: `fourfold tune --wisdom` makes it", path.display()),
        (tuning, _) => Ok(tuning.unwrap_or_default()),
    }
}

/// Reads the file, if it exists.
pub(crate) fn read(file: &WisdomFile) -> Result<Option<Tuning>> {
    let Some(path) = path(file)? else { return Ok(None) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let wisdom = text.parse().with_context(|| format!("cannot use {}", path.display()))?;
    Ok(Some(Tuning { wisdom, path }))
}

/// Adds to the file, and returns its path. The file is read again just before, since another
/// process may have added to it.
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

//! The tuning file: the wisdom that `tune` writes and the other commands read.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use fourfold::Wisdom;
use fourfold_gpu::cache::Cache;

use crate::args::common::WisdomFile;
use crate::files::input::{open_regular, read_lines_if_any};
use crate::files::output::Output;
use crate::print::told;
use crate::program::warn;

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
    /// The file that it was read from, and its bytes, of which a line may be no text.
    path: PathBuf,
    bytes: Vec<u8>,
    /// The numbers of the lines that were not understood, and why.
    unknown: Vec<(usize, fourfold::Error)>,
}

impl Tuning {
    /// Warns of wisdom that an engine, which has these names, cannot use: of each line's problem, and
    /// why.
    pub(crate) fn warn_of_stale(&self, names: &[String], stale: &[(String, fourfold::Error)]) {
        if stale.is_empty() {
            return;
        }
        let lines = self.lines_on(names);
        let warning = |(problem, why): &(String, fourfold::Error)| unused(lines.get(problem).copied(), why);
        warn(&self.path, &stale.iter().map(warning).collect::<Vec<_>>());
    }

    /// For each problem the number of the last line on it and an engine of one of these names.
    fn lines_on(&self, names: &[String]) -> HashMap<String, usize> {
        let mut lines = HashMap::new();
        for (number, line) in (1..).zip(String::from_utf8_lossy(&self.bytes).lines()) {
            let wisdom = line.parse::<Wisdom>().unwrap_or_default();
            let problems = names.iter().flat_map(|name| wisdom.of_engine(name));
            lines.extend(problems.map(|(problem, _)| (problem.to_owned(), number)));
        }
        lines
    }

    /// The result of `make` for the wisdom. If `make` fails with it but not without, that is a
    /// warning.
    pub(crate) fn apply<T>(&self, make: impl Fn(&Wisdom) -> fourfold::Result<T>) -> fourfold::Result<T> {
        make(&self.wisdom).or_else(|error| {
            let made = make(&Wisdom::new())?;
            warn(&self.path, &[format!("not used: {error}")]);
            Ok(made)
        })
    }
}

/// A warning of a line, or of what stands in none.
fn unused(line: Option<usize>, why: &fourfold::Error) -> String {
    let line = line.map_or("a recipe".to_owned(), |number| format!("line {number}"));
    format!("{line} is not used: {why}")
}

/// Reads the file. It must exist and be readable if the command line names it; else a warning says
/// what is wrong. So do warnings of lines that are not understood.
pub(crate) fn load(file: &WisdomFile) -> Result<Tuning> {
    let Some(path) = path(file)? else { return Ok(Tuning::default()) };
    match (read(&path), &file.path) {
        (Ok(None), Some(path)) => {
            bail!("there is no file {}: `fourfold tune --wisdom` makes it", path.display())
        }
        (Err(error), None) => {
            warn(&path, &[cause(&error)]);
            Ok(Tuning::default())
        }
        (read, _) => Ok(read?.unwrap_or_default()),
    }
}

/// An error without its first part, which names the file.
fn cause(error: &Error) -> String {
    told(error.chain().skip(1))
}

/// Reads the file that `tune` adds to. It may be absent. If it cannot be replaced, that is an error
/// here, before anything is measured.
pub(crate) fn load_to_add(file: &WisdomFile) -> Result<Tuning> {
    let path = path(file)?.context(NOWHERE)?;
    make_folder_of(&path)?;
    drop((Output::create(&path)?, lock(&path)?));
    Ok(read(&path)?.unwrap_or_default())
}

/// Reads a file, if it exists, and warns of lines that are not understood.
fn read(path: &Path) -> Result<Option<Tuning>> {
    let Some(tuning) = parse(path)? else { return Ok(None) };
    warn(path, &tuning.unknown.iter().map(|(line, why)| unused(Some(*line), why)).collect::<Vec<_>>());
    Ok(Some(tuning))
}

fn parse(path: &Path) -> Result<Option<Tuning>> {
    let Some(bytes) = read_lines_if_any(path)? else { return Ok(None) };
    let (wisdom, unknown) = Wisdom::read(&String::from_utf8_lossy(&bytes));
    Ok(Some(Tuning { wisdom, path: path.to_owned(), bytes, unknown }))
}

/// Adds to the file, and returns its path. Lines that are not understood stay as they are. While
/// the file is read and replaced, other processes that add to it wait.
pub(crate) fn add(file: &WisdomFile, wisdom: Wisdom) -> Result<PathBuf> {
    let path = path(file)?.context(NOWHERE)?;
    make_folder_of(&path)?;
    let _lock = lock(&path)?;
    let Tuning { wisdom: mut all, bytes, unknown, .. } = parse(&path)?.unwrap_or_default();
    all.merge(wisdom);
    let mut all = all.to_string().into_bytes();
    let unknown = |number: usize| unknown.iter().any(|(line, _)| *line == number);
    let kept = (1..).zip(bytes.split(|byte| *byte == b'\n')).filter(|(number, _)| unknown(*number));
    all.extend(kept.flat_map(|(_, line)| line.iter().chain(b"\n")));
    let mut output = Output::create(&path)?;
    output.fill(|to| to.write_all(&all))?;
    output.commit()?;
    Ok(path)
}

/// Makes the folder of a file. An error names it.
fn make_folder_of(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => make_folder(folder).with_context(|| format!("cannot make {}", folder.display())),
        None => Ok(()),
    }
}

/// Makes a folder that only the user may enter, since compiled kernels are kept there too.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Locks a file beside the tuning file, since the tuning file itself is replaced; if it is a link,
/// beside what that leads to. The lock ends when the file is closed.
fn lock(path: &Path) -> Result<File> {
    let mut name = OsString::from(path.canonicalize().unwrap_or(path.to_owned()));
    name.push(".lock");
    let lock = || {
        if Path::new(&name).is_symlink() {
            return Err(std::io::Error::other("it is a link: expected a regular file"));
        }
        let file = open_regular(File::options().create(true).append(true), Path::new(&name))?;
        file.lock()?;
        Ok::<_, std::io::Error>(file)
    };
    lock().with_context(|| format!("cannot lock {}", name.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourfold::ErrorKind;

    #[test]
    fn lines_are_numbered_from_one_or_not_at_all() {
        let bytes = b"# comment\ndct2 f64 8\tcpu:avx2\tx\n\xff\ndct2 f64 8\tcpu:avx2\ty\n".to_vec();
        let tuning = Tuning { bytes, ..Tuning::default() };
        assert_eq!(tuning.lines_on(&["cpu:avx2".into()]), HashMap::from([("dct2 f64 8".into(), 4)]));
        assert!(tuning.lines_on(&["cpu:scalar".into()]).is_empty());
        let why = fourfold::Error::new(ErrorKind::Notation, "why");
        assert_eq!(unused(Some(4), &why), "line 4 is not used: why");
        assert_eq!(unused(None, &why), "a recipe is not used: why");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_made_is_the_users_own() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("a/b");
        super::make_folder(&made).unwrap();
        super::make_folder(&made).unwrap();
        assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}

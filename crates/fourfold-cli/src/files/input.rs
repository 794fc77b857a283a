//! Files that are read whole.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The largest text that is read: problems, or what tuning has found. A device such as `/dev/zero`
/// has no end.
pub(crate) const MOST_TEXT: u64 = 16 << 20;

/// Reads a regular file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    // Opening a pipe would wait for its writer.
    ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
    Ok(fs::read(path)?)
}

/// Reads a text, which may come from a pipe. An error names the file.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let failed = || format!("cannot read {}", path.display());
    text_of(File::open(path).with_context(failed)?).with_context(failed)
}

/// The same, or `None` if there is no such file.
pub(crate) fn read_text_if_any(path: &Path) -> Result<Option<String>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => read_text(path).map(Some),
    }
}

fn text_of(file: File) -> Result<String> {
    let mut text = String::new();
    let length = file.take(MOST_TEXT + 1).read_to_string(&mut text)?;
    ensure!(length as u64 <= MOST_TEXT, "it is longer than {MOST_TEXT} bytes");
    Ok(text)
}

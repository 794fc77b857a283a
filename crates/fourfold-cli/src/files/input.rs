//! Files that are read whole.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::array::check_memory;

/// The largest text that is read: problems, or what tuning has found. A device such as `/dev/zero`
/// has no end.
pub(crate) const MOST_TEXT: u64 = 16 << 20;

/// Reads a regular file. A file with a hole may be longer than the memory, and take no disk.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    // Opening a pipe would wait for its writer.
    ensure!(metadata.is_file(), "it is not a regular file");
    check_memory(usize::try_from(metadata.len())?)?;
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// No machine has so much memory.
    #[test]
    fn files_longer_than_the_memory_are_refused_before_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hole");
        File::create(&path).unwrap().set_len(1 << 43).unwrap();
        let message = format!("{:#}", read_file(&path).unwrap_err());
        assert!(message.contains("8796093022208 bytes of memory"), "{message}");
    }
}

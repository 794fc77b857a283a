//! Files that are read. None is waited for: a named pipe that nobody writes to is an error.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::array::check_memory;

/// The largest text that is read: problems, or what tuning has found. A device such as `/dev/zero`
/// has no end.
pub(crate) const MOST_TEXT: u64 = 16 << 20;

/// Opens a file without waiting, where opening a named pipe would wait for its other end.
#[cfg(unix)]
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

#[cfg(unix)]
fn is_pipe(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    Ok(file.metadata()?.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Reading waits for the writer of a pipe that has one.
#[cfg(unix)]
fn wait_for_data(file: &File) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    Ok(fcntl_setfl(file, fcntl_getfl(file)?.difference(OFlags::NONBLOCK))?)
}

#[cfg(not(unix))]
fn wait_for_data(_: &File) -> io::Result<()> {
    Ok(())
}

/// Opens a regular file as the options say. Devices, pipes and folders are an error, at once.
pub(crate) fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let other = || io::Error::other("it is not a regular file");
    // To open a device may already do something.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(other());
    }
    // Another file may have come to the place of the first.
    let file = open(options, path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(other()) }
}

/// Opens a regular file to read it.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    open_regular(File::options().read(true), path)
}

/// Reads a regular file. A file with a hole may be longer than the memory, and take no disk.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let file = open_to_read(path)?;
    let length = file.metadata()?.len();
    check_memory(usize::try_from(length)?)?;
    let mut bytes = Vec::new();
    // Some files of the kernel have no length, and no end.
    file.take(length + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= length, "it has more than its {length} bytes");
    Ok(bytes)
}

/// Reads a text, which may come from a pipe if somebody writes to it. An error names the file.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let read = || {
        let file = open(File::options().read(true), path)?;
        wait_for_data(&file)?;
        let is_pipe = is_pipe(&file)?;
        let text = String::from_utf8(bytes_of(file)?)?;
        ensure!(!is_pipe || !text.is_empty(), "it is not a regular file, and nobody writes to it");
        Ok(text)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Reads the bytes of a text from a regular file, or `None` if there is no such file. An error names the
/// file.
pub(crate) fn read_lines_if_any(path: &Path) -> Result<Option<Vec<u8>>> {
    let bytes = match open_to_read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(Into::into).and_then(bytes_of),
    };
    bytes.map(Some).with_context(|| format!("cannot read {}", path.display()))
}

/// The bytes of a file that is no longer than a text may be.
fn bytes_of(file: File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = file.take(MOST_TEXT + 1).read_to_end(&mut bytes)?;
    ensure!(length as u64 <= MOST_TEXT, "it is longer than {MOST_TEXT} bytes");
    Ok(bytes)
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

    #[test]
    fn files_longer_than_they_say_are_refused() {
        let message = read_file(Path::new("/proc/self/status")).unwrap_err().to_string();
        assert_eq!(message, "it has more than its 0 bytes");
    }

    #[test]
    fn a_device_without_a_text_is_an_empty_one() {
        assert_eq!(read_text(Path::new("/dev/null")).unwrap(), "");
        assert!(open_to_read(Path::new("/dev/null")).unwrap_err().to_string().contains("not a regular file"));
    }
}

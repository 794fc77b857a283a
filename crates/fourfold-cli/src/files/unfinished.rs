//! Files that do not have their final names yet.
//!
//! On Linux they have no name at all, so nothing is left of them however the command ends. Where
//! the file system has no such files, they have a name, and are locked. The next command that
//! writes to the folder removes those that no process has locked.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile, TempPath};

use crate::files::input::open_to_read;

/// What the names of unfinished files begin and end with.
const NAME: [&str; 2] = [".fourfold-", ".part"];

/// A file that is removed if it is dropped without [`Unfinished::persist`].
pub(super) struct Unfinished {
    file: File,
    /// `None` if it has no name.
    path: Option<TempPath>,
}

impl Unfinished {
    /// A file in a folder, with these permissions or fewer.
    pub(super) fn create(folder: &Path, mode: u32) -> io::Result<Unfinished> {
        remove_abandoned_once(folder);
        match unnamed(folder, mode) {
            Some(file) => Ok(Unfinished { file, path: None }),
            None => Unfinished::named(folder, mode),
        }
    }

    fn named(folder: &Path, mode: u32) -> io::Result<Unfinished> {
        loop {
            let (file, path) = builder(mode).tempfile_in(folder)?.into_parts();
            let _ = file.lock(); // without locks, a file that is left is not removed
            // Before it was locked, another process may have found it abandoned.
            if path.exists() {
                return Ok(Unfinished { file, path: Some(path) });
            }
        }
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its name, in place of any other file that has it.
    pub(super) fn persist(self, path: &Path) -> io::Result<()> {
        let folder = path.parent().expect("a file lies in a folder");
        let unfinished = match self.path {
            Some(path) => path,
            // A new name cannot replace a file; renaming can.
            None => builder(0o600).make_in(folder, |name| link(&self.file, name)).map(NamedTempFile::into_temp_path)?,
        };
        Ok(unfinished.persist(path)?)
    }
}

fn builder(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(NAME[0]).suffix(NAME[1]);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    builder
}

/// A locked file without a name, or `None` if the system has none, or could not name it later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
    let _ = file.lock();
    entry(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: u32) -> Option<File> {
    None
}

/// Where Linux lists an open file.
#[cfg(target_os = "linux")]
fn entry(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    Path::new("/proc/self/fd").join(file.as_raw_fd().to_string())
}

/// Names a file that has no name.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, entry(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Calls [`remove_abandoned`] once for each folder.
fn remove_abandoned_once(folder: &Path) {
    static DONE: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if done.get_or_insert_default().insert(folder.to_owned()) {
        remove_abandoned(folder);
    }
}

/// Removes files whose writers have ended without removing them.
fn remove_abandoned(folder: &Path) {
    let is_ours = |name: &str| name.starts_with(NAME[0]) && name.ends_with(NAME[1]);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    for entry in files.filter(|entry| entry.file_name().to_str().is_some_and(is_ours)) {
        let Ok(file) = open_to_read(&entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn named_files_are_removed_when_nobody_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let [abandoned, other, last] =
            [".fourfold-abc.part", ".fourfold-abc", "out"].map(|name| folder.path().join(name));
        fs::write(&abandoned, "half").unwrap();
        fs::write(&other, "").unwrap();
        let locked = Unfinished::named(folder.path(), 0o666).unwrap();
        remove_abandoned(folder.path());
        assert!(!abandoned.exists() && other.exists());
        assert_eq!(count(folder.path()), 2, "the locked file stays");
        locked.persist(&last).unwrap();
        assert_eq!((count(folder.path()), fs::read(&last).unwrap().len()), (2, 0));
        drop(Unfinished::named(folder.path(), 0o666).unwrap());
        assert_eq!(count(folder.path()), 2);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn unnamed_files_get_their_name_last() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = unnamed(folder.path(), 0o666) else { return eprintln!("NOT TESTED: no unnamed files") };
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        let mut unfinished = Unfinished { file, path: None };
        io::Write::write_all(unfinished.file(), b"new").unwrap();
        assert_eq!((count(folder.path()), fs::read_to_string(&path).unwrap()), (1, "old".to_owned()));
        unfinished.persist(&path).unwrap();
        assert_eq!((count(folder.path()), fs::read_to_string(&path).unwrap()), (1, "new".to_owned()));
    }
}

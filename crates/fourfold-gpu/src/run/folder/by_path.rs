//! A folder of the user's, where the system has no owners and permissions as Unix does: the user's
//! cache folder is the user's own there.

use crate::run::folder::file::{FileFacts, unfinished_name};
use std::fs;
use std::fs::File;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder, if it is there.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Folder>> {
        match fs::read_dir(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            folder => folder.map(|_| Some(Folder(path.into()))),
        }
    }

    /// The same, made if it is not there.
    pub(crate) fn make(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        Ok(Folder(path.into()))
    }

    /// A file to be read.
    pub(crate) fn read(&self, name: &str) -> io::Result<File> {
        File::open(self.0.join(name))
    }

    /// A new file of this name with these parts, or none if that fails. It is written as another
    /// one, whose name nobody can guess and ends with `unfinished`.
    pub(crate) fn write(&self, name: &str, unfinished: &str, parts: &[&[u8]]) -> io::Result<()> {
        let other = unfinished_name(unfinished);
        let mut file = File::create_new(self.0.join(&other))?;
        let written = parts.iter().try_for_each(|part| file.write_all(part));
        drop(file);
        let kept = written.and_then(|()| fs::rename(self.0.join(&other), self.0.join(name)));
        if kept.is_err() {
            let _ = self.remove(&other);
        }
        kept
    }

    /// Removes a file, unless another process did.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.0.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// The files in it, and the names of everything else.
    pub(crate) fn files(&self) -> io::Result<(Vec<FileFacts>, Vec<String>)> {
        let (mut files, mut others) = (vec![], vec![]);
        for file in fs::read_dir(&self.0)? {
            let file = file?;
            // Another process may have removed it.
            match (file.file_name().into_string(), file.metadata()) {
                (Ok(name), Ok(data)) if data.is_file() => {
                    files.push(FileFacts { name, bytes: data.len(), used: data.modified()? });
                }
                (Ok(name), Ok(_)) => others.push(name),
                _ => {}
            }
        }
        Ok((files, others))
    }
}

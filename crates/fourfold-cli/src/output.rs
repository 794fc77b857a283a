//! Output files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

/// A file being written under another name in the folder of its final one. Dropped without [`Output::commit`], it leaves
/// nothing behind, and a file that had the final name stays as it was.
pub(crate) struct Output {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Output {
    /// Begins a file, so that a folder that cannot be written is reported before any work is done.
    pub(crate) fn create(path: &Path) -> Result<Output> {
        let path = target(path)?;
        let folder = path.parent().expect("a file lies in a folder");
        let mut builder = tempfile::Builder::new();
        builder.prefix(".fourfold-").suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask, as for any file
        let file = builder.tempfile_in(folder).with_context(|| format!("cannot write in {}", folder.display()))?;
        Ok(Output { file: BufWriter::new(file), path })
    }

    /// The final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the content.
    pub(crate) fn fill<E>(&mut self, write: impl FnOnce(&mut BufWriter<NamedTempFile>) -> Result<(), E>) -> Result<()>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let failed = || format!("cannot write {}", self.path.display());
        write(&mut self.file).with_context(failed)?;
        self.file.flush().with_context(failed)?;
        self.file.get_ref().as_file().sync_all().with_context(failed)
    }

    /// Gives the file its final name, in place of any that has it.
    pub(crate) fn commit(self) -> Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        let file = self.file.into_inner().map_err(|error| error.into_error()).with_context(failed)?;
        file.persist(&self.path).map(drop::<File>).with_context(failed)
    }
}

/// Where the file will lie: behind a symbolic link, which stays. Devices, pipes and folders cannot be replaced.
fn target(path: &Path) -> Result<PathBuf> {
    let failed = || format!("cannot write {}", path.display());
    let name = path.file_name().with_context(|| format!("cannot write {path:?}: it names no file"))?;
    if let Ok(metadata) = fs::metadata(path) {
        ensure!(metadata.is_file(), "cannot write {}: it is not a regular file", path.display());
        return fs::canonicalize(path).with_context(failed);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::canonicalize(folder).with_context(failed)?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        let mut output = Output::create(path).unwrap();
        output.fill(|file| file.write_all(text.as_bytes())).unwrap();
        output.commit().unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        let failure = output.fill(|file| {
            file.write_all(b"half")?;
            Err(std::io::Error::other("the disk is full"))
        });
        assert!(format!("{:#}", failure.unwrap_err()).contains("the disk is full"));
        drop(output);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["old"]);
    }

    #[test]
    fn a_success_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        fs::write(&path, "old").unwrap();
        write(&path, "new");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["old"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(Output::create(Path::new("/dev/null")).is_err());
        assert!(Output::create(folder.path()).is_err());
        assert!(Output::create(Path::new("")).is_err());
    }
}

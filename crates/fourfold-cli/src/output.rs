//! Output files that are written completely or not at all.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use tempfile::NamedTempFile;

/// A file that is written under a temporary name in its folder. If it is dropped without
/// [`Output::commit`], or the command is interrupted, it is removed, and an old file of the final
/// name stays as it was.
pub struct Output {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Output {
    /// Begins a file. If the folder or an old file cannot be written, that is an error here, before
    /// any work is done.
    pub fn create(path: &Path) -> Result<Output> {
        let path = target(path)?;
        let old = replaced(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let folder = path.parent().expect("a file lies in a folder");
        let mut builder = tempfile::Builder::new();
        builder.prefix(".fourfold-").suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // the umask is subtracted
        #[cfg(unix)]
        if let Some(old) = &old {
            builder.permissions(old.clone());
        }
        let in_folder = || format!("cannot write in {}", folder.display());
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        remove_when_ended();
        let file = builder.tempfile_in(folder).with_context(in_folder)?;
        unfinished.push(file.path().to_owned());
        // The old file's permissions may have bits that the umask has removed.
        old.map_or(Ok(()), |old| file.as_file().set_permissions(old)).with_context(in_folder)?;
        Ok(Output { file: BufWriter::new(file), path })
    }

    /// The final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the content.
    pub fn fill<E>(&mut self, write: impl FnOnce(&mut BufWriter<NamedTempFile>) -> Result<(), E>) -> Result<()>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let failed = || format!("cannot write {}", self.path.display());
        write(&mut self.file).with_context(failed)?;
        self.file.flush().with_context(failed)?;
        self.file.get_ref().as_file().sync_all().with_context(failed)
    }

    /// Gives the file its final name, in place of any that has it.
    pub fn commit(self) -> Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        let file = self.file.into_inner().map_err(|error| error.into_error()).with_context(failed)?;
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.retain(|path| path != file.path());
        file.persist(&self.path).map(drop::<File>).with_context(failed)
    }
}

/// The files that the command has begun. While the lock is held, an interruption waits.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit code of an interrupted command, as shells define it: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Makes interruption and termination remove the unfinished files before the command ends.
fn remove_when_ended() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without the handler an interruption leaves the unfinished file. That is no error here.
        let _ = ctrlc::set_handler(|| {
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            unfinished.iter().for_each(|path| drop(fs::remove_file(path)));
            std::process::exit(INTERRUPTED);
        });
    });
}

/// Fails if an output would replace an input, also under another name or through a link.
pub(crate) fn spare(inputs: &[PathBuf], outputs: &[PathBuf]) -> Result<()> {
    let inputs: HashSet<_> = inputs.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let replaces = |path: &&PathBuf| fs::canonicalize(path).is_ok_and(|path| inputs.contains(&path));
    match outputs.iter().find(replaces) {
        Some(path) => {
            bail!("cannot write {}: it is also an input, which would be lost; name another file", path.display())
        }
        None => Ok(()),
    }
}

/// The permissions of the old file, which the new one gets; an error if it may not be written.
fn replaced(path: &Path) -> Result<Option<fs::Permissions>> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
    ensure!(!metadata.permissions().readonly(), "it is read-only");
    OpenOptions::new().write(true).open(path)?;
    Ok(Some(metadata.permissions()))
}

/// The longest chain of symbolic links, as on Linux.
const MOST_LINKS: usize = 40;

/// The path behind symbolic links. The links stay, also if they lead to no file yet. Devices, pipes
/// and folders are refused.
fn target(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return place(&path),
        }
    }
    bail!("cannot write {}: too many symbolic links", path.display())
}

/// The absolute path of a name that is no link.
fn place(path: &Path) -> Result<PathBuf> {
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
    #[cfg(unix)]
    fn inputs_are_known_by_other_names() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, new] = ["file", "link", "new"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("in")).unwrap();
        let [roundabout, other] = ["in/../file", "in/file"].map(|name| folder.path().join(name));
        fs::write(&file, "").unwrap();
        fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let spares =
            |input: &PathBuf, output: &PathBuf| spare(&[other.clone(), input.clone()], std::slice::from_ref(output));
        for (input, output) in [(&file, &file), (&file, &link), (&link, &file), (&roundabout, &file)] {
            assert!(spares(input, output).is_err() && spares(output, input).is_err());
        }
        assert!(spares(&file, &new).is_ok() && spares(&new, &file).is_ok());
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
    fn the_new_file_has_the_old_ones_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        fs::write(&path, "old").unwrap();
        for permissions in [0o600, 0o666, 0o640] {
            fs::set_permissions(&path, PermissionsExt::from_mode(permissions)).unwrap();
            write(&path, "new");
            assert_eq!(mode(), permissions);
        }
        fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
        let message = format!("{:#}", Output::create(&path).err().unwrap());
        assert!(message.contains("read-only") && message.contains("old"), "{message}");
        assert_eq!((mode(), names(folder.path())), (0o444, vec!["old".to_owned()]));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link, other) = (folder.path().join("file"), folder.path().join("link"), folder.path().join("other"));
        std::os::unix::fs::symlink("link", &other).unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write(&other, "new");
        assert!(
            fs::symlink_metadata(&link).unwrap().is_symlink() && fs::symlink_metadata(&other).unwrap().is_symlink()
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        assert!(Output::create(&circle).is_err());
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

//! Output files that are written completely or not at all.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::files::input::open_regular;
use crate::files::unfinished::Unfinished;

/// A file that gets its name when it is complete. If it is dropped without [`Output::commit`], or
/// the command ends early, an old file of that name stays as it was.
pub struct Output {
    file: Unfinished,
    path: PathBuf,
}

/// The permissions of new files, from which the umask is subtracted.
const NEW_FILE: u32 = 0o666;

impl Output {
    /// Begins a file. If the folder or an old file cannot be written, that is an error here, before
    /// any work is done.
    pub fn create(path: &Path) -> Result<Output> {
        let path = target(path)?;
        let failed = || format!("cannot write {}", path.display());
        let old = replaced(&path).with_context(failed)?;
        let folder = path.parent().expect("a file lies in a folder");
        let in_folder = || format!("cannot write in {}", folder.display());
        let mode = old.as_ref().map_or(NEW_FILE, permissions);
        let mut file = Unfinished::create(folder, mode).with_context(in_folder)?;
        old.map_or(Ok(()), |old| resemble(file.file(), &old)).with_context(failed)?;
        Ok(Output { file, path })
    }

    /// Writes the content.
    pub fn fill<E>(&mut self, write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), E>) -> Result<()>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let failed = || format!("cannot write {}", self.path.display());
        let mut buffer = BufWriter::new(self.file.file());
        write(&mut buffer).with_context(failed)?;
        let file = buffer.into_inner().map_err(|error| error.into_error()).with_context(failed)?;
        file.sync_all().with_context(failed)
    }

    /// Gives the file its final name, in place of any that has it.
    pub fn commit(self) -> Result<()> {
        self.file.persist(&self.path).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Fails if an output would replace an input or another output, also under another name or through
/// a link.
pub(crate) fn check_outputs(inputs: &[&Path], outputs: &[&Path]) -> Result<()> {
    let inputs: HashSet<_> = inputs.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let mut targets = HashSet::new();
    for output in outputs {
        let (target, cannot) = (target(output)?, || format!("cannot write {}", output.display()));
        ensure!(!inputs.contains(&target), "{}: it is also an input, which would be lost; name another file", cannot());
        ensure!(targets.insert(target), "{} twice: two outputs are this file", cannot());
    }
    Ok(())
}

/// The old file; an error if it may not be written.
fn replaced(path: &Path) -> Result<Option<Metadata>> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
    ensure!(!metadata.permissions().readonly(), "it is read-only");
    open_regular(File::options().write(true), path)?;
    Ok(Some(metadata))
}

/// Who may read, write and execute a file. The bits that make a program run as its owner are not
/// part of it: they are not for another content.
#[cfg(unix)]
fn permissions(old: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&old.permissions()) & 0o777
}

#[cfg(not(unix))]
fn permissions(_: &Metadata) -> u32 {
    NEW_FILE
}

/// Gives a new file the owner, the group and the permissions of the old one.
#[cfg(unix)]
fn resemble(file: &File, old: &Metadata) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let whose = || format!("it belongs to user {} and group {}, which a new file cannot", old.uid(), old.gid());
        fchown(file, Some(old.uid()), Some(old.gid())).with_context(whose)?;
    }
    Ok(file.set_permissions(PermissionsExt::from_mode(permissions(old)))?)
}

#[cfg(not(unix))]
fn resemble(file: &File, old: &Metadata) -> Result<()> {
    Ok(file.set_permissions(old.permissions())?)
}

/// The longest chain of symbolic links, as on Linux.
const MOST_LINKS: usize = 40;

/// The path behind symbolic links. The links stay, also if they lead to no file yet. Devices, pipes
/// and folders are refused.
fn target(path: &Path) -> Result<PathBuf> {
    behind_links(path).with_context(|| format!("cannot write {}", path.display()))
}

fn behind_links(path: &Path) -> Result<PathBuf> {
    // A link such as `/dev/stdout` may name what is in no folder.
    ensure!(fs::metadata(path).map_or(true, |metadata| metadata.is_file()), "it is not a regular file");
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return absolute(&path),
        }
    }
    bail!("too many symbolic links")
}

/// The absolute path of a name that is no link.
fn absolute(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().with_context(|| format!("{path:?} names no file"))?;
    if path.exists() {
        return Ok(fs::canonicalize(path)?);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::canonicalize(folder)?.join(name))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

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
        let spares = |input: &Path, output: &Path| check_outputs(&[&other, input], &[output]);
        for (input, output) in [(&file, &file), (&file, &link), (&link, &file), (&roundabout, &file)] {
            assert!(spares(input, output).is_err() && spares(output, input).is_err());
        }
        assert!(spares(&file, &new).is_ok() && spares(&new, &file).is_ok());
        // Two outputs, one of them a link to the other, which need not exist.
        std::os::unix::fs::symlink("new", folder.path().join("to new")).unwrap();
        let twice = |a: &str| check_outputs(&[&file], &[&folder.path().join(a), &new]);
        assert!(twice("to new").is_err() && twice("new").is_err() && twice("newer").is_ok());
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
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        fs::write(&path, "old").unwrap();
        for permissions in [0o600, 0o666, 0o640, 0o4755, 0o2755] {
            fs::set_permissions(&path, PermissionsExt::from_mode(permissions)).unwrap();
            write(&path, "new");
            assert_eq!(mode(), permissions & 0o777);
        }
        fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
        let message = format!("{:#}", Output::create(&path).err().unwrap());
        assert!(message.contains("read-only") && message.contains("old"), "{message}");
        assert_eq!((mode(), names(folder.path())), (0o444, vec!["old".to_owned()]));
    }

    /// Only root can give files away.
    #[test]
    #[cfg(unix)]
    fn the_new_file_has_the_old_ones_owner() {
        use std::os::unix::fs::{MetadataExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        fs::write(&path, "old").unwrap();
        if chown(&path, Some(1234), Some(1235)).is_err() {
            return eprintln!("NOT TESTED: this user cannot give files away");
        }
        write(&path, "new");
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), metadata.len()), (1234, 1235, 3));
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

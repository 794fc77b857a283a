//! A folder to which only its owner can write, on Unix.
//!
//! Machine code in it is executed, so nobody else may put any there. The folder is opened once and
//! checked as it was opened, and files are named within it: a path that leads elsewhere in the next
//! moment changes nothing. Symbolic links are not followed, and files of other users are no files.

use crate::run::folder::file::{FileFacts, unfinished_name};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, renameat, statat, unlinkat};
use rustix::process::geteuid;
use std::fs::{DirBuilder, File};
use std::io;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Permissions of a new folder, and of a file in it: the owner's only.
const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;

/// Permissions of groups and others to write.
const OTHERS_WRITE: u32 = 0o022;

/// A folder of the user's that was checked.
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// The folder, if it is there. An error if others can write to it.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Folder>> {
        // Without a slash at the end, which would lead through a link.
        let path: PathBuf = path.components().collect();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match open(&path, flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
                return Err(io::Error::other("it is a symbolic link or no folder, or lies in a file"));
            }
            folder => folder?,
        };
        let Stat { st_uid, st_mode, .. } = fstat(&folder)?;
        let own = geteuid().as_raw();
        if st_uid != own {
            return Err(io::Error::other(format!("it belongs to user {st_uid}, not to {own}")));
        }
        if st_mode & OTHERS_WRITE != 0 {
            let mode = st_mode & 0o777;
            return Err(io::Error::other(format!(
                "others can write to it (mode {mode:o}): `chmod go-w` makes it safe"
            )));
        }
        Ok(Some(Folder(folder)))
    }

    /// The same, made if it is not there.
    pub(crate) fn make(path: &Path) -> io::Result<Folder> {
        if let Some(folder) = Folder::open(path)? {
            return Ok(folder);
        }
        DirBuilder::new().recursive(true).mode(FOLDER).create(path)?;
        Folder::open(path)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// A file to be read.
    pub(crate) fn read(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::empty())?;
        if is_own_file(&fstat(&file)?) { Ok(file.into()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// A new file of this name with these parts, or none if that fails. It is written as another
    /// one, whose name nobody can guess and ends with `unfinished`.
    pub(crate) fn write(&self, name: &str, unfinished: &str, parts: &[&[u8]]) -> io::Result<()> {
        let other = unfinished_name(unfinished);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file: File = openat(&self.0, &other, flags, Mode::from_raw_mode(FILE))?.into();
        let written = parts.iter().try_for_each(|part| file.write_all(part));
        let kept = written.and_then(|()| Ok(renameat(&self.0, &other, &self.0, name)?));
        if kept.is_err() {
            let _ = self.remove(&other);
        }
        kept
    }

    /// Removes a file, unless another process did.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Err(rustix::io::Errno::NOENT) => Ok(()),
            removed => Ok(removed?),
        }
    }

    /// The user's files in it, and the names of everything else.
    pub(crate) fn files(&self) -> io::Result<(Vec<FileFacts>, Vec<String>)> {
        let (mut files, mut others) = (vec![], vec![]);
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            // Another process may have removed it.
            let Ok(stat) = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            if is_own_file(&stat) {
                let since = Duration::new(stat.st_mtime.try_into().unwrap_or(0), stat.st_mtime_nsec as u32);
                let used = SystemTime::UNIX_EPOCH + since;
                files.push(FileFacts { name: name.into(), bytes: stat.st_size as u64, used });
            } else {
                others.push(name.into());
            }
        }
        Ok((files, others))
    }
}

fn is_own_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_uid == geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::fs::Permissions;
    use std::io::Read;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn refused(path: &Path) -> String {
        Folder::open(path).err().expect("must be refused").to_string()
    }

    #[test]
    fn new_folders_and_files_are_the_owner_s_only() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("kernels/of/mine");
        assert!(Folder::open(&path).unwrap().is_none());
        let folder = Folder::make(&path).unwrap();
        folder.write("a", "part", &[b"one ", b"two"]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join("a"))), (0o700, 0o600));
        let mut text = String::new();
        folder.read("a").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one two");
        assert_eq!(
            folder.files().unwrap().0.iter().map(|file| (&*file.name, file.bytes)).collect::<Vec<_>>(),
            [("a", 7)]
        );
    }

    #[test]
    fn folders_that_others_can_write_are_refused() {
        let place = tempfile::tempdir().unwrap();
        for (mode, fine) in [(0o700, true), (0o755, true), (0o770, false), (0o777, false), (0o1777, false)] {
            fs::set_permissions(place.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(Folder::open(place.path()).is_ok(), fine, "{mode:o}");
        }
        assert!(refused(place.path()).contains("mode 777): `chmod go-w`"), "{}", refused(place.path()));
    }

    #[test]
    fn folders_of_others_are_refused() {
        if geteuid().is_root() {
            let place = tempfile::tempdir().unwrap();
            std::os::unix::fs::chown(place.path(), Some(12345), None).unwrap();
            assert!(refused(place.path()).contains("belongs to user 12345, not to 0"), "{}", refused(place.path()));
        } else {
            assert!(refused(Path::new("/usr")).contains("belongs to user 0"), "{}", refused(Path::new("/usr")));
        }
    }

    #[test]
    fn links_lead_nowhere() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("real"), place.path().join("link"));
        let folder = Folder::make(&real).unwrap();
        symlink(&real, &link).unwrap();
        assert!(refused(&link).contains("symbolic link"), "{}", refused(&link));
        assert!(refused(&link.join("")).contains("symbolic link"), "a slash at the end");
        fs::write(place.path().join("secret"), "secret").unwrap();
        symlink(place.path().join("secret"), real.join("a")).unwrap();
        assert!(folder.read("a").is_err() && folder.files().unwrap().0.is_empty());
        // The link is replaced, and not what it leads to.
        folder.write("a", "part", &[b"mine"]).unwrap();
        assert_eq!(fs::read(place.path().join("secret")).unwrap(), b"secret");
        assert_eq!(fs::read(real.join("a")).unwrap(), b"mine");
    }

    #[test]
    fn a_folder_that_is_swapped_later_does_not_matter() {
        let place = tempfile::tempdir().unwrap();
        let (path, moved) = (place.path().join("kernels"), place.path().join("moved"));
        let folder = Folder::make(&path).unwrap();
        fs::rename(&path, &moved).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("a"), "theirs").unwrap();
        assert!(folder.read("a").is_err());
        folder.write("a", "part", &[b"mine"]).unwrap();
        assert_eq!(
            (fs::read(moved.join("a")).unwrap(), fs::read(path.join("a")).unwrap()),
            (b"mine".into(), b"theirs".into())
        );
    }

    #[test]
    fn files_of_others_are_no_files() {
        if !geteuid().is_root() {
            return eprintln!("NOT TESTED: only root gives files away");
        }
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        folder.write("a", "part", &[b"theirs"]).unwrap();
        std::os::unix::fs::chown(place.path().join("a"), Some(12345), None).unwrap();
        assert!(folder.read("a").is_err() && folder.files().unwrap().0.is_empty());
    }
}

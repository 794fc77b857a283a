//! Compiled kernels on disk.
//!
//! An entry is one file: a head, the key, the binary. The key is all that determines the binary,
//! source text included; its hash names the file, and it is compared in full. Entries are written
//! under another name and renamed, so that other processes see a whole one or none; a damaged one
//! fails its checksum, and is compiled and written again. Checksums do not tell who wrote an entry:
//! so the [folder](crate::run::folder) must be the user's only.

use crate::run::cache_entry::{HEAD, head, target, whole};
use crate::run::folder::Folder;
use crate::run::folder::file::FileFacts;
use fourfold::{Error, ErrorKind, Result};
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_128;

/// Bytes that a cache holds if not said.
const LIMIT: u64 = 256 << 20;

const SUFFIX: &str = "kernel";
const UNFINISHED: &str = "unfinished";

/// After this time the writer of an unfinished entry is gone.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of compiled kernels. Any number of a user's processes may share it.
///
/// Whoever can write to the folder can have code run by those who use it. So it is made for its
/// owner only (mode 700), and a folder that belongs to somebody else, that others can write to, or
/// that is a symbolic link is not used; [`Cache::check`] says why.
///
/// A planner never fails because of its cache: what cannot be read is compiled, what cannot be
/// written is not kept.
///
/// ```
/// use fourfold_gpu::cache::Cache;
/// let cache = Cache::open(std::env::temp_dir().join("fourfold-example")).with_limit(64 << 20);
/// assert_eq!(cache.bytes()?, 0); // nothing is made before there is something to keep
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

/// One compiled kernel of a [`Cache`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CacheEntry {
    /// Its file.
    pub path: PathBuf,
    /// The device, driver and compiler that it is for; empty if the file is damaged.
    pub target: String,
    /// The size of the file.
    pub bytes: u64,
    /// When it was last read or written.
    pub used: SystemTime,
}

impl Cache {
    /// The cache that planners use if not told otherwise: the folder that `FOURFOLD_CACHE_DIR`
    /// names, or `fourfold` in the user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`;
    /// `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows). `FOURFOLD_CACHE_LIMIT` says how
    /// many bytes it holds, as `1000000`, `64K`, `512M` or `2G` (powers of 1024);
    /// 256 MiB if it is empty or not set.
    ///
    /// `None` if `FOURFOLD_CACHE_DIR` is empty, which switches it off, or there is no such folder.
    ///
    /// # Errors
    /// [`Argument`](ErrorKind::Argument) if `FOURFOLD_CACHE_LIMIT` is not such a size.
    pub fn standard() -> Result<Option<Cache>> {
        let limit = std::env::var_os("FOURFOLD_CACHE_LIMIT").filter(|text| !text.is_empty());
        let limit = limit.map_or(Ok(LIMIT), |text| size(&text.to_string_lossy()))?;
        let folder = match std::env::var_os("FOURFOLD_CACHE_DIR") {
            Some(folder) if folder.is_empty() => None,
            Some(folder) => Some(PathBuf::from(folder)),
            None => user_folder().map(|folder| folder.join("fourfold")),
        };
        Ok(folder.map(|folder| Cache { folder, limit }))
    }

    /// The cache in `folder`, which is made when there is something to keep.
    pub fn open(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: folder.into(), limit: LIMIT }
    }

    /// The same cache, holding at most `bytes` bytes, 256 MiB if not said: when a kernel is made,
    /// what was not used for longest is dropped.
    pub fn with_limit(self, bytes: u64) -> Cache {
        Cache { limit: bytes, ..self }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many bytes it holds at most.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether planners use it: a folder that is not there yet is made.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) if the folder cannot be read or is not the user's
    /// only. Planners then neither read nor keep kernels there.
    pub fn check(&self) -> Result<()> {
        self.open_folder().map(drop).map_err(|e| self.failed("use", &e))
    }

    /// What it has, last used first; nothing if the folder is not there.
    ///
    /// # Errors
    /// As [`Cache::check`].
    pub fn entries(&self) -> Result<Vec<CacheEntry>> {
        let entries = |folder: Folder| {
            let entry = |FileFacts { name, bytes, used }| {
                let target = folder.read(&name).ok().and_then(target).unwrap_or_default();
                CacheEntry { path: self.folder.join(name), target, bytes, used }
            };
            Ok(files(&folder, SUFFIX)?.into_iter().map(entry).collect())
        };
        let all = || self.open_folder()?.map_or(Ok(vec![]), entries);
        all().map_err(|e| self.failed("read", &e))
    }

    /// What is named as an entry and is none: folders, links, and files of other users, by name. None
    /// is read, and [`Cache::clear`] removes none. A folder is never replaced, so that a kernel of its
    /// name is compiled each time.
    ///
    /// # Errors
    /// As [`Cache::check`].
    pub fn foreign(&self) -> Result<Vec<PathBuf>> {
        let foreign = |folder: Folder| {
            let names = folder.files()?.1.into_iter().filter(|name| is_ours(name, SUFFIX));
            let mut paths: Vec<_> = names.map(|name| self.folder.join(name)).collect();
            paths.sort();
            Ok(paths)
        };
        let all = || self.open_folder()?.map_or(Ok(vec![]), foreign);
        all().map_err(|e| self.failed("read", &e))
    }

    /// How many bytes it has.
    ///
    /// # Errors
    /// As [`Cache::check`].
    pub fn bytes(&self) -> Result<u64> {
        let bytes = |folder: Folder| Ok(files(&folder, SUFFIX)?.iter().map(|file| file.bytes).sum());
        let all = || self.open_folder()?.map_or(Ok(0), bytes);
        all().map_err(|e| self.failed("read", &e))
    }

    /// Removes all that it has; returns how many entries. Plans that were made stay good.
    ///
    /// # Errors
    /// As [`Cache::check`], and if an entry cannot be removed.
    pub fn clear(&self) -> Result<usize> {
        let clear = |folder: Folder| {
            let (entries, unfinished) = (files(&folder, SUFFIX)?, files(&folder, UNFINISHED)?);
            entries.iter().chain(&unfinished).try_for_each(|file| folder.remove(&file.name))?;
            Ok(entries.len())
        };
        let all = || self.open_folder()?.map_or(Ok(0), clear);
        all().map_err(|e| self.failed("clear", &e))
    }

    fn open_folder(&self) -> io::Result<Option<Folder>> {
        Folder::open(&self.folder)
    }

    /// The binary that was kept for `key`.
    pub(crate) fn load(&self, key: &str) -> Option<Vec<u8>> {
        let mut file = self.open_folder().ok()??.read(&name(key)).ok()?;
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).ok()?;
        let binary = whole(&bytes, key)?.to_vec();
        // The time of last use; where it cannot be set, the oldest entries are dropped first.
        let _ = file.set_modified(SystemTime::now());
        Some(binary)
    }

    /// Keeps `binary` for `key`, if that is possible.
    pub(crate) fn store(&self, key: &str, binary: &[u8]) {
        let _ = self.try_store(key, binary);
    }

    fn try_store(&self, key: &str, binary: &[u8]) -> io::Result<()> {
        let folder = Folder::make(&self.folder)?;
        let bytes = (HEAD + key.len() + binary.len()) as u64;
        let written = match bytes <= self.limit {
            true => folder.write(&name(key), UNFINISHED, &[&head(key, binary), key.as_bytes(), binary]),
            false => Ok(()),
        };
        // Also for a limit that was lowered.
        written.and(self.prune(&folder))
    }

    /// Drops what was not used for longest until the limit is kept.
    fn prune(&self, folder: &Folder) -> io::Result<()> {
        let mut kept = 0;
        for file in files(folder, SUFFIX)? {
            kept += file.bytes;
            if kept > self.limit {
                folder.remove(&file.name)?;
            }
        }
        let abandoned = |file: &&FileFacts| file.used.elapsed().is_ok_and(|age| age > ABANDONED);
        let unfinished = files(folder, UNFINISHED)?;
        unfinished.iter().filter(abandoned).try_for_each(|file| folder.remove(&file.name))
    }

    fn failed(&self, what: &str, error: &io::Error) -> Error {
        let message = format!("cannot {what} the kernel cache in {}: {error}", self.folder.display());
        Error::new(ErrorKind::Unavailable, message)
    }
}

/// Files of a cache (no folders, no links, nobody else's files) with this suffix, last used first.
fn files(folder: &Folder, suffix: &str) -> io::Result<Vec<FileFacts>> {
    let (mut files, _) = folder.files()?;
    files.retain(|file| is_ours(&file.name, suffix));
    files.sort_by_key(|file| std::cmp::Reverse(file.used));
    Ok(files)
}

/// The name of the file for a key.
fn name(key: &str) -> String {
    format!("{:032x}.{SUFFIX}", xxh3_128(key.as_bytes()))
}

/// The bytes that a limit names.
fn size(text: &str) -> Result<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let bits = match &*text[split..].to_ascii_uppercase() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let bytes = bits.and_then(|bits| text[..split].parse::<u64>().ok()?.checked_mul(1 << bits));
    let message =
        || format!("FOURFOLD_CACHE_LIMIT is {text:?}: expected a number of bytes, or one with K, M or G, such as 512M");
    bytes.ok_or_else(|| Error::new(ErrorKind::Argument, message()))
}

/// The folder for caches that the environment names. Without `HOME` there is none: a program that
/// runs so shall not write to the home of whoever owns the process.
fn user_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    }
}

/// Whether a file is named as entries with this suffix are: by a hash, or at random.
fn is_ours(name: &str, suffix: &str) -> bool {
    let is_hash = |stem: &str| stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.strip_suffix(suffix).and_then(|name| name.strip_suffix('.')).is_some_and(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::fs::File;
    use std::thread;

    fn binary(seed: u8) -> Vec<u8> {
        (0..50_000).map(|i| (i % 251) as u8 ^ seed).collect()
    }

    #[test]
    fn writers_and_readers_at_the_same_time_see_whole_entries() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        let work = |seed: u8| {
            for round in 0..100 {
                let key = format!("key {}", round % 5);
                cache.store(&key, &binary(round % 5));
                let found = cache.load(&key);
                assert!(found.is_none_or(|found| found == binary(round % 5)), "round {round} of {seed}");
                if round % 20 == seed {
                    cache.clear().unwrap();
                }
            }
        };
        thread::scope(|scope| (0..4).for_each(|seed| drop(scope.spawn(move || work(seed)))));
        assert!(files(&Folder::make(folder.path()).unwrap(), UNFINISHED).unwrap().is_empty());
    }

    #[test]
    fn keys_of_one_name_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        cache.store("one", &binary(1));
        fs::rename(folder.path().join(name("one")), folder.path().join(name("two"))).unwrap();
        assert_eq!(cache.load("two"), None);
        assert_eq!(cache.load("on"), None);
    }

    #[test]
    fn what_was_not_used_for_longest_is_dropped_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).with_limit(160_000);
        // Clocks of file systems are coarse.
        let step = || thread::sleep(Duration::from_millis(30));
        for (i, key) in ["a", "b", "c"].iter().enumerate() {
            cache.store(key, &binary(i as u8));
            step();
        }
        assert_eq!(cache.load("a"), Some(binary(0)));
        step();
        cache.store("d", &binary(3));
        let there = ["a", "b", "c", "d"].map(|key| cache.load(key).is_some());
        assert_eq!(there, [true, false, true, true]);
        assert!(cache.bytes().unwrap() <= cache.limit());
        cache.store("large", &[0; 200_000]);
        assert_eq!(cache.load("large"), None);
    }

    #[test]
    fn limits_are_sizes() {
        let sizes = ["0", "1000", "64K", "64k", "512M", "2G"].map(|text| size(text).unwrap());
        assert_eq!(sizes, [0, 1000, 64 << 10, 64 << 10, 512 << 20, 2 << 30]);
        for text in
            ["M", "-1", "1.5G", "10 M", "5T", "5MB", "all", "99999999999999999999", "18446744073709551615K", "é"]
        {
            let error = size(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Argument);
            assert!(error.to_string().contains(&format!("{text:?}")) && error.to_string().contains("512M"), "{error}");
        }
    }

    #[test]
    fn what_is_not_an_entry_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        let names =
            [format!("{:032x}.{SUFFIX}", 1), format!("{:032x}.{UNFINISHED}", 1)].map(|name| folder.path().join(name));
        names.iter().for_each(|name| fs::create_dir(name).unwrap());
        let files = ["kernel", "unfinished"].map(|suffix| folder.path().join(format!("notes.{suffix}")));
        files.iter().for_each(|file| fs::write(file, "mine").unwrap());
        cache.store("key", &binary(0));
        assert_eq!(cache.entries().unwrap().len(), 1);
        assert_eq!(cache.foreign().unwrap(), names[..1]);
        assert_eq!(cache.clear().unwrap(), 1);
        assert!(names.iter().all(|name| name.is_dir()) && files.iter().all(|file| file.is_file()));
    }

    #[test]
    fn a_lowered_limit_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        cache.store("key", &binary(0));
        let cache = cache.with_limit(1);
        cache.store("other", &binary(1));
        assert_eq!(cache.entries().unwrap().len(), 0);
    }

    #[test]
    fn abandoned_entries_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        let abandoned = folder.path().join(format!("{:032x}.{UNFINISHED}", 1));
        File::create(&abandoned).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        let recent = folder.path().join(format!("{:032x}.{UNFINISHED}", 2));
        File::create(&recent).unwrap();
        cache.store("key", &binary(0));
        assert_eq!((abandoned.exists(), recent.exists()), (false, true));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_can_write_is_neither_read_nor_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        cache.store("key", &binary(0));
        assert!(cache.check().is_ok() && cache.load("key").is_some());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        cache.store("other", &binary(1));
        assert_eq!((cache.load("key"), fs::read_dir(folder.path()).unwrap().count()), (None, 1));
        for error in [cache.check().err(), cache.entries().err(), cache.bytes().err(), cache.clear().err()] {
            let error = error.expect("must be refused");
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.to_string().contains("others can write to it (mode 777)"), "{error}");
            assert!(error.to_string().contains(folder.path().to_str().unwrap()), "{error}");
        }
    }
}

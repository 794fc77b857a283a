//! Compiled kernels on disk.
//!
//! An entry is one file: a head, the key, the binary. The key is all that determines the binary,
//! source text included; its hash names the file, and it is compared in full. Entries are written
//! under another name and renamed, so that other processes see a whole one or none; a damaged one
//! fails its checksum, and is compiled and written again.

use crate::run::cache_entry::{HEAD, head, target, whole};
use fourfold::{Error, ErrorKind, Result};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_128;

/// Bytes that a cache holds if not said.
const LIMIT: u64 = 256 << 20;

const SUFFIX: &str = "kernel";
const UNFINISHED: &str = "unfinished";

/// After this time the writer of an unfinished entry is gone.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of compiled kernels. Any number of processes may share it.
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
    /// many bytes it holds, as `1000000`, `64K`, `512M` or `2G` (sms of 1024, 1024² and 1024³);
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

    /// What it has, last used first; nothing if the folder is not there.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn entries(&self) -> Result<Vec<CacheEntry>> {
        let files = self.files(SUFFIX).map_err(|e| self.failed("read", &e))?;
        let entry = |(path, bytes, used): (PathBuf, u64, SystemTime)| {
            let target = target(&path).unwrap_or_default();
            CacheEntry { path, target, bytes, used }
        };
        Ok(files.into_iter().map(entry).collect())
    }

    /// How many bytes it has.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn bytes(&self) -> Result<u64> {
        let files = self.files(SUFFIX).map_err(|e| self.failed("read", &e))?;
        Ok(files.iter().map(|file| file.1).sum())
    }

    /// Removes all that it has; returns how many entries. Plans that were made stay good.
    ///
    /// # Errors
    /// If the folder cannot be read, or an entry not be removed.
    pub fn clear(&self) -> Result<usize> {
        let clear = || {
            let files = self.files(SUFFIX)?;
            files.iter().try_for_each(|file| remove(&file.0))?;
            self.files(UNFINISHED)?.iter().try_for_each(|file| remove(&file.0))?;
            Ok(files.len())
        };
        clear().map_err(|e: io::Error| self.failed("clear", &e))
    }

    /// The binary that was kept for `key`.
    pub(crate) fn load(&self, key: &str) -> Option<Vec<u8>> {
        let mut file = File::open(self.path(key)).ok()?;
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).ok()?;
        let binary = whole(&bytes, key)?.to_vec();
        // The time of last use; where it cannot be set, the oldest entries are dropped first.
        let _ = file.set_modified(SystemTime::now());
        Some(binary)
    }

    /// Keeps `binary` for `key`, if that is possible.
    pub(crate) fn store(&self, key: &str, binary: &[u8]) {
        let bytes = (HEAD + key.len() + binary.len()) as u64;
        if bytes <= self.limit {
            let _ = self.write(key, binary);
        }
        // Also for a limit that was lowered.
        let _ = self.prune();
    }

    fn write(&self, key: &str, binary: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(&self.folder)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join(format!("{}-{number}.{UNFINISHED}", std::process::id()));
        let written = File::create(&unfinished).and_then(|mut file| {
            file.write_all(&head(key, binary))?;
            file.write_all(key.as_bytes())?;
            file.write_all(binary)
        });
        let kept = written.and_then(|()| fs::rename(&unfinished, self.path(key)));
        if kept.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        kept
    }

    /// Drops what was not used for longest until the limit is kept.
    fn prune(&self) -> io::Result<()> {
        let mut kept = 0;
        for (path, bytes, _) in self.files(SUFFIX)? {
            kept += bytes;
            if kept > self.limit {
                remove(&path)?;
            }
        }
        let abandoned = |used: SystemTime| used.elapsed().is_ok_and(|age| age > ABANDONED);
        let unfinished = self.files(UNFINISHED)?;
        unfinished.iter().filter(|file| abandoned(file.2)).try_for_each(|file| remove(&file.0))
    }

    /// Our files (no folders, nobody else's files) with this suffix, their sizes and the time of
    /// their last use, latest first.
    fn files(&self, suffix: &str) -> io::Result<Vec<(PathBuf, u64, SystemTime)>> {
        let folder = match fs::read_dir(&self.folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            folder => folder?,
        };
        let mut files = vec![];
        for file in folder {
            let file = file?;
            // Another process may have removed it.
            if is_ours(&file.path(), suffix)
                && let Ok(data) = file.metadata()
                && data.is_file()
            {
                files.push((file.path(), data.len(), data.modified()?));
            }
        }
        files.sort_by_key(|file| std::cmp::Reverse(file.2));
        Ok(files)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:032x}.{SUFFIX}", xxh3_128(key.as_bytes())))
    }

    fn failed(&self, what: &str, error: &io::Error) -> Error {
        let message = format!("cannot {what} the kernel cache in {}: {error}", self.folder.display());
        Error::new(ErrorKind::Unavailable, message)
    }
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

fn user_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = std::env::home_dir();
    if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home.map(|home| home.join("KernelCache/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| home.map(|home| home.join(".cache")))
    }
}

/// Removes a file, unless another process did.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Whether a file is named as entries with this suffix are: by a hash, or by a process and a
/// number.
fn is_ours(path: &Path, suffix: &str) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let named = match suffix {
        UNFINISHED => stem.split_once('-').is_some_and(|(process, number)| digits(process) && digits(number)),
        _ => stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit()),
    };
    named && path.extension().is_some_and(|s| s == suffix)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert!(cache.files(UNFINISHED).unwrap().is_empty());
    }

    #[test]
    fn keys_of_one_name_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        cache.store("one", &binary(1));
        fs::rename(cache.path("one"), cache.path("two")).unwrap();
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
        let names = [format!("{:032x}.{SUFFIX}", 1), format!("1-0.{UNFINISHED}")].map(|name| folder.path().join(name));
        names.iter().for_each(|name| fs::create_dir(name).unwrap());
        let files = ["kernel", "unfinished"].map(|suffix| folder.path().join(format!("notes.{suffix}")));
        files.iter().for_each(|file| fs::write(file, "mine").unwrap());
        cache.store("key", &binary(0));
        assert_eq!(cache.entries().unwrap().len(), 1);
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
        let abandoned = folder.path().join(format!("1-0.{UNFINISHED}"));
        File::create(&abandoned).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        let recent = folder.path().join(format!("2-0.{UNFINISHED}"));
        File::create(&recent).unwrap();
        cache.store("key", &binary(0));
        assert_eq!((abandoned.exists(), recent.exists()), (false, true));
    }
}

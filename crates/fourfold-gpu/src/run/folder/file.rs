//! Files of the folder.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

/// A file in the folder.
pub(crate) struct FileFacts {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// When it was written, or marked as used.
    pub(crate) used: SystemTime,
}

/// A name of 128 bits that nobody can guess, since the system chooses the keys of a hash map at
/// random. It ends with `suffix`.
pub(crate) fn unfinished_name(suffix: &str) -> String {
    let random = || RandomState::new().hash_one(SystemTime::now());
    format!("{:016x}{:016x}.{suffix}", random(), random())
}

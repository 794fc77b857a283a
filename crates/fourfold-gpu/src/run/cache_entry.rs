//! The files of the cache on disk: a head, the key, the binary.

use std::io::Read;
use xxhash_rust::xxh3::Xxh3;

/// Begins an entry; the last digit is the format's.
const MAGIC: [u8; 8] = *b"fourfld1";

/// Magic, lengths of key and binary, checksum of both.
pub(crate) const HEAD: usize = 8 + 8 + 8 + 16;

pub(crate) fn head(key: &str, binary: &[u8]) -> Vec<u8> {
    let mut sum = Xxh3::new();
    sum.update(key.as_bytes());
    sum.update(binary);
    let lengths = [key.len() as u64, binary.len() as u64].map(u64::to_le_bytes);
    [&MAGIC[..], &lengths[0], &lengths[1], &sum.digest128().to_le_bytes()].concat()
}

/// The binary of an entry that is undamaged and for this key.
pub(crate) fn whole<'a>(bytes: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let binary = bytes.get(HEAD..)?.strip_prefix(key.as_bytes())?;
    (bytes[..HEAD] == head(key, binary)).then_some(binary)
}

/// The first line of an entry's key.
pub(crate) fn target(file: impl Read) -> Option<String> {
    let mut start = vec![];
    file.take(1024).read_to_end(&mut start).ok()?;
    let key = start.strip_prefix(&MAGIC)?.get(HEAD - MAGIC.len()..)?;
    let line = key.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok()
}

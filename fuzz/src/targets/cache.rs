//! Any bytes as a file of the kernel cache are an entry only if it is whole, and for its key; one
//! byte that differs makes it none.

use crate::cache_entry::{HEAD, head, target, whole};

pub(crate) fn check(bytes: &[u8]) {
    foreign(bytes);
    own(bytes);
}

/// A file that somebody wrote, up to the first byte 0, and its key after that.
fn foreign(bytes: &[u8]) {
    let mut parts = bytes.rsplitn(2, |byte| *byte == 0);
    let (key, file) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let _ = target(file);
    let Ok(key) = std::str::from_utf8(key) else { return };
    if let Some(binary) = whole(file, key) {
        assert_eq!([&head(key, binary), key.as_bytes(), binary].concat(), file);
    }
}

/// An entry, and the same with one byte changed.
fn own(bytes: &[u8]) {
    let [at @ .., change] = bytes.first_chunk::<3>().copied().unwrap_or_default();
    let mut parts = bytes.get(3..).unwrap_or_default().splitn(2, |byte| *byte == 0);
    let (key, binary) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Ok(key) = std::str::from_utf8(key) else { return };
    let mut entry = [&head(key, binary), key.as_bytes(), binary].concat();
    assert_eq!(whole(&entry, key), Some(binary));
    // The first line of the key is looked for in the first bytes of a file.
    if let Some((line, _)) = key.split_once('\n').filter(|(line, _)| HEAD + line.len() < 1024) {
        assert_eq!(target(&*entry).as_deref(), Some(line));
    }
    let at = usize::from(u16::from_le_bytes(at)) % entry.len();
    entry[at] ^= change.max(1);
    assert_eq!(whole(&entry, key), None);
}

//! The hash by which ranks find out whether they do the same.

/// The hash FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), which all machines compute alike.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

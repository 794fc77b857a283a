//! What surrounds a kernel's statements: its types, threads and shared memory.

use fourfold::Precision;

/// What a kernel's text needs to know beside its statements.
pub(crate) struct Frame {
    pub(crate) precision: Precision,
    /// Whether indices have 64 bits.
    pub(crate) wide: bool,
    pub(crate) threads: usize,
    /// Blocks for which the compiler shall leave registers at once; 0 if it may choose.
    pub(crate) resident: usize,
    /// Blocks that share their shared memory.
    pub(crate) cluster: usize,
    /// Whether the input is read, and the output written, past what caches had better keep.
    pub(crate) evict_first: [bool; 2],
    /// Shared memory, in pairs of reals.
    pub(crate) shared_pairs: usize,
}

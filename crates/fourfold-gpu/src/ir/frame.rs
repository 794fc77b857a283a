//! What surrounds a kernel's statements: its types, threads and shared memory.

use crate::ir::range::Range;
use fourfold::{Precision, Storage};

/// What a kernel's text needs to know beside its statements.
pub(crate) struct Frame {
    /// The type of reals in the input and the output.
    pub(crate) storage: Storage,
    /// Whether indices have 64 bits.
    pub(crate) wide: bool,
    pub(crate) threads: usize,
    /// The range of which a thread asks for its item. None if it asks for its number.
    pub(crate) range: Option<Range>,
    /// Blocks at once for which the compiler shall leave registers; 0 if it may choose.
    pub(crate) resident: usize,
    /// Blocks of a cluster, which reach each other's shared memory.
    pub(crate) cluster: usize,
    /// Whether caches should evict first the input that is read, and the output that is written.
    pub(crate) evict_first: [bool; 2],
    /// Threads of a warp (sub-group), if they exchange registers; else 0.
    pub(crate) subgroup: usize,
    /// Shared memory, in pairs of reals.
    pub(crate) shared_pairs: usize,
}

impl Frame {
    /// The type of all other reals.
    pub(crate) fn precision(&self) -> Precision {
        self.storage.precision()
    }
}

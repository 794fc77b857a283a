//! Sizes that may be chosen of a pass.

/// How large a block is where it has whole lines; as estimated, where it is not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    /// Lines, a power of two.
    pub(crate) tile: Option<usize>,
    pub(crate) threads: Option<usize>,
}

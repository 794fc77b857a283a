//! Narrow integers.

/// Integers of fewer than 32 bits, several in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Narrow {
    /// Eight bits without sign.
    Byte,
    /// Sixteen with.
    Short,
}

impl Narrow {
    /// How many are in a word.
    pub(crate) fn per_word(self) -> usize {
        match self {
            Narrow::Byte => 4,
            Narrow::Short => 2,
        }
    }
}

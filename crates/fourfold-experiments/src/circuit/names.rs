//! Many short names in one allocation.

use std::collections::TryReserveError;

/// A list of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

impl Names {
    /// Makes room for so many more of so many bytes.
    pub(crate) fn try_reserve(&mut self, count: usize, bytes: usize) -> Result<(), TryReserveError> {
        self.text.try_reserve_exact(bytes)?;
        self.ends.try_reserve_exact(count)
    }

    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    pub(crate) fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }
}

//! Many short names in one allocation.

/// A list of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

impl Names {
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    pub(crate) fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }
}

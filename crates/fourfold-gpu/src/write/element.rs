//! Elements of lines.

use crate::ir::statement::Int;
use crate::write::writer::Subline;
use fourfold::engine::Index;

/// An element: that of `index` for i along line `number` of those that are packed.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) line: Subline,
    pub(crate) number: usize,
    pub(crate) index: Index,
    pub(crate) i: Int,
    /// Whether it may be number 0 along the line.
    pub(crate) may_be_first: bool,
}

impl Element {
    /// Element i.
    pub(crate) fn new(line: Subline, number: usize, i: Int) -> Element {
        Element { line, number, index: Index { start: 0, step: 1 }, i, may_be_first: true }
    }

    /// Its number along the line.
    pub(crate) fn along(&self) -> Int {
        self.i * self.index.step as i64 + self.index.start as i64
    }
}

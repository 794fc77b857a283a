//! Ranges of two dimensions: kernels that ask for the place of their item instead of numbering
//! threads and blocks.

use fourfold::baseline::GroupShape;

/// A range of items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    /// Columns and rows.
    pub(crate) items: [usize; 2],
    pub(crate) groups: GroupShape,
}

/// Columns and rows of threads of a block where the driver should choose, but does not.
const ROW: [usize; 2] = [256, 1];

impl Range {
    /// Columns and rows of threads of a block, unless the driver chooses.
    pub(crate) fn shape(self) -> [usize; 2] {
        match self.groups {
            GroupShape::Driver => ROW,
            GroupShape::Fixed(shape) => shape,
        }
    }

    /// Columns and rows of such blocks.
    pub(crate) fn blocks(self) -> [usize; 2] {
        let shape = self.shape();
        [0, 1].map(|dimension| self.items[dimension].div_ceil(shape[dimension]))
    }
}

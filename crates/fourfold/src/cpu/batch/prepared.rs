//! What a pass does to tiles of lines, ready to run.

use crate::cpu::base::memory::Array;
use crate::cpu::batch::batch::Batch;
use crate::cpu::batch::values::Values;
use std::sync::Arc;

/// One trip through memory.
pub(crate) struct PreparedPass<S> {
    pub(crate) axis: usize,
    pub(crate) ops: Vec<PreparedOp<S>>,
}

/// What a pass does to a tile.
pub(crate) enum PreparedOp<S> {
    Batch(Arc<Batch<S>>),
    Multiply(Arc<Values<S>>),
}

impl<S> PreparedPass<S> {
    /// Whether its sums of reals act on both parts of complex numbers: these are one more axis
    /// then.
    pub(crate) fn splits(&self, from: &Array<S>, to: &Array<S>) -> bool {
        let complex = self.ops.iter().any(|op| matches!(op, PreparedOp::Batch(batch) if batch.ends.complex));
        from.parts == 2 && to.parts == 2 && !complex
    }
}

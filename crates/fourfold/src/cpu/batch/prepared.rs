//! The executable form of a pass on tiles of lines.

use crate::cpu::base::memory::Array;
use crate::cpu::batch::batch::Batch;
use crate::cpu::batch::values::Values;
use std::sync::Arc;

/// The executable form of a pass.
pub(crate) struct PreparedPass<S> {
    pub(crate) axis: usize,
    pub(crate) ops: Vec<PreparedOp<S>>,
}

/// The executable form of a step of a pass.
pub(crate) enum PreparedOp<S> {
    Batch(Arc<Batch<S>>),
    Multiply(Arc<Values<S>>),
}

impl<S> PreparedPass<S> {
    /// Whether real transforms act on both parts of complex numbers. The parts are then one more
    /// axis.
    pub(crate) fn splits(&self, from: &Array<S>, to: &Array<S>) -> bool {
        let complex = self.ops.iter().any(|op| matches!(op, PreparedOp::Batch(batch) if batch.ends.complex));
        from.parts == 2 && to.parts == 2 && !complex
    }
}

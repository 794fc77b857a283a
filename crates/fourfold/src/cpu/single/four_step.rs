//! One long DFT as those of the columns and rows of a matrix, which fill the lanes: see
//! [`crate::recipe::rules::four_step`].

use crate::cpu::base::memory::Array;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::batch::Batch;
use crate::cpu::batch::prepared::{PreparedOp, PreparedPass};
use crate::cpu::batch::values::Values;
use crate::cpu::simd::dispatch::Dispatch;
use crate::cpu::simd::pointer::Ptr;
use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use crate::problem::problem::AxisTransform;
use crate::recipe::recipe::AxisRecipe;
use crate::recipe::scheme::Scheme;
use crate::recipe::scheme::{Factor, length};
use std::sync::Arc;

/// A complex DFT of length `columns` · `rows` as two passes.
pub(crate) struct Matrix<S> {
    columns: usize,
    rows: usize,
    /// The pass along the columns, which also multiplies by the twiddle factors, and the pass along
    /// the rows.
    passes: [PreparedPass<S>; 2],
}

/// Executes a pass from one array to another.
pub(crate) type ExecutePass<'a, S> = &'a dyn Fn(&PreparedPass<S>, &Array<S>, &Array<S>);

impl<S: Dispatch> Matrix<S> {
    pub(crate) fn new(columns: &[Factor], rows: &[Factor], backward: bool, scale: f64) -> Self {
        let transform1d = if backward { Transform1d::Backward } else { Transform1d::Forward };
        let line = |axis, factors: &[Factor], scale| {
            let transform = AxisTransform { axis, n: length(factors), transform1d, end_weights: EndWeights::ONE };
            let scheme = Scheme::Batched(factors.to_vec());
            PreparedOp::Batch(Arc::new(Batch::new(&AxisRecipe { transform, scale, scheme }, factors)))
        };
        let twiddles = Values::twiddles(length(columns), length(rows), backward);
        let first = vec![line(0, columns, 1.0), PreparedOp::Multiply(Arc::new(twiddles))];
        Matrix {
            columns: length(columns),
            rows: length(rows),
            passes: [PreparedPass { axis: 0, ops: first }, PreparedPass { axis: 1, ops: vec![line(1, rows, scale)] }],
        }
    }

    /// The length of the DFT.
    pub(crate) fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// Transforms the elements of `from` to those of `to`, which may be the same. `t` is the buffer
    /// between the passes.
    ///
    /// # Safety
    /// All have the elements of the matrix, and `execute_pass` may be called on them.
    pub(crate) unsafe fn transform(
        &self,
        from: Strided<S>,
        to: Strided<S>,
        t: Ptr<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        let shape = [self.columns, self.rows];
        let matrix = |line: Strided<S>, strides: [usize; 2]| {
            let mut array = Array::c_order(line.base, &shape, 2);
            array.strides[0] = line.stride * strides[0] as isize;
            array.strides[1] = line.stride * strides[1] as isize;
            array
        };
        let work = Array::c_order(t, &shape, 2);
        execute_pass(&self.passes[0], &matrix(from, [self.rows, 1]), &work);
        execute_pass(&self.passes[1], &work, &matrix(to, [1, self.columns]));
    }
}

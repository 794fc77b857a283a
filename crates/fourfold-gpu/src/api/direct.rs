//! Circular convolutions of matrices as the sums that define them: what filters are compared with.

use crate::api::array::{GpuArray, one_queue};
use crate::api::planner::GpuPlanner;
use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel};
use crate::backend::types::Grid;
use crate::error::{argument, elsewhere};
use crate::ir::frame::Frame;
use crate::ir::statement::{Array, Int, Statement, Sym, int};
use crate::ir::trace::{block, comment, for_each, if_less, record, select, thread};
use crate::print::printer::{Dialect, print};
use crate::run::executable::table;
use fourfold::engine::Real;
use fourfold::{Domain, Element, Precision, Result};

/// y\[r, c\] = Σ_{i,j} h\[i, j\] x\[(r − i) mod H, (c − j) mod W\] for H × W reals: a thread an
/// output.
#[doc(hidden)]
pub struct DirectConvolution {
    device: Device,
    shape: Shape,
    kernel: Kernel,
    taps: Buffer,
    nothing: Buffer,
}

#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) precision: Precision,
    pub(crate) matrix: [usize; 2],
    pub(crate) taps: [usize; 2],
}

const THREADS: usize = 256;

impl DirectConvolution {
    /// Compiles the kernel. `taps` has the rows of h one after another.
    ///
    /// # Errors
    /// If the matrix or h is empty, h is larger than the matrix, or its taps are not so many; else
    /// as [`GpuPlanner::plan`].
    pub fn new(
        planner: &GpuPlanner,
        precision: Precision,
        matrix: [usize; 2],
        taps: &[f64],
        shape: [usize; 2],
    ) -> Result<DirectConvolution> {
        let ([height, width], [rows, columns]) = (matrix, shape);
        if rows == 0
            || columns == 0
            || rows > height
            || columns > width
            || rows.checked_mul(columns) != Some(taps.len())
        {
            let given = taps.len();
            return Err(argument(format!(
                "{given} taps as {rows}x{columns} for a matrix of {height}x{width}: expected one tap a place, from 1x1 to the size of the matrix"
            )));
        }
        let (device, shape) = (planner.device.clone(), Shape { precision, matrix, taps: shape });
        planner.kernel_cache.limits().check_type(precision)?;
        let (runtime, source) = (&device.runtime, shape.source(device.runtime.dialect()));
        let taps = table(&device, taps, precision)?;
        let kernel = planner.kernel_cache.compile(&source, shape.grid().size())?;
        Ok(DirectConvolution { kernel, taps, nothing: runtime.allocate(0)?, device, shape })
    }

    /// Enqueues the convolution.
    ///
    /// # Errors
    /// If an array is too short, of another type or device, or both belong to two queues.
    pub fn execute_on<T: Element>(&self, input: &GpuArray<T>, output: &mut GpuArray<T>) -> Result<()> {
        one_queue(&input.device, &output.device)?;
        if !self.device.runtime.same(&output.device.runtime) {
            return Err(elsewhere());
        }
        let [needs, has] = [self.shape.matrix.iter().product(), input.len().min(output.len())];
        if T::DOMAIN != Domain::Real || T::STORAGE != self.shape.precision.into() || has < needs {
            let real = self.shape.precision.name();
            return Err(argument(format!(
                "the convolution takes arrays of {needs} {real} or more: one has {has} elements"
            )));
        }
        let arguments = [&input.buffer, &output.buffer, &self.taps, &self.nothing, &self.nothing];
        output.device.queue.launch(&self.kernel, self.shape.grid(), arguments)
    }
}

impl Shape {
    fn source(self, dialect: &Dialect) -> String {
        print(dialect, &self.frame(), &self.kernel())
    }

    pub(crate) fn frame(self) -> Frame {
        // A place may be a whole line too far before it is known to be.
        let [height, width] = self.matrix;
        let most = (height * width + THREADS).max(2 * height).max(2 * width);
        Frame {
            storage: self.precision.into(),
            wide: most > i32::MAX as usize,
            threads: THREADS,
            range: None,
            resident: 0,
            evict_first: [false; 2],
            subgroup: 0,
            cluster: 1,
            shared_pairs: THREADS / 2,
        }
    }

    pub(crate) fn grid(self) -> Grid {
        let blocks = self.matrix.iter().product::<usize>().div_ceil(THREADS);
        Grid { blocks, threads: THREADS, shared_bytes: THREADS * self.precision.bytes(), follows: false, range: None }
    }

    /// A row of taps is unrolled. What the loop over rows adds to stands in shared memory: kernels
    /// have no variables that change.
    pub(crate) fn kernel(self) -> Vec<Statement> {
        let ([height, width], [rows, columns]) = (self.matrix, self.taps);
        record(|| {
            let (thread, block) = (thread(), block());
            comment(format!("convolve with {rows} x {columns} taps"));
            let item = block * THREADS as i64 + thread;
            if_less(item, int(height * width), || {
                let (row, column) = (item / width as i64, item % width as i64);
                let back = |place: Int, by: Int, n: usize| select(place, by, place + n as i64 - by, place - by);
                let from: Vec<Int> = (0..columns).map(|j| back(column, int(j), width)).collect();
                Array::Shared.store(thread, Sym::lit(0.0));
                for_each(int(0), int(rows), int(1), |i| {
                    let (start, taps) = (back(row, i, height) * width as i64, i * columns as i64);
                    let product = |(j, column): (usize, &Int)| {
                        (Array::Table.load(taps + j as i64), Array::Input.load(start + *column))
                    };
                    let sum = from
                        .iter()
                        .enumerate()
                        .map(product)
                        .fold(Array::Shared.load(thread), |sum, (h, x)| h.mul_add(x, sum));
                    Array::Shared.store(thread, sum);
                });
                Array::Output.store(item, Array::Shared.load(thread));
            });
        })
    }
}

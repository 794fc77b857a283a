//! Runs a recipe: pass after pass, tile after tile.

use crate::cpu::base::execute::Execute;
use crate::cpu::base::memory::{Array, Untyped};
use crate::cpu::base::sizes::Sizes;
use crate::cpu::base::threads::Pool;
use crate::cpu::batch::axis::Batch;
use crate::cpu::batch::tiles::{Block, Tiles};
use crate::cpu::batch::tiling::Lines;
use crate::cpu::dft::pass::Strided;
use crate::cpu::simd::dispatch::Isa;
use crate::cpu::simd::isa;
use crate::cpu::simd::vector::{Scalar, Vector, VectorTask};
use crate::cpu::single::single::Single;
use crate::error::Result;
use crate::problem::layout::Layout;
use crate::recipe::multiplier::Values;
use crate::recipe::recipe;
use crate::recipe::recipe::{ArrayId, PassOp, Recipe};
use std::sync::Arc;

/// The executable form of a recipe in one precision.
pub(crate) struct Engine<S> {
    passes: Vec<PreparedPass<S>>,
    pub(crate) sizes: Sizes,
    /// The one line of a problem that is one signal and done by itself: it needs no arrays, whose
    /// making a short one would notice.
    signal: Option<Signal<S>>,
}

struct Signal<S> {
    axis: usize,
    line: Arc<Single<S>>,
}

/// One trip through memory.
pub(crate) struct PreparedPass<S> {
    pub(crate) axis: usize,
    pub(crate) from: ArrayId,
    pub(crate) to: ArrayId,
    pub(crate) ops: Vec<PreparedOp<S>>,
}

/// What a pass does to a tile.
pub(crate) enum PreparedOp<S> {
    Batch(Arc<Batch<S>>),
    Multiply(Arc<Values<S>>),
    /// Instead of tiles: line by line. Stands alone in its pass.
    Single(Arc<Single<S>>),
}

impl<S> PreparedPass<S> {
    /// Whether its sums of reals act on both parts of complex numbers: these are one more axis
    /// then.
    fn splits(&self, from: &Array<S>, to: &Array<S>) -> bool {
        let complex = self.ops.iter().any(|op| matches!(op, PreparedOp::Batch(line) if line.ends.complex));
        from.parts == 2 && to.parts == 2 && !complex
    }
}

/// Precisions that have lanes of every width.
pub(crate) trait Dispatch: Scalar + Vector<Scalar = Self> {
    /// Does `job` with the lanes of `isa`.
    ///
    /// # Safety
    /// The CPU has `isa`, and the job may be done.
    unsafe fn dispatch(isa: Isa, job: impl VectorTask<Self>);
}

macro_rules! precise {
    ($scalar:ident, $simd128:ident, $avx2:ident, $avx512:ident) => {
        impl Dispatch for $scalar {
            unsafe fn dispatch(isa: Isa, job: impl VectorTask<Self>) {
                // SAFETY: the caller's.
                unsafe {
                    match isa {
                        #[cfg(target_arch = "x86_64")]
                        Isa::Avx512 => job.run::<isa::avx512::$avx512>(),
                        #[cfg(target_arch = "x86_64")]
                        Isa::Avx2 => job.run::<isa::avx2::$avx2>(),
                        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                        Isa::Simd128 => job.run::<isa::simd128::$simd128>(),
                        _ => job.run::<$scalar>(),
                    }
                }
            }
        }
    };
}
precise!(f64, F64x2, F64x4, F64x8);
precise!(f32, F32x4, F32x8, F32x16);

/// Elements of a pass that one thread has done by the time that others have woken up.
const ALONE: usize = 1 << 14;

impl<S: Dispatch> Engine<S> {
    /// Puts the passes together, with the lines that `line` gives.
    ///
    /// # Errors
    /// Those of `line`.
    pub(crate) fn new(
        recipe: &Recipe,
        isa: Isa,
        multiplier: Option<Values<S>>,
        line: &mut dyn FnMut(&crate::recipe::recipe::AxisRecipe) -> Result<PreparedOp<S>>,
    ) -> Result<Self> {
        let multiplier = multiplier.map(Arc::new);
        let mut ready = |op: &PassOp| match op {
            PassOp::Transform(recipe) => line(recipe),
            PassOp::Multiply => {
                Ok(PreparedOp::Multiply(Arc::clone(multiplier.as_ref().expect("a filter has a multiplier"))))
            }
        };
        let mut pass = |p: &recipe::Pass| {
            let ops = p.ops.iter().map(&mut ready).collect::<Result<_>>()?;
            Ok(PreparedPass { axis: p.axis, from: p.from, to: p.to, ops })
        };
        let passes = recipe.passes().iter().map(&mut pass).collect::<Result<Vec<_>>>()?;
        let signal = signal(recipe, &passes);
        Ok(Engine { passes, sizes: Sizes::new::<S>(recipe, isa), signal })
    }

    /// Transforms a problem that is one signal, `line`.
    ///
    /// # Safety
    /// As [`Execute::execute_arrays`], of the signal's elements.
    unsafe fn run_signal(&self, line: &Single<S>, ends: [Strided<S>; 2], scratch: *mut u8, pool: &Pool) {
        // SAFETY: within the scratch, whose work array one pass leaves empty; the rest is the
        // caller's.
        unsafe {
            let buffers = scratch.add(self.sizes.single_bytes());
            line.run(self.sizes.isa, ends, scratch.cast(), &|pass, from, to| self.pass(pass, from, to, buffers, pool));
        }
    }

    /// One pass over tiles.
    ///
    /// # Safety
    /// As [`Execute::execute_arrays`]; `buffers` has room for every thread.
    unsafe fn pass(&self, pass: &PreparedPass<S>, from: &Array<S>, to: &Array<S>, buffers: *mut u8, pool: &Pool) {
        let split = pass.splits(from, to).then(|| [from, to].map(Array::split_parts));
        let ends = split.as_ref().map_or([from, to], |[from, to]| [from, to]);
        let (tiles, buffers) = (Tiles::new(self, pass, ends, split.is_some()), Shared(buffers));
        // SAFETY: every worker has buffers of its own, every tile lines of its own, read whole
        // before they are written.
        let block = |worker, index| unsafe {
            let buffer = buffers.at(worker * self.sizes.thread_bytes());
            S::dispatch(self.sizes.isa, Block { tiles: &tiles, index, buffer });
        };
        let blocks = tiles.lines.blocks(tiles.width, tiles.group);
        if tiles.lines.count() * tiles.from.shape[pass.axis] < ALONE {
            (0..blocks).for_each(|index| block(0, index));
        } else {
            pool.run(blocks, &block);
        }
    }
}

impl<S: Dispatch> Execute<S> for Engine<S> {
    fn isa(&self) -> Isa {
        self.sizes.isa
    }

    fn scratch_bytes(&self, threads: usize) -> usize {
        self.sizes.scratch(threads)
    }

    unsafe fn execute_arrays(&self, [input, output]: [&Array<S>; 2], scratch: *mut u8, pool: &Pool) {
        let work = self.sizes.work.as_ref().map(|(shape, parts)| Array::c_order(scratch.cast(), shape, *parts));
        // SAFETY: within the scratch.
        let (single, buffers) = unsafe {
            let single = scratch.add(self.sizes.work_bytes());
            (single.cast::<S>(), single.add(self.sizes.single_bytes()))
        };
        let place = |p: ArrayId| match p {
            ArrayId::Input => input,
            ArrayId::Output => output,
            ArrayId::Work(_) => work.as_ref().expect("a recipe that names the work array has one"),
        };
        if self.passes.is_empty() {
            // SAFETY: the caller's.
            return unsafe { copy(input, output) };
        }
        for pass in &self.passes {
            let (from, to) = (place(pass.from), place(pass.to));
            // SAFETY: the caller's.
            unsafe {
                match pass.ops.first() {
                    Some(PreparedOp::Single(line)) => {
                        line.run_all(self.sizes.isa, pass.axis, [from, to], single, &|pass, from, to| {
                            self.pass(pass, from, to, buffers, pool);
                        })
                    }
                    _ => self.pass(pass, from, to, buffers, pool),
                }
            }
        }
    }

    /// A signal needs no arrays.
    unsafe fn execute_checked(
        &self,
        layouts: [&Layout; 2],
        [from, to]: [Untyped<'_, S>; 2],
        scratch: *mut u8,
        pool: &Pool,
    ) {
        // Sums of reals over the parts of complex numbers are two signals.
        let both = from.parts == 2 && to.parts == 2;
        // SAFETY: the caller's; the views hold all elements.
        unsafe {
            if let Some(Signal { axis, line }) = self.signal.as_ref().filter(|signal| !both || signal.line.is_complex())
            {
                return self.run_signal(line, [from.rows(*axis), to.rows(*axis)], scratch, pool);
            }
            let (from, to) = (from.array(&layouts[0].shape), to.array(&layouts[1].shape));
            self.execute_arrays([&from, &to], scratch, pool);
        }
    }
}

/// See [`Engine::signal`].
fn signal<S>(recipe: &Recipe, passes: &[PreparedPass<S>]) -> Option<Signal<S>> {
    let [PreparedPass { axis, ops, .. }] = passes else { return None };
    let [PreparedOp::Single(line)] = &ops[..] else { return None };
    let input = recipe.problem().input();
    (input.elements() == input.shape[*axis]).then(|| Signal { axis: *axis, line: Arc::clone(line) })
}

impl<S> Clone for PreparedOp<S> {
    fn clone(&self) -> Self {
        match self {
            PreparedOp::Batch(line) => PreparedOp::Batch(Arc::clone(line)),
            PreparedOp::Multiply(values) => PreparedOp::Multiply(Arc::clone(values)),
            PreparedOp::Single(line) => PreparedOp::Single(Arc::clone(line)),
        }
    }
}

/// Buffers that the workers divide among themselves.
struct Shared(*mut u8);

// SAFETY: each worker uses its own part only.
unsafe impl Sync for Shared {}

impl Shared {
    fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: the offset is within the scratch.
        unsafe { self.0.add(offset) }
    }
}

/// Copies element by element: a problem without axes.
///
/// # Safety
/// Both arrays are there.
unsafe fn copy<S: Scalar>(from: &Array<S>, to: &Array<S>) {
    let lines = Lines::new(usize::MAX, [from, to, to], true, 1);
    for i in 0..lines.count() {
        let tile = lines.tile(i, 1);
        for part in 0..from.parts as isize {
            // SAFETY: the caller's.
            unsafe { *to.origin.offset(tile.offsets[1][0] + part) = *from.origin.offset(tile.offsets[0][0] + part) };
        }
    }
}

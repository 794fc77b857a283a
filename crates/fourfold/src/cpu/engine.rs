//! The CPU engine. It executes the passes of a recipe in order, and each pass tile by tile.

use crate::cpu::base::execute::Execute;
use crate::cpu::base::memory::{Array, Scratch, Untyped};
use crate::cpu::base::sizes::Sizes;
use crate::cpu::base::strided::Strided;
use crate::cpu::base::threads::Pool;
use crate::cpu::batch::batch::Batch;
use crate::cpu::batch::prepared::{PreparedOp, PreparedPass};
use crate::cpu::batch::tiles::{BlockTask, Tiles};
use crate::cpu::batch::tiling::Lines;
use crate::cpu::batch::values::Values;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::cpu::single::line_dft::InputLine;
use crate::cpu::single::single::Single;
use crate::cpu::single::single_pass::{SingleMemory, SingleOp, SinglePass};
use crate::error::Result;
use crate::problem::layout::Layout;
use crate::recipe::recipe;
use crate::recipe::recipe::{ArrayId, AxisRecipe, PassOp, Recipe};
use std::sync::Arc;

/// The executable form of a recipe in one precision.
pub(crate) struct Engine<S> {
    passes: Vec<EnginePass<S>>,
    pub(crate) sizes: Sizes,
    /// The line of a problem that is one signal, if its scheme computes lines one by one. It is
    /// executed without making [`Array`]s, whose cost is visible for short signals.
    signal: Option<Signal<S>>,
}

struct Signal<S> {
    axis: usize,
    line: Arc<Single<S>>,
}

/// The executable form of a pass of the recipe.
struct EnginePass<S> {
    from: ArrayId,
    to: ArrayId,
    work: PassWork<S>,
}

enum PassWork<S> {
    /// The pass computes tiles of lines.
    Tiles(PreparedPass<S>),
    /// The pass computes one line after another.
    Single(SinglePass<S>),
}

impl<S> EnginePass<S> {
    fn axis(&self) -> usize {
        match &self.work {
            PassWork::Tiles(pass) => pass.axis,
            PassWork::Single(pass) => pass.axis,
        }
    }
}

/// The executable form of the transform along one axis.
pub(crate) enum PreparedAxis<S> {
    Batch(Arc<Batch<S>>),
    Single(Arc<Single<S>>),
}

impl<S> Clone for PreparedAxis<S> {
    fn clone(&self) -> Self {
        match self {
            PreparedAxis::Batch(batch) => PreparedAxis::Batch(Arc::clone(batch)),
            PreparedAxis::Single(line) => PreparedAxis::Single(Arc::clone(line)),
        }
    }
}

impl<S: Dispatch> Engine<S> {
    /// Prepares the passes of a recipe. `line` prepares the transform along one axis.
    ///
    /// # Errors
    /// The errors of `line`.
    pub(crate) fn new(
        recipe: &Recipe,
        isa: Isa,
        multiplier: Option<Values<S>>,
        line: &mut dyn FnMut(&AxisRecipe) -> Result<PreparedAxis<S>>,
    ) -> Result<Self> {
        let multiplier = multiplier.map(Arc::new);
        let passes = recipe
            .passes()
            .iter()
            .map(|pass| prepare_pass(pass, multiplier.as_ref(), line))
            .collect::<Result<Vec<_>>>()?;
        let signal = signal(recipe, &passes);
        Ok(Engine { passes, sizes: Sizes::new::<S>(recipe, isa), signal })
    }

    /// Executes a problem that is one signal.
    ///
    /// # Safety
    /// As for [`Execute::execute_arrays`], for the signal's elements.
    unsafe fn run_signal(&self, line: &Single<S>, from: InputLine<S>, to: Strided<S>, scratch: Ptr<u8>, pool: &Pool) {
        // SAFETY: the buffers are within the scratch, since one pass needs no work array. The
        // caller guarantees the rest.
        unsafe {
            let buffers = scratch.add(self.sizes.single_bytes());
            let memory = scratch.first(self.sizes.single_bytes()).cast();
            line.execute(self.sizes.isa, from, to, None, memory, &|pass, from, to| {
                self.pass(pass, from, to, buffers, pool)
            });
        }
    }

    /// Executes one pass over tiles.
    ///
    /// # Safety
    /// As for [`Execute::execute_arrays`]. `buffers` has the first multiplied element, and enough
    /// memory for every thread after it.
    unsafe fn pass(&self, pass: &PreparedPass<S>, from: &Array<S>, to: &Array<S>, buffers: Ptr<u8>, pool: &Pool) {
        let split = pass.splits(from, to).then(|| [from, to].map(Array::split_parts));
        let ends = split.as_ref().map_or([from, to], |[from, to]| [from, to]);
        let tiles = Tiles::new(&self.sizes, pass, ends, split.is_some(), pool.threads(), buffers.cast());
        // SAFETY: the caller guarantees it.
        let buffers = WorkerBuffers(unsafe { buffers.add(self.sizes.first) });
        // SAFETY: workers have disjoint buffers, and tiles have disjoint lines. A tile is read
        // completely before it is written.
        let block = |worker, index| unsafe {
            let buffer = buffers.at(worker * self.sizes.thread_bytes()).first(self.sizes.thread_bytes());
            S::dispatch(self.sizes.isa, BlockTask { tiles: &tiles, index, buffer });
        };
        pool.run_tasks_on(tiles.workers, tiles.lines.blocks(tiles.width, tiles.group), &block);
    }
}

impl<S: Dispatch> Execute<S> for Engine<S> {
    fn isa(&self) -> Isa {
        self.sizes.isa
    }

    fn scratch_bytes(&self, threads: usize) -> usize {
        self.sizes.scratch(threads)
    }

    fn first_multiplied(&self, scratch: &mut Scratch) -> Option<S> {
        let at = self.sizes.work_bytes() + self.sizes.single_bytes();
        let is_kept = self.sizes.first > 0 && scratch.bytes() >= at + self.sizes.first;
        // SAFETY: it is within the scratch.
        is_kept.then(|| unsafe { scratch.base().add(at).cast::<S>().read() })
    }

    unsafe fn execute_arrays(&self, [input, output]: [&Array<S>; 2], scratch: Ptr<u8>, pool: &Pool) {
        let work = scratch.first(self.sizes.work_bytes()).cast();
        let work = self.sizes.work.as_ref().map(|(shape, parts)| Array::c_order(work, shape, *parts));
        // SAFETY: the offsets are within the scratch.
        let (single, buffers) = unsafe {
            let single = scratch.add(self.sizes.work_bytes());
            (single.first(self.sizes.single_bytes()).cast::<S>(), single.add(self.sizes.single_bytes()))
        };
        let memory =
            SingleMemory { line: single, buffers: single.wrapping_add(self.sizes.line), first: buffers.cast() };
        let array = |id: ArrayId| match id {
            ArrayId::Input => input,
            ArrayId::Output => output,
            ArrayId::Work(_) => work.as_ref().expect("a recipe that names the work array has one"),
        };
        if self.passes.is_empty() {
            // SAFETY: the caller guarantees it.
            return unsafe { copy(input, output) };
        }
        // Along axes that are not transformed yet, arrays are as short as the input.
        let mut shape = input.shape;
        for pass in &self.passes {
            let (from, to) = (Array { shape, ..*array(pass.from) }, array(pass.to));
            shape[pass.axis()] = to.shape[pass.axis()];
            // SAFETY: the caller guarantees it.
            unsafe {
                match &pass.work {
                    PassWork::Tiles(tiled) => self.pass(tiled, &from, to, buffers, pool),
                    PassWork::Single(lines) => {
                        lines.execute_all(self.sizes.isa, [&from, to], memory, &|pass, from, to| {
                            self.pass(pass, from, to, buffers, pool);
                        })
                    }
                }
            }
        }
    }

    /// A signal is executed without arrays.
    unsafe fn execute_checked(
        &self,
        layouts: [&Layout; 2],
        [from, to]: [Untyped<'_, S>; 2],
        scratch: Ptr<u8>,
        pool: &Pool,
    ) {
        // A real transform of complex data is two signals: the real parts and the imaginary parts.
        let both = from.parts == 2 && to.parts == 2;
        // SAFETY: the caller guarantees it, and the views contain all elements.
        unsafe {
            if let Some(Signal { axis, line }) = self.signal.as_ref().filter(|signal| !both || signal.line.is_complex())
            {
                let from = InputLine { at: from.along(*axis), count: layouts[0].shape[*axis] };
                return self.run_signal(line, from, to.along(*axis), scratch, pool);
            }
            let (from, to) = (from.array(&layouts[0].shape), to.array(&layouts[1].shape));
            self.execute_arrays([&from, &to], scratch, pool);
        }
    }
}

/// Prepares a pass. `line` prepares the transform along one axis.
fn prepare_pass<S: Dispatch>(
    pass: &recipe::Pass,
    multiplier: Option<&Arc<Values<S>>>,
    line: &mut dyn FnMut(&AxisRecipe) -> Result<PreparedAxis<S>>,
) -> Result<EnginePass<S>> {
    let prepared = |work| Ok(EnginePass { from: pass.from, to: pass.to, work });
    let values = || Arc::clone(multiplier.expect("a filter has a multiplier"));
    // The transforms of a pass are all batched, or none.
    let (mut tiled, mut single) = (vec![], vec![]);
    for op in &pass.ops {
        match op {
            PassOp::Transform(recipe) => match line(recipe)? {
                PreparedAxis::Batch(batch) => tiled.push(PreparedOp::Batch(batch)),
                PreparedAxis::Single(line) => single.push(SingleOp::Transform(line)),
            },
            PassOp::Multiply => {
                tiled.push(PreparedOp::Multiply(values()));
                single.push(SingleOp::Multiply(values()));
            }
        }
    }
    let axis = pass.axis;
    let is_single = single.iter().any(|op| matches!(op, SingleOp::Transform(_)));
    prepared(match is_single {
        true => PassWork::Single(SinglePass { axis, ops: single }),
        false => PassWork::Tiles(PreparedPass { axis, ops: tiled }),
    })
}

/// Finds [`Engine::signal`].
fn signal<S: Dispatch>(recipe: &Recipe, passes: &[EnginePass<S>]) -> Option<Signal<S>> {
    let [EnginePass { work: PassWork::Single(pass), .. }] = passes else { return None };
    let (input, line) = (recipe.problem().input(), pass.only_line()?);
    (input.elements() == input.shape[pass.axis]).then(|| Signal { axis: pass.axis, line: Arc::clone(line) })
}

/// The buffers of all workers.
struct WorkerBuffers(Ptr<u8>);

// SAFETY: workers use disjoint parts.
unsafe impl Sync for WorkerBuffers {}

impl WorkerBuffers {
    fn at(&self, offset: usize) -> Ptr<u8> {
        // SAFETY: the offset is within the scratch.
        unsafe { self.0.add(offset) }
    }
}

/// Copies the elements of an array: the execution of a problem without passes.
///
/// # Safety
/// All elements of both arrays are in valid memory.
unsafe fn copy<S: Scalar>(from: &Array<S>, to: &Array<S>) {
    let lines = Lines::new(usize::MAX, [from, to, to], true, 1);
    for i in 0..lines.count() {
        let tile = lines.tile(i, 1);
        for part in 0..from.parts as isize {
            // SAFETY: the caller guarantees it.
            unsafe {
                to.origin.offset(tile.offsets[1][0] + part).write(from.origin.offset(tile.offsets[0][0] + part).read())
            };
        }
    }
}

//! Runs a recipe: pass after pass, tile after tile.

use crate::cpu::base::execute::Execute;
use crate::cpu::base::machine::SERIAL_ELEMENTS;
use crate::cpu::base::memory::{Array, Untyped};
use crate::cpu::base::sizes::Sizes;
use crate::cpu::base::strided::Strided;
use crate::cpu::base::threads::Pool;
use crate::cpu::batch::batch::Batch;
use crate::cpu::batch::prepared::{PreparedOp, PreparedPass};
use crate::cpu::batch::tiles::{Block, Tiles};
use crate::cpu::batch::tiling::Lines;
use crate::cpu::batch::values::Values;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::Scalar;
use crate::cpu::single::single::Single;
use crate::error::Result;
use crate::problem::layout::Layout;
use crate::recipe::recipe;
use crate::recipe::recipe::{ArrayId, AxisRecipe, PassOp, Recipe};
use std::sync::Arc;

/// The executable form of a recipe in one precision.
pub(crate) struct Engine<S> {
    passes: Vec<Trip<S>>,
    pub(crate) sizes: Sizes,
    /// The one line of a problem that is one signal and done by itself: it needs no arrays, whose
    /// making a short one would notice.
    signal: Option<Signal<S>>,
}

struct Signal<S> {
    axis: usize,
    line: Arc<Single<S>>,
}

/// The executable form of a pass of the recipe.
struct Trip<S> {
    from: ArrayId,
    to: ArrayId,
    work: Work<S>,
}

enum Work<S> {
    /// On tiles of lines.
    Tiles(PreparedPass<S>),
    /// On one line after another.
    Single { axis: usize, line: Arc<Single<S>> },
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
    /// Puts the passes together, with the lines that `line` gives.
    ///
    /// # Errors
    /// Those of `line`.
    pub(crate) fn new(
        recipe: &Recipe,
        isa: Isa,
        multiplier: Option<Values<S>>,
        line: &mut dyn FnMut(&AxisRecipe) -> Result<PreparedAxis<S>>,
    ) -> Result<Self> {
        let multiplier = multiplier.map(Arc::new);
        let passes =
            recipe.passes().iter().map(|pass| trip(pass, multiplier.as_ref(), line)).collect::<Result<Vec<_>>>()?;
        let signal = signal(recipe, &passes);
        Ok(Engine { passes, sizes: Sizes::new::<S>(recipe, isa), signal })
    }

    /// Transforms a problem that is one signal, `line`.
    ///
    /// # Safety
    /// As [`Execute::execute_arrays`], of the signal's elements.
    unsafe fn run_signal(&self, line: &Single<S>, ends: [Strided<S>; 2], scratch: Ptr<u8>, pool: &Pool) {
        // SAFETY: within the scratch, whose work array one pass leaves empty; the rest is the
        // caller's.
        unsafe {
            let buffers = scratch.add(self.sizes.single_bytes());
            line.run(self.sizes.isa, ends, scratch.first(self.sizes.single_bytes()).cast(), &|pass, from, to| {
                self.pass(pass, from, to, buffers, pool)
            });
        }
    }

    /// One pass over tiles.
    ///
    /// # Safety
    /// As [`Execute::execute_arrays`]; `buffers` has room for every thread.
    unsafe fn pass(&self, pass: &PreparedPass<S>, from: &Array<S>, to: &Array<S>, buffers: Ptr<u8>, pool: &Pool) {
        let split = pass.splits(from, to).then(|| [from, to].map(Array::split_parts));
        let ends = split.as_ref().map_or([from, to], |[from, to]| [from, to]);
        let (tiles, buffers) = (Tiles::new(&self.sizes, pass, ends, split.is_some()), Shared(buffers));
        // SAFETY: every worker has buffers of its own, every tile lines of its own, read whole
        // before they are written.
        let block = |worker, index| unsafe {
            let buffer = buffers.at(worker * self.sizes.thread_bytes()).first(self.sizes.thread_bytes());
            S::dispatch(self.sizes.isa, Block { tiles: &tiles, index, buffer });
        };
        let blocks = tiles.lines.blocks(tiles.width, tiles.group);
        if tiles.lines.count() * tiles.from.shape[pass.axis] < SERIAL_ELEMENTS {
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

    unsafe fn execute_arrays(&self, [input, output]: [&Array<S>; 2], scratch: Ptr<u8>, pool: &Pool) {
        let work = scratch.first(self.sizes.work_bytes()).cast();
        let work = self.sizes.work.as_ref().map(|(shape, parts)| Array::c_order(work, shape, *parts));
        // SAFETY: within the scratch.
        let (single, buffers) = unsafe {
            let single = scratch.add(self.sizes.work_bytes());
            (single.first(self.sizes.single_bytes()).cast::<S>(), single.add(self.sizes.single_bytes()))
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
        for trip in &self.passes {
            let (from, to) = (place(trip.from), place(trip.to));
            // SAFETY: the caller's.
            unsafe {
                match &trip.work {
                    Work::Tiles(pass) => self.pass(pass, from, to, buffers, pool),
                    Work::Single { axis, line } => {
                        line.run_all(self.sizes.isa, *axis, [from, to], single, &|pass, from, to| {
                            self.pass(pass, from, to, buffers, pool);
                        })
                    }
                }
            }
        }
    }

    /// A signal needs no arrays.
    unsafe fn execute_checked(
        &self,
        layouts: [&Layout; 2],
        [from, to]: [Untyped<'_, S>; 2],
        scratch: Ptr<u8>,
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

/// The executable form of a pass, with the transforms that `line` gives.
fn trip<S: Dispatch>(
    pass: &recipe::Pass,
    multiplier: Option<&Arc<Values<S>>>,
    line: &mut dyn FnMut(&AxisRecipe) -> Result<PreparedAxis<S>>,
) -> Result<Trip<S>> {
    let trip = |work| Ok(Trip { from: pass.from, to: pass.to, work });
    let mut ops = vec![];
    for op in &pass.ops {
        ops.push(match op {
            PassOp::Transform(recipe) => match line(recipe)? {
                PreparedAxis::Batch(batch) => PreparedOp::Batch(batch),
                // A recipe has it alone in its pass.
                PreparedAxis::Single(line) => return trip(Work::Single { axis: pass.axis, line }),
            },
            PassOp::Multiply => PreparedOp::Multiply(Arc::clone(multiplier.expect("a filter has a multiplier"))),
        });
    }
    trip(Work::Tiles(PreparedPass { axis: pass.axis, ops }))
}

/// See [`Engine::signal`].
fn signal<S>(recipe: &Recipe, passes: &[Trip<S>]) -> Option<Signal<S>> {
    let [Trip { work: Work::Single { axis, line }, .. }] = passes else { return None };
    let input = recipe.problem().input();
    (input.elements() == input.shape[*axis]).then(|| Signal { axis: *axis, line: Arc::clone(line) })
}

/// Buffers that the workers divide among themselves.
struct Shared(Ptr<u8>);

// SAFETY: each worker uses its own part only.
unsafe impl Sync for Shared {}

impl Shared {
    fn at(&self, offset: usize) -> Ptr<u8> {
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
            unsafe {
                to.origin.offset(tile.offsets[1][0] + part).write(from.origin.offset(tile.offsets[0][0] + part).read())
            };
        }
    }
}

//! Executes the stages of a baseline in order. They use vectors, contiguous memory and threads, as
//! the passes do with which they are compared.

use crate::baseline::cpu::combine::PreparedCombine;
use crate::baseline::cpu::fft_step::PreparedFftStep;
use crate::baseline::cpu::reorder::PreparedReorder;
use crate::baseline::cpu::transpose::PreparedTranspose;
use crate::baseline::stage::{ArrayDesc, Stage, StageWork};
use crate::baseline::staged_recipe::StagedRecipe;
use crate::cpu::base::execute::Execute;
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::sizes::Sizes;
use crate::cpu::base::threads::Pool;
use crate::cpu::engine::Engine;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::error::{Result, reserve};
use crate::problem::element::Domain;
use crate::recipe::recipe::{ArrayId, Recipe};
use std::ops::Range;

/// The executable form of a baseline's recipe in one precision.
pub(crate) struct StagedEngine<S> {
    stages: Vec<PreparedStage<S>>,
    isa: Isa,
    /// The bytes of each of the two work arrays.
    work: usize,
    /// The stages that are executed: all, or a single one for timing.
    range: Range<usize>,
}

struct PreparedStage<S> {
    from: ArrayDesc,
    to: ArrayDesc,
    arrays: [ArrayId; 2],
    work: PreparedWork<S>,
}

enum PreparedWork<S> {
    Reorder(PreparedReorder),
    Fft(Box<Engine<S>>),
    Combine(PreparedCombine<S>),
    Transpose(PreparedTranspose<S>),
    FftStep(PreparedFftStep<S>),
}

/// Checks that there is memory for the tables of a stage, since making them aborts without it. An
/// FFT checks its own.
fn check_memory<S>(stage: &Stage) -> Result<()> {
    let elements = match &stage.work {
        StageWork::Combine(combine) => combine.axes.iter().map(|axis| axis.n + 1).sum(),
        StageWork::FftStep(step) => step.axis().map_or(0, |axis| {
            let n = stage.from.length(axis);
            n + step.table_len(n)
        }),
        StageWork::Reorder { .. } if stage.is_tiled() => stage.from.lengths.iter().sum::<usize>(),
        StageWork::Reorder { .. } | StageWork::Fft(_) => 0,
    };
    // Factors are computed in `f64`, and then rounded; where an element goes takes up to four words.
    let bytes = elements * (2 * (size_of::<f64>() + size_of::<S>()) + 4 * size_of::<usize>());
    reserve(&mut Vec::<u8>::new(), bytes, format_args!("about {bytes} bytes of tables of a stage"))
}

impl<S: Dispatch> PreparedStage<S> {
    /// Prepares a stage. `engine` makes the engine of an FFT.
    ///
    /// # Errors
    /// The errors of `engine`, and if there is no memory for the tables of other work.
    fn new(
        stage: &Stage,
        arrays: [ArrayId; 2],
        isa: Isa,
        engine: &mut dyn FnMut(&Recipe) -> Result<Engine<S>>,
    ) -> Result<Self> {
        check_memory::<S>(stage)?;
        let work = match &stage.work {
            StageWork::Reorder { orders, .. } if stage.is_tiled() => {
                PreparedWork::Transpose(PreparedTranspose::new(stage, orders))
            }
            StageWork::Reorder { orders, way } => PreparedWork::Reorder(PreparedReorder::new(stage, orders, *way, isa)),
            StageWork::Fft(recipe) => PreparedWork::Fft(Box::new(engine(recipe)?)),
            StageWork::Combine(combine) => PreparedWork::Combine(PreparedCombine::new(stage, combine, isa)),
            StageWork::FftStep(step) => PreparedWork::FftStep(PreparedFftStep::new(stage, step)),
        };
        Ok(PreparedStage { from: stage.from.clone(), to: stage.to.clone(), arrays, work })
    }

    /// Executes the stage. FFTs use `scratch`.
    ///
    /// # Safety
    /// The arrays are those of the stage, and nothing else accesses them during the call. The
    /// scratch has enough bytes for the FFT.
    unsafe fn execute(&self, from: &Array<S>, to: &Array<S>, scratch: Ptr<u8>, pool: &Pool) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match &self.work {
                PreparedWork::Reorder(reorder) => reorder.reorder(from, to, pool),
                PreparedWork::Combine(combine) => combine.combine(from, to, pool),
                PreparedWork::Transpose(transpose) => transpose.transpose(from, to, pool),
                PreparedWork::FftStep(step) => step.execute(from, to, pool),
                PreparedWork::Fft(engine) => {
                    let contiguous = |array: &Array<S>, desc: &ArrayDesc| {
                        Array::c_order(array.origin, &desc.lengths, desc.domain.reals())
                    };
                    let ends = [&contiguous(from, &self.from), &contiguous(to, &self.to)];
                    engine.execute_arrays(ends, scratch, pool);
                }
            }
        }
    }
}

impl<S: Dispatch> StagedEngine<S> {
    /// Prepares the stages. `engine` makes the engines of FFTs. With `only`, just that stage is
    /// executed.
    ///
    /// # Errors
    /// The errors of `engine`.
    pub(crate) fn new(
        recipe: &StagedRecipe,
        isa: Isa,
        only: Option<usize>,
        engine: &mut dyn FnMut(&Recipe) -> Result<Engine<S>>,
    ) -> Result<Self> {
        let stages = recipe.stages().iter().zip(recipe.stage_arrays());
        let stages = stages.map(|(stage, arrays)| PreparedStage::new(stage, arrays, isa, engine));
        let stages: Vec<PreparedStage<S>> = stages.collect::<Result<_>>()?;
        let range = only.map_or(0..stages.len(), |stage| stage..stage + 1);
        Ok(StagedEngine { range, stages, isa, work: work_bytes::<S>(recipe) })
    }

    /// # Safety
    /// As for [`Execute::execute_arrays`], with arrays of the domain of the stages.
    unsafe fn execute_part(&self, input: &Array<S>, output: &Array<S>, scratch: Ptr<u8>, pool: &Pool) {
        // SAFETY: the scratch has two work arrays and the scratch of the FFTs after them.
        let (works, rest) = unsafe { ([scratch, scratch.add(self.work)], scratch.add(2 * self.work)) };
        let last = self.stages.len() - 1;
        for (i, stage) in self.stages.iter().enumerate().filter(|(i, _)| self.range.contains(i)) {
            let array = |desc, id: ArrayId| match id {
                ArrayId::Input => *input,
                // A stage before the last one that writes here leaves an array in C order.
                ArrayId::Output if i < last => within(output.origin, desc),
                ArrayId::Output => *output,
                ArrayId::Work(work) => within(works[work].cast(), desc),
            };
            let [from, to] = [array(&stage.from, stage.arrays[0]), array(&stage.to, stage.arrays[1])];
            // SAFETY: the caller guarantees it. Each stage writes the array that the next one
            // reads.
            unsafe { stage.execute(&from, &to, rest, pool) };
        }
    }
}

impl<S: Dispatch> Execute<S> for StagedEngine<S> {
    fn isa(&self) -> Isa {
        self.isa
    }

    fn scratch_bytes(&self, threads: usize) -> usize {
        let fft = |stage: &PreparedStage<S>| match &stage.work {
            PreparedWork::Fft(engine) => engine.scratch_bytes(threads),
            _ => 0,
        };
        let ffts = self.stages.iter().map(fft).max().unwrap_or(0);
        self.work.saturating_mul(2).saturating_add(ffts)
    }

    /// Real stages transform first the real and then the imaginary parts of complex arrays.
    unsafe fn execute_arrays(&self, ends: [&Array<S>; 2], scratch: Ptr<u8>, pool: &Pool) {
        // SAFETY: the caller guarantees it. The real parts are an array, and so are the imaginary
        // parts. The first stage reads the input, and only the last one writes the output, so
        // execution in place is possible.
        unsafe {
            match ends[0].parts {
                _ if self.stages[0].from.domain == Domain::Complex => {
                    self.execute_part(ends[0], ends[1], scratch, pool);
                }
                1 => self.execute_part(ends[0], ends[1], scratch, pool),
                parts => (0..parts).for_each(|part| {
                    let [from, to] = ends.map(|end| Array { origin: end.origin.add(part), parts: 1, ..*end });
                    self.execute_part(&from, &to, scratch, pool);
                }),
            }
        }
    }
}

/// The bytes of an array between two stages.
fn work_bytes<S>(recipe: &StagedRecipe) -> usize {
    recipe.work_reals().saturating_mul(size_of::<S>()).next_multiple_of(64)
}

/// The bytes of scratch of a recipe with `threads` threads: two work arrays, and the maximum over
/// the FFTs.
pub(crate) fn scratch_bytes<S>(recipe: &StagedRecipe, isa: Isa, threads: usize) -> usize {
    let ffts = recipe.ffts().map(|fft| Sizes::new::<S>(fft, isa).scratch(threads)).max().unwrap_or(0);
    work_bytes::<S>(recipe).saturating_mul(2).saturating_add(ffts)
}

/// The described array at `origin`, with the axes in the problem's order.
fn within<S>(origin: Ptr<S>, desc: &ArrayDesc) -> Array<S> {
    let parts = if desc.domain == Domain::Complex { 2 } else { 1 };
    let mut array = Array { origin, axes: desc.axes.len(), shape: [1; AXES], strides: [0; AXES], parts };
    let lengths = desc.lengths.iter().zip(desc.stored());
    desc.axes.iter().zip(lengths).rev().fold(parts, |step, (&axis, (&n, stored))| {
        array.shape[axis] = n;
        array.strides[axis] = step as isize;
        step * stored
    });
    array
}

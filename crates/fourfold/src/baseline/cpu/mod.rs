//! Stages of a recipe, one trip through memory each. They are the baselines that passes are
//! compared with, and written like them: vectors of whatever the machine has, runs of memory,
//! threads.

pub(crate) mod combine;
pub(crate) mod fft_step;
pub(crate) mod reorder;
pub(crate) mod span;
pub(crate) mod transpose;

use crate::baseline::cpu::combine::Combine;
use crate::baseline::cpu::fft_step::Step;
use crate::baseline::cpu::reorder::Reorder;
use crate::baseline::cpu::transpose::Transpose;
use crate::baseline::stage::{ArrayDesc, Stage, StageEnd, StageWork};
use crate::cpu::base::memory::{AXES, Array};
use crate::cpu::base::sizes::Sizes;
use crate::cpu::base::threads::Pool;
use crate::cpu::engine::{Dispatch, Engine};
use crate::cpu::simd::dispatch::Isa;
use crate::cpu::simd::vector::Vector;
use crate::error::Result;
use crate::problem::element::Domain;
use crate::recipe::recipe::Recipe;
use std::ops::Range;

/// The executable form of a recipe's stages.
pub(crate) struct Stages<S> {
    stages: Vec<PreparedStage<S>>,
    /// Bytes of each of the two work arrays, which take turns.
    work: usize,
    /// Which of the stages run: all, or one that is timed.
    range: Range<usize>,
}

struct PreparedStage<S> {
    from: ArrayDesc,
    to: ArrayDesc,
    ends: [StageEnd; 2],
    work: Work<S>,
}

enum Work<S> {
    Reorder(Reorder),
    Fft(Box<Engine<S>>),
    Combine(Combine<S>),
    Transpose(Transpose<S>),
    FftStep(Step<S>),
}

/// Elements that one thread has done by the time that others have woken up.
const ALONE: usize = 1 << 14;

impl<S: Dispatch> Stages<S> {
    /// Puts the stages together, with the engines of FFTs that `engine` makes; nothing if the
    /// recipe has none.
    ///
    /// # Errors
    /// Those of `engine`.
    pub(crate) fn new(
        recipe: &Recipe,
        isa: Isa,
        engine: &mut dyn FnMut(&Recipe) -> Result<Engine<S>>,
    ) -> Result<Option<Self>> {
        let mut ready = |stage: &Stage| {
            let work = match &stage.work {
                StageWork::Reorder { orders, .. } if stage.is_tiled() => Work::Transpose(Transpose::new(stage, orders)),
                StageWork::Reorder { orders, way } => Work::Reorder(Reorder::new(stage, orders, *way, isa)),
                StageWork::Fft(recipe) => Work::Fft(Box::new(engine(recipe)?)),
                StageWork::Combine(combine) => Work::Combine(Combine::new(stage, combine, isa)),
                StageWork::FftStep(step) => Work::FftStep(Step::new(stage, step)),
            };
            Ok((stage.from.clone(), stage.to.clone(), work))
        };
        let ends = recipe.stage_ends().into_iter();
        let stages = recipe.stages().iter().zip(ends).map(|(stage, ends)| {
            let (from, to, work) = ready(stage)?;
            Ok(PreparedStage { from, to, ends, work })
        });
        let stages: Vec<PreparedStage<S>> = stages.collect::<Result<_>>()?;
        let work = recipe.work_reals().saturating_mul(size_of::<S>()).next_multiple_of(64);
        Ok(if stages.is_empty() { None } else { Some(Stages { range: 0..stages.len(), stages, work }) })
    }

    /// Runs one stage alone from now on.
    pub(crate) fn only(&mut self, stage: usize) {
        self.range = stage..stage + 1;
    }

    /// Bytes of scratch for `threads` threads.
    pub(crate) fn scratch(&self, threads: usize) -> usize {
        let fft = |stage: &PreparedStage<S>| match &stage.work {
            Work::Fft(engine) => engine.scratch(threads),
            _ => 0,
        };
        let ffts = self.stages.iter().map(fft).max().unwrap_or(0);
        self.work.saturating_mul(2).saturating_add(ffts)
    }

    /// Runs the stages; those of reals on both parts of complex arrays in turn.
    ///
    /// # Safety
    /// As [`Engine::run`].
    pub(crate) unsafe fn run(&self, ends: [&Array<S>; 2], scratch: *mut u8, pool: &Pool) {
        // SAFETY: the caller's. Each part is an array of its own; in place, stages read the input
        // first and write the output last.
        unsafe {
            match ends[0].parts {
                _ if self.stages[0].from.domain == Domain::Complex => self.run_part(ends[0], ends[1], scratch, pool),
                1 => self.run_part(ends[0], ends[1], scratch, pool),
                parts => (0..parts).for_each(|part| {
                    let [from, to] = ends.map(|end| Array { origin: end.origin.add(part), parts: 1, ..*end });
                    self.run_part(&from, &to, scratch, pool);
                }),
            }
        }
    }

    /// # Safety
    /// As [`Engine::run`], on elements of the stages' domain.
    unsafe fn run_part(&self, input: &Array<S>, output: &Array<S>, scratch: *mut u8, pool: &Pool) {
        // SAFETY: the scratch has two work arrays and what the FFTs need after them.
        let (works, rest) = unsafe { ([scratch, scratch.add(self.work)], scratch.add(2 * self.work)) };
        let last = self.stages.len() - 1;
        for (i, stage) in self.stages.iter().enumerate().filter(|(i, _)| self.range.contains(i)) {
            let place = |extent, end: StageEnd| match end {
                StageEnd::Input => *input,
                // What is done in place there before the last stage finds an array in C order.
                StageEnd::Output if i < last => within(output.origin, extent),
                StageEnd::Output => *output,
                StageEnd::Work(work) => within(works[work].cast(), extent),
            };
            let [from, to] = [place(&stage.from, stage.ends[0]), place(&stage.to, stage.ends[1])];
            // SAFETY: the caller's; a stage writes where the next one reads.
            unsafe {
                match &stage.work {
                    Work::Reorder(reorder) => reorder.run(&from, &to, pool),
                    Work::Combine(combine) => combine.run(&from, &to, pool),
                    Work::Transpose(transpose) => transpose.run(&from, &to, pool),
                    Work::FftStep(step) => step.run(&from, &to, pool),
                    Work::Fft(engine) => {
                        let contiguous = |array: &Array<S>, extent: &ArrayDesc| {
                            Array::c_order(array.origin, &extent.lengths, extent.domain.reals())
                        };
                        engine.run([&contiguous(&from, &stage.from), &contiguous(&to, &stage.to)], rest, pool);
                    }
                }
            }
        }
    }
}

impl Sizes {
    /// Bytes of scratch that a recipe takes with `threads` threads: two work arrays for stages, and
    /// what the hungriest of their FFTs needs.
    pub(crate) fn of_recipe<S>(recipe: &Recipe, isa: Isa, threads: usize) -> usize {
        if recipe.stages().is_empty() {
            return Sizes::new::<S>(recipe, isa).scratch(threads);
        }
        let work = recipe.work_reals().saturating_mul(size_of::<S>()).next_multiple_of(64);
        let ffts = recipe.ffts().map(|fft| Sizes::of_recipe::<S>(fft, isa, threads)).max().unwrap_or(0);
        work.saturating_mul(2).saturating_add(ffts)
    }
}

/// The array of an extent in memory, with the problem's axes in their order.
fn within<S>(origin: *mut S, extent: &ArrayDesc) -> Array<S> {
    let parts = if extent.domain == Domain::Complex { 2 } else { 1 };
    let mut array = Array { origin, axes: extent.axes.len(), shape: [1; AXES], strides: [0; AXES], parts };
    extent.axes.iter().zip(&extent.lengths).rev().fold(parts, |step, (&axis, &n)| {
        array.shape[axis] = n;
        array.strides[axis] = step as isize;
        step * n
    });
    array
}

/// Reals at one step from each other. The first may lie before the array: then it is not asked for.
#[derive(Clone, Copy)]
struct Row<S> {
    base: *mut S,
    step: isize,
}

impl<S: Dispatch> Row<S> {
    /// What begins `offset` reals further, or would.
    fn moved(self, offset: isize) -> Self {
        Row { base: self.base.wrapping_offset(offset), step: self.step }
    }

    /// Whether vectors can be read and written.
    fn is_run(self) -> bool {
        self.step.unsigned_abs() == 1
    }

    /// Reals i, i + 1, …, as many as a vector has.
    ///
    /// # Safety
    /// They are there; where the vector has several, the row is a run.
    #[inline(always)]
    unsafe fn get<V: Vector<Scalar = S>>(self, i: usize) -> V {
        // SAFETY: the caller's.
        unsafe {
            match self.step {
                _ if V::WIDTH == 1 => V::load(self.base.wrapping_offset(i as isize * self.step)),
                1 => V::load(self.base.wrapping_add(i)),
                _ => V::load(self.base.wrapping_offset(-((i + V::WIDTH - 1) as isize))).reverse(),
            }
        }
    }

    /// # Safety
    /// As [`Row::get`].
    #[inline(always)]
    unsafe fn put<V: Vector<Scalar = S>>(self, i: usize, x: V) {
        // SAFETY: the caller's.
        unsafe {
            match self.step {
                _ if V::WIDTH == 1 => x.store(self.base.wrapping_offset(i as isize * self.step)),
                1 => x.store(self.base.wrapping_add(i)),
                _ => x.reverse().store(self.base.wrapping_offset(-((i + V::WIDTH - 1) as isize))),
            }
        }
    }
}

/// The places of a number in a list of digits with these sizes, the last running fastest.
fn digits(mut number: usize, sizes: &[usize], places: &mut [usize]) {
    for (place, size) in places.iter_mut().zip(sizes).rev() {
        *place = number % size;
        number /= size;
    }
}

/// Calls `work` for every row and every part of it: rows are `items` long. The parts do not depend
/// on the number of threads, nor then does what is computed with vectors.
fn share(pool: &Pool, rows: usize, items: usize, work: &(dyn Fn(usize, [usize; 2]) + Sync)) {
    const PART: usize = 1 << 12;
    let parts = items.div_ceil(PART);
    let task = |_: usize, task: usize| {
        let start = task % parts * PART;
        work(task / parts, [start, items.min(start + PART)]);
    };
    if rows.saturating_mul(items) < ALONE {
        (0..rows * parts).for_each(|number| task(0, number));
    } else {
        pool.run(rows * parts, &task);
    }
}

//! From a recipe to kernels: each pass as the descriptors of those that do it.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::digit_ranges::MOST_KERNELS;
use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::choose::pass_order::in_execution_order;
use crate::desc::action::{Action, SPECTRUM};
use crate::desc::choice::Size;
use crate::desc::geometry::{Array, Geometry, SlabLayout};
use crate::desc::kernel::KernelDesc;
use crate::error::{argument, unavailable};
use crate::limits::Limits;
use crate::lower::arrays::{PlanArrays, neighbours};
use crate::lower::axis_fusion;
use crate::lower::lowered::{LoweredPass, LoweredRecipe};
use crate::lower::pass_order::{order, own_order};
use crate::lower::pointwise::{Elements, pointwise};
use crate::lower::stages::{Ranges, StagePipeline};
use fourfold::engine::{ArrayId, AxisRecipe, Pass, PassOp, in_order};
use fourfold::{Precision, Problem, Recipe, Result, Storage};
use std::borrow::Cow;

/// Columns take longer than two kernels do if they take so many times as long as they could. (On an H200, of 21 such
/// columns two kernels took 0.39 to 1.02 of the time, on average 0.72: `dct4 f32 12250x656 axes=0` 103 to 40 µs, `dct3
/// f32 6615x1323` 137 to 90. Of 22 others they took 0.97 to 1.16, and of one 0.62. With a digit that is convolved, `dct2
/// f32 5974x791` 133 to 90, `dct1 f64 1339x9x117` 90 to 66, but `dct1 f32 1244x51x12` 21 to 25.)
const SLOWER_THAN_RANGES: f64 = 1.9;

impl Limits {
    /// An error if the device does not compute in the problem's precision.
    pub(crate) fn check_precision(&self, problem: &Problem) -> Result<()> {
        self.check_type(problem.precision())
    }

    /// The same of a type.
    pub(crate) fn check_type(&self, precision: Precision) -> Result<()> {
        if precision == Precision::F64 && !self.attributes.double {
            return Err(unavailable(format!("{} has no f64: use f32", self.name)));
        }
        Ok(())
    }
}

/// All passes of a recipe; one that copies, if it has none. `parts`: transforms of reals act on
/// both parts of complex arrays. Where a filter would transform, multiply and transform back in one
/// pass, there may be two, of which the first multiplies; an input is multiplied as it is read, an
/// output as it is written. `choices`, one a transform of lines, or none of them.
pub(crate) fn lower<'a>(
    limits: &Limits,
    recipe: &'a Recipe,
    parts: bool,
    action: Option<&'a Action>,
    choices: &[Choice],
) -> Result<LoweredRecipe<'a>> {
    lower_in_slabs(limits, recipe, parts, action, choices, None)
}

/// The same, with an output that is cut into slabs along the axis of the last pass.
pub(crate) fn lower_in_slabs<'a>(
    limits: &Limits,
    recipe: &'a Recipe,
    parts: bool,
    action: Option<&'a Action>,
    choices: &[Choice],
    slabs: Option<SlabLayout>,
) -> Result<LoweredRecipe<'a>> {
    limits.check_precision(recipe.problem())?;
    check_count(choices, recipe)?;
    let order = match action {
        None if !parts && slabs.is_none() => order(&limits.attributes, recipe, choices)?,
        _ => own_order(recipe),
    };
    let reordered = if order.is_sorted() { Cow::Borrowed(recipe) } else { Cow::Owned(in_order(recipe, &order)) };
    let choices = in_execution_order(choices, &order);
    let lowering = Lowering {
        limits,
        arrays: PlanArrays { recipe: &reordered, parts, padded: action.and_then(Action::padded), slabs },
        action,
        choices: &choices,
    };
    let mut passes = lowering.passes()?;
    passes.iter().flat_map(|pass| &pass.descs).try_for_each(|desc| limits.check_grid([desc.blocks(), 1]))?;
    mark_evict_first(&mut passes, &lowering.arrays, &limits.attributes);
    Ok(LoweredRecipe { recipe, order, parts, action, passes })
}

/// What the kernels of a recipe follow from.
pub(crate) struct Lowering<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) arrays: PlanArrays<'a>,
    pub(crate) action: Option<&'a Action>,
    choices: &'a [Choice],
}

impl Lowering<'_> {
    fn passes(&self) -> Result<Vec<LoweredPass>> {
        let recipe = self.arrays.recipe;
        if recipe.passes().is_empty() {
            let (problem, ends) = (recipe.problem(), [ArrayId::Input, ArrayId::Output]);
            let axis = problem.input().shape.len().saturating_sub(1);
            return Ok(vec![self.pass(problem, &[], axis, ends, None, [None, self.action])?]);
        }
        let mut list = vec![];
        let mut passes = recipe.passes().iter().enumerate();
        while let Some((i, pass)) = passes.next() {
            let fused = || axis_fusion::fused(&self.limits.attributes, &self.arrays, i, self.choices);
            match self.action.is_none().then(fused).flatten() {
                Some(fused) => {
                    passes.by_ref().take(fused.passes.len() - 1).for_each(drop);
                    list.push(fused);
                }
                None => list.extend(self.passes_of(i, pass)?),
            }
        }
        Ok(list)
    }

    /// Pass i, as one or two.
    fn passes_of(&self, i: usize, pass: &Pass) -> Result<Vec<LoweredPass>> {
        let &Lowering { arrays: PlanArrays { recipe, .. }, action, choices, .. } = self;
        let (problem, end) = (recipe.problem(), recipe.inverse().unwrap_or(recipe.problem()));
        let [from, to] = [pass.from, pass.to];
        let first = recipe.passes()[..i].iter().map(transforms).sum::<usize>();
        if let [PassOp::Transform(before), PassOp::Multiply, PassOp::Transform(after)] = &*pass.ops {
            let chosen = [first, first + 1].map(|number| choices.get(number));
            if let Some(pass) = self.filter(i, [before, after], chosen) {
                return Ok(vec![pass]);
            }
            let (done, ends) = (&recipe.passes()[..i], [from, SPECTRUM]);
            let [before, after] = [(before, chosen[0]), (after, chosen[1])];
            return Ok(vec![
                self.pass(problem, done, pass.axis, ends, Some(before), [None, action])?,
                self.pass(end, &[], pass.axis, [SPECTRUM, to], Some(after), [None, None])?,
            ]);
        }
        let line = pass.ops.iter().find_map(|op| if let PassOp::Transform(line) = op { Some(line) } else { None });
        let pads = i == 0 && matches!(action, Some(Action::Pad(_)));
        let before = action.filter(|_| pads || pass.ops.first() == Some(&PassOp::Multiply));
        let multiplies = pass.ops.last() == Some(&PassOp::Multiply);
        let last = i + 1 == recipe.passes().len();
        let after = action.filter(|action| multiplies || last && matches!(action, Action::Threshold(_)));
        // Of a filter, what comes after the pass that multiplies is the inverse problem's.
        let turn = recipe.passes()[..i].iter().position(|pass| pass.ops.contains(&PassOp::Multiply));
        let (problem, done) = turn.map_or((problem, &recipe.passes()[..i]), |turn| (end, &recipe.passes()[turn..i]));
        let line = line.map(|line| (line, choices.get(first)));
        Ok(vec![self.pass(problem, done, pass.axis, [from, to], line, [before, after])?])
    }

    /// A pass of `problem` after those that are `done`.
    fn pass(
        &self,
        problem: &Problem,
        done: &[Pass],
        axis: usize,
        ends: [ArrayId; 2],
        line: Option<(&AxisRecipe, Option<&Choice>)>,
        actions: [Option<&Action>; 2],
    ) -> Result<LoweredPass> {
        let elements = ends.map(|id| self.arrays.array(id));
        let neighbours = neighbours(problem, done, axis, &elements[0], |other| self.arrays.keeps_pairs(other));
        let mixes = line.is_some_and(|(line, _)| mixes(line));
        let splits = elements.iter().all(|array| array.complex) && !mixes;
        let [input, output] = elements.clone().map(|array| if splits { array.split_parts() } else { array });
        let (device, storage, arrays) = (&self.limits.attributes, problem.storage(), [&input, &output]);
        let (elements, actions) = ([&elements[0], &elements[1], &elements[1]], [actions[0], actions[1], None]);
        let pass = PassLowering { device, storage, arrays, elements, axis, neighbours, actions, ends };
        let Some((line, choice)) = line else {
            let pipeline = StagePipeline::copy(input.shape[axis], input.complex);
            return Ok(pass.with_pipeline(pipeline, Geometry::new(axis, None, &input, &output), None));
        };
        let lines = Lines { line, storage, arrays, axis, neighbours, filters: false };
        if let Some(choice) = choice {
            lines.check(choice, device)?;
        }
        Ok(pass.of_lines(&lines, &choice.cloned().unwrap_or_else(|| lines.estimate(device))))
    }
}

/// Marks what caches should evict first. Where the arrays are more than the shared cache can hold,
/// that is the output, and an input that would push out what comes between, if the cache can hold
/// that.
fn mark_evict_first(list: &mut [LoweredPass], arrays: &PlanArrays, device: &DeviceAttributes) {
    let bytes = |id| arrays.array(id).extent() as usize * arrays.recipe.problem().storage().bytes();
    let [input, output] = [ArrayId::Input, ArrayId::Output].map(bytes);
    let several = list.iter().map(|pass| pass.descs.len()).sum::<usize>() > 1;
    let mut descs = list.iter_mut().flat_map(|pass| &mut pass.descs);
    if input + output <= device.l2_bytes || !device.evicts_first {
        return;
    }
    if let Some(first) = descs.next().filter(|_| several && input <= device.l2_bytes) {
        first.evict_first[0] = true;
    }
    if let Some(last) = list.last_mut().and_then(|pass| pass.descs.last_mut()) {
        last.evict_first[1] = true;
    }
}

/// How many transforms are steps of a pass.
fn transforms(pass: &Pass) -> usize {
    pass.ops.iter().filter(|op| matches!(op, PassOp::Transform(_))).count()
}

/// An error if there are choices, but not one a transform.
fn check_count(choices: &[Choice], recipe: &Recipe) -> Result<()> {
    match (choices.len(), recipe.lines().count()) {
        (0, _) => Ok(()),
        (count, lines) if count == lines => Ok(()),
        (count, lines) => Err(argument(format!("{count} choices for {lines} passes: expected one each"))),
    }
}

/// What all ways to lower a pass have in common.
pub(crate) struct PassLowering<'a> {
    pub(crate) device: &'a DeviceAttributes,
    pub(crate) storage: Storage,
    pub(crate) arrays: [&'a Array; 2],
    /// The same in elements, and the spectrum between a transform and one back.
    pub(crate) elements: [&'a Array; 3],
    pub(crate) axis: usize,
    /// The axis on which two lines may be packed as one.
    pub(crate) neighbours: Option<usize>,
    pub(crate) actions: [Option<&'a Action>; 3],
    pub(crate) ends: [ArrayId; 2],
}

impl PassLowering<'_> {
    fn of_lines(&self, lines: &Lines, choice: &Choice) -> LoweredPass {
        self.of_ranges(lines, choice, Ranges::default())
    }

    /// The same, with the tables of kernels on these ranges of digits.
    fn of_ranges(&self, lines: &Lines, choice: &Choice, ranges: Ranges) -> LoweredPass {
        let geometry = lines.geometry(choice.packing);
        let known = !ranges.cuts.is_empty();
        let tables = StagePipeline { ranges, ..StagePipeline::new(choice.packing) };
        let pipeline = StagePipeline::line(lines.line, choice, geometry.across(), Some(tables));
        let mut pass = self.with_pipeline(pipeline, geometry, Some(choice));
        if let Some(pass) = self.in_more_ranges(lines, choice, &pass.descs) {
            return pass;
        }
        if self.suits_line_convolution(&pass.descs, choice)
            && let Some(pass) = self.line_convolution(lines, choice)
        {
            return pass;
        }
        // How digits are shared does not depend on the tables.
        let descs = || pass.descs.iter().filter(|desc| desc.cluster == 1);
        let cuts: Vec<usize> = descs().map(|desc| desc.range.first).filter(|&first| first > 0).collect();
        if !known && !cuts.is_empty() {
            let strides = [descs().map(KernelDesc::after).max(), descs().map(KernelDesc::before).max()];
            let strides = strides.map(Option::unwrap_or_default);
            return self.of_ranges(lines, choice, Ranges { cuts, strides });
        }
        // Without a cluster after all, other factors are better.
        match choice.clustered && pass.descs.iter().all(|desc| desc.cluster == 1) {
            true => self.of_lines(lines, &choice.without_cluster()),
            false => {
                let size = if let [desc] = &*pass.descs { Some([desc.tile, desc.threads]) } else { None };
                pass.passes = vec![Chosen { size, ..lines.chosen(choice, self.device) }];
                pass
            }
        }
    }

    /// The same in one more kernel on ranges of digits than `descs`, if one of these is slow. Of the new ones none may be
    /// slow, at most one may convolve a digit, and an SM must have room for two blocks. If lines suit one convolution
    /// otherwise, that of a digit may not be long. A filter's kernel saves another trip, and stays one.
    fn in_more_ranges(&self, lines: &Lines, choice: &Choice, descs: &[KernelDesc]) -> Option<LoweredPass> {
        let is_slow = |desc: &KernelDesc| {
            desc.convolves() && self.device.is_busy_for_long(desc)
                || self.device.slowness_of_columns(desc) >= SLOWER_THAN_RANGES
        };
        let is_free = choice.size.estimates_kernels() && descs.len() < MOST_KERNELS;
        if !is_free || !descs.iter().all(|desc| desc.shared) || !descs.iter().any(is_slow) {
            return None;
        }
        let suits_whole = self.suits_line_convolution(descs, choice);
        let (geometry, count) = (lines.geometry(choice.packing), descs.len() + 1);
        let choice = Choice { size: Size { kernels: Some(count), ..choice.size }, ..choice.clone() };
        let pipeline = StagePipeline::line(lines.line, &choice, geometry.across(), None);
        let more = self.with_pipeline(pipeline, geometry, Some(&choice)).descs;
        let is_fast = |desc: &KernelDesc| {
            let has_room = desc.shared && self.device.blocks_of(desc.shared_bytes()) >= RESIDENT;
            has_room && !is_slow(desc) && !(suits_whole && desc.has_long_convolution())
        };
        let convolving = more.iter().filter(|desc| desc.convolves()).count();
        let is_better = more.len() == count && more.iter().all(is_fast) && convolving <= 1;
        is_better.then(|| self.of_lines(lines, &choice))
    }

    pub(crate) fn with_pipeline(
        &self,
        mut pipeline: StagePipeline,
        geometry: Geometry,
        choice: Option<&Choice>,
    ) -> LoweredPass {
        let desc = self.on_whole_lines(&mut pipeline, geometry);
        let clustered = choice.is_some_and(|choice| choice.clustered);
        let size = choice.map_or(Size::default(), |choice| choice.size);
        let descs = self.device.with_pair_distance(desc.fitted(self.device, clustered, size));
        pipeline.lowered(descs, self.ends, vec![])
    }

    /// The kernel of a pipeline for any device that has room for a line, with all that is done to
    /// single elements.
    pub(crate) fn on_whole_lines(&self, pipeline: &mut StagePipeline, geometry: Geometry) -> KernelDesc {
        let pair = self.neighbours.filter(|_| geometry.pair.is_some());
        let indices = Geometry::indices(self.axis, pair, self.arrays[0], self.arrays[1]);
        let done = |end: usize| {
            let elements = Elements { array: self.elements[end], kept: end < 2, axis: self.axis, lines: &indices };
            self.actions[end].map(|action| pointwise(action, &elements, &mut pipeline.tables))
        };
        let pointwise = [0, 1, 2].map(done);
        let row = geometry.output_row(self.arrays[1].shape[self.axis]);
        KernelDesc { pointwise, row, ..pipeline.on_whole_lines(self.storage, geometry, self.arrays) }
    }
}

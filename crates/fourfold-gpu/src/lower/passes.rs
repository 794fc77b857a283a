//! From a recipe to kernels: each pass as the descs of those that do it.

use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::desc::action::{Action, SPECTRUM};
use crate::desc::choice::Size;
use crate::desc::descriptor::{Geometry, KernelDesc};
use crate::desc::geometry::Array;
use crate::error::{argument, unavailable};
use crate::limits::Limits;
use crate::lower::axis_fusion;
use crate::lower::lowered_pass::{LoweredPass, PlanArrays, neighbours, whole_lines};
use crate::lower::stages::{StagePipeline, table_bytes};
use fourfold::engine::{ArrayId, AxisRecipe, AxisTransform, Pass, PassOp};
use fourfold::{Precision, Problem, Recipe, Result};

impl Limits {
    /// An error if the device does not compute in the problem's precision.
    pub(crate) fn check_precision(&self, problem: &Problem) -> Result<()> {
        self.check_type(problem.precision())
    }

    /// The same of a type.
    pub(crate) fn check_type(&self, precision: Precision) -> Result<()> {
        if precision == Precision::F64 && !self.double {
            return Err(unavailable(format!("{} has no f64: use f32", self.name)));
        }
        Ok(())
    }
}

/// All passes of a recipe; one that copies, if it has none. `parts` as for
/// [`crate::run::executable::Executable::new`]. Where a filter would transform, multiply and
/// transform back in one pass, there are two, of which the first multiplies; an input is multiplied
/// as it is read, an output as it is written. `choices`, one a pass of lines, or none of them.
pub(crate) fn lower(
    limits: &Limits,
    recipe: &Recipe,
    parts: bool,
    action: Option<&Action>,
    choices: &[Choice],
) -> Result<Vec<LoweredPass>> {
    let problem = recipe.problem();
    limits.check_precision(problem)?;
    check_count(choices, recipe)?;
    recipe.lines().try_for_each(check_tables)?;
    let all = Passes { limits, homes: PlanArrays { recipe, parts }, action, choices };
    if recipe.passes().is_empty() {
        let axis = problem.input().shape.len().saturating_sub(1);
        return Ok(vec![all.draft(problem, &[], axis, [ArrayId::Input, ArrayId::Output], None, [None, action])?]);
    }
    let mut list = vec![];
    let mut passes = recipe.passes().iter().enumerate();
    while let Some(next) = passes.next() {
        let fused = if action.is_none() { axis_fusion::fused(limits, &all.homes, next.0, choices)? } else { None };
        match fused {
            Some(draft) => {
                passes.by_ref().take(draft.passes.len() - 1).for_each(drop);
                list.push(draft);
            }
            None => list.extend(all.of_pass(next)?),
        }
    }
    mark_what_is_used_once(&mut list, &all.homes, limits.cache);
    Ok(list)
}

/// What the lowered of a recipe follow from.
struct Passes<'a> {
    limits: &'a Limits,
    homes: PlanArrays<'a>,
    action: Option<&'a Action>,
    choices: &'a [Choice],
}

impl Passes<'_> {
    /// Pass i.
    fn of_pass(&self, (i, pass): (usize, &Pass)) -> Result<Vec<LoweredPass>> {
        let &Passes { homes: PlanArrays { recipe, .. }, action, choices, .. } = self;
        let (problem, end) = (recipe.problem(), recipe.inverse().unwrap_or(recipe.problem()));
        let [from, to] = [pass.from, pass.to];
        if let [PassOp::Transform(before), PassOp::Multiply, PassOp::Transform(after)] = &*pass.ops {
            let (done, ends) = (&recipe.passes()[..i], [from, SPECTRUM]);
            return Ok(vec![
                self.draft(problem, done, pass.axis, ends, Some((before, None)), [None, action])?,
                self.draft(end, &[], pass.axis, [SPECTRUM, to], Some((after, None)), [None, None])?,
            ]);
        }
        let line = pass.ops.iter().find_map(|op| if let PassOp::Transform(line) = op { Some(line) } else { None });
        let before = action.filter(|_| pass.ops.first() == Some(&PassOp::Multiply));
        let multiplies = pass.ops.last() == Some(&PassOp::Multiply);
        let last = i + 1 == recipe.passes().len();
        let after = action.filter(|action| multiplies || last && matches!(action, Action::Threshold(_)));
        // Of a filter, what comes after the pass that multiplies is the inverse problem's.
        let first = recipe.passes()[..i].iter().position(|pass| pass.ops.contains(&PassOp::Multiply));
        let (problem, done) = first.map_or((problem, &recipe.passes()[..i]), |first| (end, &recipe.passes()[first..i]));
        let line = line.map(|line| (line, choices.get(i)));
        Ok(vec![self.draft(problem, done, pass.axis, [from, to], line, [before, after])?])
    }

    /// A pass of `problem` after those that are `done`.
    fn draft(
        &self,
        problem: &Problem,
        done: &[Pass],
        axis: usize,
        ends: [ArrayId; 2],
        line: Option<(&AxisRecipe, Option<&Choice>)>,
        actions: [Option<&Action>; 2],
    ) -> Result<LoweredPass> {
        let arrays = ends.map(|home| self.homes.array(home));
        let neighbours = neighbours(problem, done, axis, &arrays[0], |_| true);
        let own = line.map(|(line, choice)| Own { line, choice, neighbours });
        draft(self.limits, problem.precision(), axis, ends, arrays, own, actions)
    }
}

/// Where the arrays are more than the shared cache can hold, it had better not keep the output, nor
/// an input that would push out what comes between: if the cache can hold that.
fn mark_what_is_used_once(list: &mut [LoweredPass], homes: &PlanArrays, cache: usize) {
    let bytes = |home| homes.array(home).extent() as usize * homes.recipe.problem().precision().bytes();
    let [input, output] = [ArrayId::Input, ArrayId::Output].map(bytes);
    let several = list.iter().map(|draft| draft.descs.len()).sum::<usize>() > 1;
    let mut descs = list.iter_mut().flat_map(|draft| &mut draft.descs);
    if input + output <= cache || cache == 0 {
        return;
    }
    if let Some(first) = descs.next().filter(|_| several && input <= cache) {
        first.evict_first[0] = true;
    }
    if let Some(last) = list.last_mut().and_then(|draft| draft.descs.last_mut()) {
        last.evict_first[1] = true;
    }
}

/// An error if there are choices, but not one a pass.
fn check_count(choices: &[Choice], recipe: &Recipe) -> Result<()> {
    match (choices.len(), recipe.passes().len()) {
        (0, _) => Ok(()),
        (count, passes) if count == passes => Ok(()),
        (count, passes) => Err(argument(format!("{count} choices for {passes} passes: expected one each"))),
    }
}

/// An error if this machine has no memory for the tables of a line; what makes them does not ask.
fn check_tables(line: &AxisRecipe) -> Result<()> {
    let bytes = table_bytes(line);
    let asked = Vec::<u8>::new().try_reserve_exact(bytes);
    let AxisTransform { axis, n, .. } = line.transform;
    let message = || {
        format!("this host has no memory for about {bytes} bytes of tables, which axis {axis} of {n} elements takes")
    };
    asked.map_err(|_| unavailable(message()))
}

/// What a pass does to its lines.
struct Own<'a> {
    line: &'a AxisRecipe,
    choice: Option<&'a Choice>,
    neighbours: Option<usize>,
}

fn draft(
    limits: &Limits,
    precision: Precision,
    axis: usize,
    ends: [ArrayId; 2],
    arrays: [Array; 2],
    own: Option<Own>,
    actions: [Option<&Action>; 2],
) -> Result<LoweredPass> {
    let split = arrays.iter().all(|array| array.complex) && !own.as_ref().is_some_and(|own| mixes(own.line));
    let elements = arrays.clone();
    let [input, output] = arrays.map(|array| if split { array.split_parts() } else { array });
    let arrays = [&input, &output];
    let elements = [&elements[0], &elements[1]];
    let pass = PassLowering { limits, precision, arrays, elements, actions, ends };
    let Some(Own { line, choice, neighbours }) = own else {
        let chain = StagePipeline::copy(input.shape[axis], input.complex);
        return Ok(pass.draft(chain, Geometry::new(axis, None, &input, &output), None));
    };
    let lines = Lines { line, precision, arrays, axis, neighbours };
    if let Some(choice) = choice {
        lines.check(choice)?;
    }
    Ok(pass.of_lines(&lines, &choice.cloned().unwrap_or_else(|| lines.estimate(limits))))
}

/// What all lowered of a pass have in common.
struct PassLowering<'a> {
    limits: &'a Limits,
    precision: Precision,
    arrays: [&'a Array; 2],
    /// The same in elements.
    elements: [&'a Array; 2],
    actions: [Option<&'a Action>; 2],
    ends: [ArrayId; 2],
}

impl PassLowering<'_> {
    fn of_lines(&self, lines: &Lines, choice: &Choice) -> LoweredPass {
        let geometry = lines.geometry(choice.packing);
        let chain = StagePipeline::line(lines.line, choice, geometry.across(), None);
        let mut draft = self.draft(chain, geometry, Some(choice));
        // Without a cluster after all, other factors are better.
        match choice.clustered && draft.descs.iter().all(|desc| desc.cluster == 1) {
            true => self.of_lines(lines, &choice.without_cluster()),
            false => {
                let size = if let [desc] = &*draft.descs { Some([desc.tile, desc.threads]) } else { None };
                draft.passes = vec![Chosen { size, ..lines.chosen(choice) }];
                draft
            }
        }
    }

    fn draft(&self, mut chain: StagePipeline, geometry: Geometry, choice: Option<&Choice>) -> LoweredPass {
        let pointwise = [0, 1].map(|end| self.actions[end].map(|action| chain.pointwise(action, self.elements[end])));
        let desc = KernelDesc { pointwise, ..whole_lines(self.precision, &chain, geometry, self.arrays) };
        let clustered = choice.is_some_and(|choice| choice.clustered);
        let size = choice.map_or(Size::default(), |choice| choice.size);
        LoweredPass { descs: desc.fitted(self.limits, clustered, size), ends: self.ends, chain, passes: vec![] }
    }
}

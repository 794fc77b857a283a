//! Passes along several axes as one kernel: a plane of a volume, a whole small image.

use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::desc::descriptor::KernelDesc;
use crate::desc::geometry::Array;
use crate::limits::Limits;
use crate::lower::lowered_pass::{LoweredPass, PlanArrays, neighbours, whole_lines};
use crate::lower::stages::StagePipeline;
use fourfold::Result;
use fourfold::engine::{ArrayId, AxisRecipe, Pass, PassOp};

/// As many passes as one kernel can do, from number `first` on, if those are two or more. Choices
/// say which, if there are any.
pub(crate) fn fused(
    limits: &Limits,
    homes: &PlanArrays,
    first: usize,
    choices: &[Choice],
) -> Result<Option<LoweredPass>> {
    let passes = &homes.recipe.passes()[first..];
    if homes.parts || homes.recipe.multiplied().is_some() {
        return Ok(None);
    }
    for count in (2..=passes.len()).rev() {
        let wanted = choices.get(first + 1..first + count);
        if wanted.is_some_and(|choices| !choices.iter().all(|choice| choice.axis_fusion)) {
            continue;
        }
        let own = choices.get(first..first + count).unwrap_or(&[]);
        if let Some(draft) = together(limits, homes, &passes[..count], own)? {
            return Ok(Some(draft));
        }
    }
    Ok(None)
}

/// These passes as one kernel, if it is worth it or there are choices that say so.
fn together(limits: &Limits, homes: &PlanArrays, passes: &[Pass], choices: &[Choice]) -> Result<Option<LoweredPass>> {
    let Some(lines) = passes.iter().map(line).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let ends = [passes[0].from, ArrayId::Output];
    let [input, output] = ends.map(|id| homes.array(id));
    let axes: Vec<usize> = passes.iter().map(|pass| pass.axis).collect();
    let part = output.part(&axes);
    let precision = homes.recipe.problem().precision();
    // Two reals more than the last has before it: it may be complex.
    let between = (part.extent() as usize + 1).next_multiple_of(2);
    let in_order = passes[1..].iter().all(|pass| pass.from == ArrayId::Output);
    let split = |i: usize| output.complex && (i > 0 || input.complex) && !mixes(lines[i]);
    let wanted = !choices.is_empty();
    let near = wanted || [&input, &output].iter().all(|array| has_neighbours(array, &axes));
    let room = limits.shared_bytes / if wanted { 1 } else { 2 };
    if !in_order || !near || between * precision.bytes() > room || (0..passes.len()).any(split) {
        return Ok(None);
    }
    let mut kernel: Vec<KernelDesc> = vec![];
    let (mut chain, mut chosen): (Option<StagePipeline>, Vec<Chosen>) = (None, vec![]);
    for (i, &line) in lines.iter().enumerate() {
        let from = if i == 0 { &input } else { &part };
        let arrays = [from, if i + 1 == lines.len() { &output } else { &part }];
        let neighbours = neighbours(homes.recipe.problem(), &passes[..i], axes[i], from, |axis| axes.contains(&axis));
        let lines = Lines { line, precision, arrays, axis: axes[i], neighbours };
        // What fits the lines of one pass may not fit here, where fewer lines are neighbours.
        if choices.get(i).is_some_and(|choice| lines.check(choice).is_err()) {
            return Ok(None);
        }
        let choice = choices.get(i).cloned().unwrap_or_else(|| lines.estimate(limits));
        let choice = Choice { axis_fusion: i > 0, ..if choice.clustered { choice.without_cluster() } else { choice } };
        let geometry = lines.geometry(choice.packing);
        let made = StagePipeline::line(line, &choice, geometry.across(), chain.take());
        kernel.push(whole_lines(precision, &made, geometry, arrays));
        chosen.push(lines.chosen(&choice));
        chain = Some(made);
    }
    let parts = parts(&output, &axes);
    let fused = KernelDesc::with_fused_axes(kernel, parts, between, wanted, limits);
    let draft = fused.zip(chain).map(|(desc, chain)| LoweredPass { descs: vec![desc], ends, chain, passes: chosen });
    Ok(draft)
}

/// The line of a pass that writes the output and does nothing else.
fn line(pass: &Pass) -> Option<&AxisRecipe> {
    match &*pass.ops {
        [PassOp::Transform(line)] if pass.to == ArrayId::Output => Some(line),
        _ => None,
    }
}

/// Whether elements that are neighbours in memory are in one part.
fn has_neighbours(array: &Array, axes: &[usize]) -> bool {
    let others = (0..array.shape.len()).filter(|&axis| array.shape[axis] > 1);
    others.min_by_key(|&axis| array.strides[axis].abs()).is_none_or(|axis| axes.contains(&axis))
}

/// How many parts of an array there are that have all of some axes.
fn parts(array: &Array, axes: &[usize]) -> usize {
    (0..array.shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| array.shape[axis]).product()
}

//! Passes along several axes as one kernel: a plane of a volume, a whole small image.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::desc::geometry::Array;
use crate::desc::kernel::KernelDesc;
use crate::lower::arrays::{PlanArrays, neighbours};
use crate::lower::lowered::LoweredPass;
use crate::lower::stages::StagePipeline;
use fourfold::engine::{ArrayId, AxisRecipe, Pass, PassOp};

/// As many passes as one kernel can do, from number `first` on, if those are two or more. Choices
/// say which, if there are any.
pub(crate) fn fused(
    device: &DeviceAttributes,
    plan: &PlanArrays,
    first: usize,
    choices: &[Choice],
) -> Option<LoweredPass> {
    let passes = &plan.recipe.passes()[first..];
    if plan.parts || plan.recipe.multiplied().is_some() {
        return None;
    }
    (2..=passes.len()).rev().find_map(|count| {
        let wanted = choices.get(first + 1..first + count);
        if wanted.is_some_and(|choices| !choices.iter().all(|choice| choice.axis_fusion)) {
            return None;
        }
        fuse(device, plan, &passes[..count], choices.get(first..first + count).unwrap_or(&[]))
    })
}

/// These passes as one kernel, if it is worth it or there are choices that say so.
fn fuse(device: &DeviceAttributes, plan: &PlanArrays, passes: &[Pass], choices: &[Choice]) -> Option<LoweredPass> {
    let lines = passes.iter().map(line).collect::<Option<Vec<_>>>()?;
    let ends = [passes[0].from, ArrayId::Output];
    let [input, output] = ends.map(|id| plan.array(id));
    let axes: Vec<usize> = passes.iter().map(|pass| pass.axis).collect();
    let part = output.part(&axes);
    let storage = plan.recipe.problem().storage();
    // Two reals more than the last has before it: it may be complex.
    let between = (part.extent() as usize + 1).next_multiple_of(2);
    let in_order = passes[1..].iter().all(|pass| pass.from == ArrayId::Output);
    let split = |i: usize| output.complex && (i > 0 || input.complex) && !mixes(lines[i]);
    let wanted = choices.first().map(|choice| choice.size);
    let near = wanted.is_some() || [&input, &output].iter().all(|array| has_neighbours(array, &axes));
    let room = device.shared_of(if wanted.is_some() { 1 } else { RESIDENT });
    if !in_order || !near || between * storage.precision().bytes() > room || (0..passes.len()).any(split) {
        return None;
    }
    let mut descs: Vec<KernelDesc> = vec![];
    let (mut pipeline, mut chosen): (Option<StagePipeline>, Vec<Chosen>) = (None, vec![]);
    for (i, &line) in lines.iter().enumerate() {
        let from = if i == 0 { &input } else { &part };
        let arrays = [from, if i + 1 == lines.len() { &output } else { &part }];
        let may = |axis: usize| axes.contains(&axis) && plan.keeps_pairs(axis);
        let neighbours = neighbours(plan.recipe.problem(), &passes[..i], axes[i], from, may);
        let lines = Lines { line, storage, arrays, axis: axes[i], neighbours, filters: false };
        // What fits the lines of one pass may not fit here, where fewer lines are neighbours.
        if choices.get(i).is_some_and(|choice| lines.check(choice, device).is_err()) {
            return None;
        }
        let choice = choices.get(i).cloned().unwrap_or_else(|| lines.estimate(device));
        let choice = Choice { axis_fusion: i > 0, ..if choice.clustered { choice.without_cluster() } else { choice } };
        let geometry = lines.geometry(choice.packing);
        let made = StagePipeline::line(line, &choice, geometry.across(), pipeline.take());
        descs.push(made.on_whole_lines(storage, geometry, arrays));
        chosen.push(lines.chosen(&choice, device));
        pipeline = Some(made);
    }
    let parts = parts(&output, &axes);
    let desc = KernelDesc::with_fused_axes(descs, parts, between, wanted, device)?;
    Some(pipeline?.lowered(vec![desc], ends, chosen))
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

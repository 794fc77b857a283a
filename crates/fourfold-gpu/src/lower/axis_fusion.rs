//! Passes along several axes as one kernel: a plane of a volume, a whole small image. Where memory has
//! another axis innermost, or beside a short one, a block has a run of neighbours along it. Where planes are so small
//! that few threads have something to do, it has several planes.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::{FUSED_RESIDENT, RESIDENT};
use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::choose::fused_axes::FusedAxes;
use crate::desc::choice::AxisFusion;
use crate::desc::geometry::{Array, Run, merge_axes};
use crate::desc::kernel::KernelDesc;
use crate::lower::arrays::{PlanArrays, neighbours};
use crate::lower::lowered::LoweredPass;
use crate::lower::stages::StagePipeline;
use fourfold::engine::{ArrayId, AxisRecipe, Pass, PassOp, gcd};

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
        if wanted.is_some_and(|choices| !choices.iter().all(|choice| choice.axis_fusion == AxisFusion::WithPrevious)) {
            return None;
        }
        fuse(device, plan, &passes[..count], choices.get(first..first + count).unwrap_or(&[]))
    })
}

/// These passes as one kernel, if it is worth it or there are choices that say so.
fn fuse(device: &DeviceAttributes, plan: &PlanArrays, passes: &[Pass], choices: &[Choice]) -> Option<LoweredPass> {
    let lines = passes.iter().map(line).collect::<Option<Vec<_>>>()?;
    let ends = [passes[0].from, ArrayId::Output];
    let mut arrays = ends.map(|id| plan.array(id));
    let axes: Vec<usize> = passes.iter().map(|pass| pass.axis).collect();
    merge_axes(&mut arrays, |axis| !axes.contains(&axis));
    let in_order = passes[1..].iter().all(|pass| pass.from == ArrayId::Output);
    let [input, output] = &arrays;
    let split = |i: usize| output.complex && (i > 0 || input.complex) && !mixes(lines[i]);
    if !in_order || (0..passes.len()).any(split) {
        return None;
    }
    let fusion = Fusion { device, plan, passes, lines, axes, choices, ends };
    let runs = fusion.runs(&arrays);
    let estimated = runs.iter().map(|run| (*run, FUSED_RESIDENT, false));
    // With choices, also otherwise: if an SM has room for one block, and without neighbours.
    let chosen = [RESIDENT, 1].into_iter().flat_map(|blocks| runs.iter().map(move |run| (*run, blocks, true)));
    let chosen = chosen.chain([(None, 1, true)]).filter(|_| !choices.is_empty());
    let mut ways = estimated.chain(chosen);
    ways.find_map(|(run, blocks, in_any_case)| {
        let pass = fusion.in_runs(&arrays, run, blocks, in_any_case)?;
        let longer = fusion.longer(&arrays, run, &pass.descs[0]);
        Some(longer.and_then(|run| fusion.in_runs(&arrays, Some(run), blocks, in_any_case)).unwrap_or(pass))
    })
}

/// With gaps, what is between passes may be so much longer: 5 for 4.
const WIDEST: (i64, i64) = (5, 4);

/// Passes that may be one kernel.
struct Fusion<'a> {
    device: &'a DeviceAttributes,
    plan: &'a PlanArrays<'a>,
    passes: &'a [Pass],
    lines: Vec<&'a AxisRecipe>,
    axes: Vec<usize>,
    /// One a pass, or none.
    choices: &'a [Choice],
    ends: [ArrayId; 2],
}

/// Kernels of these, each for itself.
struct Passes {
    descs: Vec<KernelDesc>,
    pipeline: StagePipeline,
    chosen: Vec<Chosen>,
}

impl Fusion<'_> {
    /// What parts may have of the innermost axis, if that is not transformed, or of the one beside short ones
    /// that are, where no cache has the arrays: runs that divide it, the longest first, no longer than memory reads at
    /// once. Runs that cost more are for small arrays and whole axes. All must touch fewer sectors than as many trips as
    /// there are passes, but where a cache has the arrays and needs no runs.
    fn runs(&self, arrays: &[Array; 2]) -> Vec<Option<Run>> {
        let inner = |array: &Array| array.innermost().filter(|axis| !self.axes.contains(axis));
        match arrays.each_ref().map(inner) {
            [None, None] => {
                let (cached, beside) = (self.is_cached(arrays), arrays.each_ref().map(|array| self.beside(array)));
                let axis = beside[0].filter(|_| beside[0] == beside[1] && !cached);
                let Some(axis) = axis else {
                    return if cached || self.touches_less(arrays, None) { vec![None] } else { vec![] };
                };
                let runs = self.runs_of(arrays, axis, &arrays[0]);
                let none = (self.has_whole_sectors(arrays) && !runs.contains(&None)).then_some(None);
                runs.into_iter().chain(none).collect()
            }
            [Some(axis), other] if other.is_none_or(|other| other == axis) => self.runs_of(arrays, axis, &arrays[0]),
            [None, Some(axis)] => self.runs_of(arrays, axis, &arrays[1]),
            _ => vec![],
        }
    }

    /// Those of an axis, of which neighbours are as far apart as in `array`.
    fn runs_of(&self, arrays: &[Array; 2], axis: usize, array: &Array) -> Vec<Option<Run>> {
        if arrays.iter().any(|array| array.slabs_of(axis).is_some()) {
            return vec![];
        }
        let step = array.strides[axis].unsigned_abs() as usize * self.bytes();
        let longest = (self.device.long_run() / step).clamp(1, array.shape[axis]);
        let few = self.device.is_one_round(array.shape.iter().product::<usize>() * array.parts());
        let is_long = |run: usize| few || run == array.shape[axis] || run * step >= self.device.short_run();
        let pieces = (1..=longest).rev().filter(|run| array.shape[axis] % run == 0 && is_long(*run));
        let run = |count: usize| (count > 1).then_some(Run { axis, count, is_inner: true });
        pieces.map(run).filter(|run| self.touches_less(arrays, *run)).collect()
    }

    /// A longer run than that of `fused`, if its threads do not fill a warp: no longer than fills one, and so that there are
    /// blocks for all SMs. (On an H200, 12 of 17 problems with planes of 3 × 5 to 16 × 16 took 0.10 to 0.70 of the time so,
    /// and the others 0.90 to 1.05. With eight warps a block, nine of them took 1.03 to 1.13 times as long as with one, and
    /// `dct2 f32 3000017x3x5 axes=1,2` 0.79.)
    fn longer(&self, arrays: &[Array; 2], run: Option<Run>, fused: &KernelDesc) -> Option<Run> {
        let is_free = |axis: usize| !self.axes.contains(&axis);
        let axis = run.map(|run| run.axis).or_else(|| arrays[1].innermost_of(is_free))?;
        let (size, own) = (arrays[1].shape[axis], run.map_or(1, |run| run.count));
        let threads = fused.passes().map(|pass| pass.butterflies()[1] * pass.tile).max()?;
        let busy = own * fused.blocks() / self.device.registers_wave();
        let most = (own * self.device.warp / threads).min(busy).min(size);
        let is_cut = arrays.iter().any(|array| array.slabs_of(axis).is_some());
        if most <= own || is_cut {
            return None;
        }
        let divides = (own + 1..=most).rev().find(|count| size % count == 0);
        let count = match run.is_none() && arrays.iter().all(|array| self.is_around(array, axis)) {
            true => divides.filter(|count| 2 * count > most).or(Some(most)),
            false => divides,
        };
        count.map(|count| Run { axis, count, is_inner: run.is_some() })
    }

    /// Whether an axis is outside those that are transformed, and the only other one. Then the lines that its last run has
    /// not would come after all others.
    fn is_around(&self, array: &Array, axis: usize) -> bool {
        let step = |axis: usize| array.strides[axis].abs();
        let mut others = (0..array.shape.len()).filter(|&other| other != axis && array.shape[other] > 1);
        others.all(|other| self.axes.contains(&other) && step(other) < step(axis))
    }

    /// Whether parts with such a run touch fewer sectors than as many trips as there are passes.
    fn touches_less(&self, arrays: &[Array; 2], run: Option<Run>) -> bool {
        arrays.iter().all(|array| self.sectors(array, run) < self.passes.len() as f64)
    }

    /// Whether parts without a run touch no others' sectors. (Where pieces of 48 bytes do, on an H200 `dct1 f32
    /// 503x1414x12` took 1.12 of the time of a kernel for each pass.)
    fn has_whole_sectors(&self, arrays: &[Array; 2]) -> bool {
        arrays.iter().all(|array| self.sectors(array, None) <= 1.0)
    }

    /// The innermost axis that is not transformed, if what is inside it is shorter than memory reads at once.
    fn beside(&self, array: &Array) -> Option<usize> {
        let axis = array.innermost_of(|axis| !self.axes.contains(&axis))?;
        (array.strides[axis].unsigned_abs() as usize * self.bytes() < self.device.long_run()).then_some(axis)
    }

    /// Of a real in the arrays.
    fn bytes(&self) -> usize {
        self.plan.recipe.problem().storage().bytes()
    }

    /// Whether the second-level cache holds both arrays.
    fn is_cached(&self, arrays: &[Array; 2]) -> bool {
        let [input, output] = arrays.each_ref().map(|array| array.extent() as usize * self.bytes());
        input + output <= self.device.l2_bytes
    }

    /// Sectors that parts touch for each that has all of its bytes in a part, on average: pieces of a part begin
    /// at any multiple of what the other strides and a sector divide by. A part that is one piece touches others
    /// at its ends only.
    fn sectors(&self, array: &Array, run: Option<Run>) -> f64 {
        let (bytes, sector) = (self.bytes(), self.device.sector_bytes);
        let array = run.map_or(array.clone(), |run| array.clone().in_runs(run));
        let own = |axis: usize| self.axes.contains(&axis) || run.is_some() && axis + 1 == array.shape.len();
        let step = |axis: usize| array.strides[axis].unsigned_abs() as usize;
        let axes = array.axes_from_inside();
        let element = axes.first().map_or(1, |&axis| step(axis));
        let all = axes.iter().filter(|&&axis| own(axis)).map(|&axis| array.shape[axis]).product::<usize>();
        let (mut piece, mut unit) = (element, gcd(array.offset.unsigned_abs() as usize * bytes, sector));
        for axis in axes {
            // An axis goes on where the one before ends.
            match own(axis) && step(axis) == piece {
                true => piece *= array.shape[axis],
                false => unit = gcd(step(axis) * bytes, unit),
            }
        }
        if piece == all * element { 1.0 } else { self.device.sectors_of_pieces(piece * bytes, unit) }
    }

    /// One kernel whose blocks have such runs, if an SM has room for so many, and it is worth it or wanted in any
    /// case.
    fn in_runs(&self, arrays: &[Array; 2], run: Option<Run>, blocks: usize, in_any_case: bool) -> Option<LoweredPass> {
        let split = |array: Array| run.map_or(array.clone(), |run| array.in_runs(run));
        let [input, output] = arrays.clone().map(split);
        let mut part = output.part(&self.axes, run);
        // Two reals more than the last has before it: it may be complex.
        let reals = |part: &Array| (part.extent() as usize + 1).next_multiple_of(2);
        if reals(&part) * self.plan.recipe.problem().precision().bytes() > self.device.shared_of(blocks) {
            return None;
        }
        let mut passes = self.passes_on([&input, &part, &output])?;
        if run.is_some_and(|run| !run.is_inner) && !self.device.shared_is_emulated {
            part = self.with_gaps([&input, &part, &output], &passes.descs);
            passes = self.passes_on([&input, &part, &output])?;
        }
        let Passes { descs, pipeline, chosen } = passes;
        let between = reals(&part);
        let size = self.choices.first().map(|choice| choice.size).unwrap_or_default();
        let absent = run.map_or(0, |run| output.shape[run.axis] * run.count - arrays[1].shape[run.axis]);
        let neighbours = run.map_or(1, |run| run.count);
        let fused = FusedAxes { parts: parts(&output, &part), neighbours, absent, between, blocks, size, in_any_case };
        let desc = KernelDesc::with_fused_axes(descs, &fused, self.device)?;
        Some(pipeline.lowered(vec![desc], self.ends, chosen))
    }

    /// The passes on parts of an input and an output, with that between them.
    fn passes_on(&self, [input, part, output]: [&Array; 3]) -> Option<Passes> {
        let storage = self.plan.recipe.problem().storage();
        let mut descs: Vec<KernelDesc> = vec![];
        let (mut pipeline, mut chosen): (Option<StagePipeline>, Vec<Chosen>) = (None, vec![]);
        for (i, &line) in self.lines.iter().enumerate() {
            let arrays = self.ends_of(i, [input, part, output]);
            let lines = self.lines_of(i, line, arrays);
            // What fits the lines of one pass may not fit here, where fewer lines are neighbours.
            if self.choices.get(i).is_some_and(|choice| lines.check(choice, self.device).is_err()) {
                return None;
            }
            let choice = self.choices.get(i).cloned().unwrap_or_else(|| lines.estimate(self.device));
            let axis_fusion = if i > 0 { AxisFusion::WithPrevious } else { AxisFusion::None };
            let choice = Choice { axis_fusion, ..if choice.clustered { choice.without_cluster() } else { choice } };
            let geometry = lines.geometry(choice.packing);
            let made = StagePipeline::line(line, &choice, geometry.across(), pipeline.take());
            descs.push(made.on_whole_lines(storage, geometry, arrays));
            chosen.push(lines.chosen(&choice, self.device));
            pipeline = Some(made);
        }
        Some(Passes { descs, pipeline: pipeline?, chosen })
    }

    /// What is between these passes, with a gap after each row, and then one after each part of a run: those that cost
    /// the fewest turns of shared memory, and of these the smallest.
    fn with_gaps(&self, [input, part, output]: [&Array; 3], descs: &[KernelDesc]) -> Array {
        let precision = self.plan.recipe.problem().precision();
        let turns = |part: &Array| -> usize {
            let of_pass = |(i, desc): (usize, &KernelDesc)| {
                let lines = self.lines_of(i, self.lines[i], self.ends_of(i, [input, part, output]));
                lines.geometry(desc.packing).turns_between_passes(desc.butterflies()[1], precision, self.device)
            };
            descs.iter().enumerate().map(of_pass).sum()
        };
        let widest = part.extent() * WIDEST.0 / WIDEST.1;
        let widened = |part: Array, level: usize| {
            let wider = (0..self.device.banks / 2).map(|gap| part.clone().with_gap(level, 2 * gap as i64));
            wider.filter(|wider| wider.extent() <= widest).min_by_key(turns).unwrap_or(part)
        };
        let [row, run] = [1, part.axes_from_inside().len().saturating_sub(1)];
        let levels = std::iter::once(row).chain((run > row).then_some(run));
        levels.fold(part.clone(), widened)
    }

    /// What pass i reads and writes.
    fn ends_of<'b>(&self, i: usize, [input, part, output]: [&'b Array; 3]) -> [&'b Array; 2] {
        [if i == 0 { input } else { part }, if i + 1 == self.lines.len() { output } else { part }]
    }

    /// The lines of pass i.
    fn lines_of<'b>(&self, i: usize, line: &'b AxisRecipe, arrays: [&'b Array; 2]) -> Lines<'b> {
        let Fusion { plan, axes, .. } = self;
        let problem = plan.recipe.problem();
        let may = |axis: usize| axes.contains(&axis) && plan.keeps_pairs(axis);
        let neighbours = neighbours(problem, &self.passes[..i], axes[i], arrays[0], may);
        Lines { line, storage: problem.storage(), arrays, axis: axes[i], neighbours, filters: false }
    }
}

/// The line of a pass that writes the output and does nothing else.
fn line(pass: &Pass) -> Option<&AxisRecipe> {
    match &*pass.ops {
        [PassOp::Transform(line)] if pass.to == ArrayId::Output => Some(line),
        _ => None,
    }
}

/// How many parts there are of an array.
fn parts(array: &Array, part: &Array) -> usize {
    (0..array.shape.len()).filter(|&axis| part.strides[axis] == 0).map(|axis| array.shape[axis]).product()
}

//! A transform, a multiply and a transform back along one axis as one kernel, so that the spectrum
//! needs no trip through memory.

use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::desc::action::SPECTRUM;
use crate::desc::combine::{ElementProduct, InnerProduct, SpectrumProduct};
use crate::desc::stage::{Port, Stage, StageOp, View};
use crate::lower::arrays::neighbours;
use crate::lower::lowered::LoweredPass;
use crate::lower::passes::{Lowering, PassLowering};
use crate::lower::stages::{StagePipeline, array};
use fourfold::engine::{AxisRecipe, Data, Pass, Transform1d, dft_of, reduce};
use std::mem::take;

impl Lowering<'_> {
    /// Such a pass as one kernel, if shared memory has room for whole lines and the transform back
    /// takes what the other makes. `choices` are those of both transforms, which must agree.
    pub(crate) fn filter(
        &self,
        i: usize,
        lines: [&AxisRecipe; 2],
        choices: [Option<&Choice>; 2],
    ) -> Option<LoweredPass> {
        let recipe = self.arrays.recipe;
        let (done, Pass { axis, from, to, .. }) = (&recipe.passes()[..i], &recipe.passes()[i]);
        let [problem, end] = [recipe.problem(), recipe.inverse()?];
        let (ends, axis) = ([*from, *to], *axis);
        let (elements, spectrum) = (ends.map(|id| self.arrays.array(id)), self.arrays.array(SPECTRUM));
        let splits = elements.iter().all(|array| array.complex) && !mixes(lines[0]);
        if choices[0] != choices[1] || mixes(lines[0]) != mixes(lines[1]) {
            return None;
        }
        let there = neighbours(problem, done, axis, &elements[0], |_| true);
        let neighbours = there.filter(|_| there == neighbours(end, &[], axis, &spectrum, |_| true));
        let [input, output] = elements.clone().map(|array| if splits { array.split_parts() } else { array });
        let (limits, precision, arrays) = (self.limits, problem.precision(), [&input, &output]);
        let [there, back] = lines.map(|line| Lines { line, precision, arrays, axis, neighbours });
        let choice = match choices[0] {
            Some(choice) => [&there, &back].iter().all(|lines| lines.check(choice).is_ok()).then(|| choice.clone())?,
            None => there.estimate(limits),
        };
        let elements = [&elements[0], &elements[1], &spectrum];
        let actions = [None, None, self.action];
        let pass = PassLowering { limits, precision, arrays, elements, axis, neighbours, actions, ends };
        [choice.clone(), choice.without_cluster()].iter().find_map(|choice| pass.of_filter([&there, &back], choice))
    }
}

impl PassLowering<'_> {
    fn of_filter(&self, [there, back]: [&Lines; 2], choice: &Choice) -> Option<LoweredPass> {
        let geometry = there.geometry(choice.packing);
        let pipeline = StagePipeline::filter([there.line, back.line], choice, geometry.across())?;
        let mut pass = self.with_pipeline(pipeline, geometry, Some(choice));
        let [desc] = &*pass.descs else { return None };
        if (desc.cluster > 1) != choice.clustered || !desc.suits_whole_lines(self.limits) {
            return None;
        }
        let size = Some([desc.tile, desc.threads]);
        pass.passes = [there, back].map(|lines| Chosen { size, ..lines.chosen(choice) }).into();
        Some(pass)
    }
}

impl StagePipeline {
    /// The stages of a transform to a spectrum and of one from it, which meet in the buffer, if they
    /// do.
    fn filter(lines: [&AxisRecipe; 2], choice: &Choice, across: bool) -> Option<StagePipeline> {
        match lines.map(|line| dft_of(line.transform.transform1d, line.transform.n)) {
            [(Data::Real, n), (Data::Hermitian, m)] if n == m => StagePipeline::real_filter(lines, choice, across),
            [(Data::Complex | Data::ComplexBackward, n), (Data::Complex | Data::ComplexBackward, m)] if n == m => {
                StagePipeline::complex_filter(lines, n, choice, across)
            }
            _ => None,
        }
    }

    fn complex_filter(lines: [&AxisRecipe; 2], len: usize, choice: &Choice, across: bool) -> Option<StagePipeline> {
        let mut pipeline = StagePipeline { radices: choice.radices.clone(), ..StagePipeline::new(choice.packing) };
        pipeline.tables.shares = true;
        let reductions = lines.map(|AxisRecipe { transform, scale, .. }| {
            reduce(transform.transform1d, transform.n, &transform.end_weights, *scale)
        });
        let exchanged = lines.map(|line| line.transform.transform1d == Transform1d::Backward);
        let views = [0, 1].map(|i| {
            let scale = (reductions[i].after.is_empty() && lines[i].scale != 1.0).then_some(lines[i].scale);
            let scale = scale.map(|scale| pipeline.tables.push_reals(&[scale]));
            let [before, after] = [&reductions[i].before, &reductions[i].after].map(|steps| pipeline.combined(steps));
            let view = View { exchanged: exchanged[i], ..View::default() };
            [View { combined: before, ..view.clone() }, View { scale, combined: after, ..view }]
        });
        let [[first, there], [back, last]] = views;
        let combined = match (there.combined, back.combined) {
            (Some(there), Some(back)) => Some(InnerProduct::new(there, back)?),
            (None, None) => None,
            _ => return None,
        };
        pipeline.dft(len, array(first), None);
        let product = ElementProduct { n: len, exchanged, scale: there.scale, combined };
        pipeline.push(StageOp::ElementProduct(product), Port::Buffer, Port::Buffer);
        pipeline.inverse_dft(len, last);
        if !across {
            pipeline.interleave(len, None);
        }
        Some(pipeline)
    }

    fn real_filter([there, back]: [&AxisRecipe; 2], choice: &Choice, across: bool) -> Option<StagePipeline> {
        let complex = there.transform.transform1d == Transform1d::R2C;
        let mut there = StagePipeline::line(there, choice, across, None);
        let (mut stages, mut orders, digits) =
            (take(&mut there.stages), take(&mut there.orders), take(&mut there.digits));
        there.tables.shares = true;
        let mut pipeline = StagePipeline::line(back, choice, across, Some(there));
        let product = match (&stages.last()?.op, &pipeline.stages.first()?.op) {
            (StageOp::HalfSpectraToLine { n, roots, steps }, StageOp::LineToHalfSpectra { n: length, terms, .. })
                if n == length && digits == pipeline.digits =>
            {
                SpectrumProduct::new([*n, *roots], steps, terms, complex)?
            }
            _ => return None,
        };
        let last = stages.len() - 1;
        stages[last] = Stage { op: StageOp::SpectrumProduct(product), from: Port::Buffer, to: Port::Buffer };
        for stage in pipeline.stages.iter_mut().skip(1) {
            if let Port::Array(view) = &mut stage.to {
                view.order = view.order.map(|order| order + orders.len());
            }
        }
        stages.extend(pipeline.stages.drain(1..));
        orders.append(&mut pipeline.orders);
        Some(StagePipeline { stages, orders, ..pipeline })
    }
}

//! A transform, a multiply and a transform back along one axis as one kernel, so that the spectrum
//! needs no trip through memory.

use crate::choose::estimate::{Choice, Chosen, Lines, mixes};
use crate::desc::action::SPECTRUM;
use crate::desc::filter::{ElementProduct, InnerProduct, SignalProduct, SpectrumProduct, SymmetricProduct};
use crate::desc::stage::{Port, StageOp, View};
use crate::lower::arrays::neighbours;
use crate::lower::lowered::LoweredPass;
use crate::lower::passes::{Lowering, PassLowering};
use crate::lower::stages::{StagePipeline, array};
use fourfold::engine::{
    AxisRecipe, AxisTransform, Data, Pass, Reduction, Reorder, Transform1d, dft_of, quarter_length, reduce,
    reduce_from_spectrum, symmetric_last_pass,
};

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
        let may = |other: usize| self.arrays.keeps_pairs(other);
        let there = neighbours(problem, done, axis, &elements[0], may);
        let neighbours = there.filter(|_| there == neighbours(end, &[], axis, &spectrum, may));
        let [input, output] = elements.clone().map(|array| if splits { array.split_parts() } else { array });
        let (device, storage, arrays) = (&self.limits.attributes, problem.storage(), [&input, &output]);
        let [there, back] = lines.map(|line| Lines { line, storage, arrays, axis, neighbours, filters: true });
        let choice = match choices[0] {
            Some(choice) => {
                [&there, &back].iter().all(|lines| lines.check(choice, device).is_ok()).then(|| choice.clone())?
            }
            None => there.estimate(device),
        };
        let elements = [&elements[0], &elements[1], &spectrum];
        let actions = [None, None, self.action];
        let pass = PassLowering { device, storage, arrays, elements, axis, neighbours, actions, ends };
        [choice.clone(), choice.without_cluster()].iter().find_map(|choice| pass.of_filter([&there, &back], choice))
    }
}

impl PassLowering<'_> {
    fn of_filter(&self, [there, back]: [&Lines; 2], choice: &Choice) -> Option<LoweredPass> {
        let geometry = there.geometry(choice.packing);
        let pipeline = StagePipeline::filter([there.line, back.line], choice, geometry.across())?;
        let mut pass = self.with_pipeline(pipeline, geometry, Some(choice));
        let [desc] = &*pass.descs else { return None };
        if (desc.cluster > 1) != choice.clustered || !desc.suits_whole_lines(self.device) {
            return None;
        }
        let size = Some([desc.tile, desc.threads]);
        pass.passes = [there, back].map(|lines| Chosen { size, ..lines.chosen(choice, self.device) }).into();
        Some(pass)
    }
}

impl StagePipeline {
    /// The stages of a transform to a spectrum and of one from it, which meet in the buffer, if they
    /// do.
    fn filter(lines: [&AxisRecipe; 2], choice: &Choice, across: bool) -> Option<StagePipeline> {
        match lines.map(|line| dft_of(line.transform.transform1d, line.transform.n)) {
            [(Data::Real, n), (Data::Hermitian | Data::Real, m)] if n == m => {
                StagePipeline::real_filter(lines, choice, across)
            }
            [(Data::Hermitian, n), (Data::Real, m)] if n == m => StagePipeline::signal_filter(lines, n, choice, across),
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
            let [before, after] = pipeline.combines(&reductions[i]);
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
        pipeline.inverse_dft(len, Some(last));
        if !across {
            pipeline.interleave(len, None);
        }
        Some(pipeline)
    }

    /// Half spectra of the line's reals, which both transforms share.
    fn real_filter([there, back]: [&AxisRecipe; 2], choice: &Choice, across: bool) -> Option<StagePipeline> {
        let complex = there.transform.transform1d == Transform1d::R2C;
        let mut pipeline = StagePipeline::line(there, choice, across, None);
        pipeline.tables.shares = true;
        let AxisTransform { transform1d, n, end_weights, .. } = &back.transform;
        let (data, len) = dft_of(*transform1d, *n);
        let Reduction { reorder, before, .. } = match data {
            Data::Hermitian => reduce(*transform1d, *n, end_weights, back.scale),
            _ => reduce_from_spectrum(*transform1d, *n, end_weights, back.scale)?,
        };
        let order = pipeline.quarters_order(reorder, *n);
        let view = View { order, exchanged: true, kept: kept(reorder, *n), ..View::default() };
        match pipeline.stages.pop()?.op {
            StageOp::HalfSpectraToLine { n, roots, steps } => {
                let before: Vec<_> = before.iter().map(|step| pipeline.step_from_line(step)).collect();
                let product = SpectrumProduct::new((n, roots), &steps, &before, complex)?;
                pipeline.push(StageOp::SpectrumProduct(product), Port::Buffer, Port::Buffer);
                pipeline.inverse_dft(pipeline.packing.elements(len), Some(view));
            }
            StageOp::SymmetricLastPass(there) => {
                let quarter = quarter_length(*transform1d, *n).filter(|quarter| *quarter == there.len)?;
                let rule = symmetric_last_pass(*transform1d, &end_weights.swapped(), back.scale, quarter);
                let product = SymmetricProduct { there, inverse: pipeline.symmetric_last_pass(rule, 1.0) };
                if rule.sine != there.sine {
                    return None;
                }
                pipeline.push(StageOp::SymmetricProduct(product), Port::Buffer, Port::Buffer);
                let factors = pipeline.quarter_digits(quarter);
                pipeline.backward(&factors, Some(View { of_four: true, ..view }));
            }
            _ => return None,
        }
        if !across {
            pipeline.interleave(len, reorder);
        }
        Some(pipeline)
    }

    /// Signals of `len` reals, which both transforms share.
    fn signal_filter(lines: [&AxisRecipe; 2], len: usize, choice: &Choice, across: bool) -> Option<StagePipeline> {
        let [there, back] = lines.map(|AxisRecipe { transform, scale, .. }| {
            reduce(transform.transform1d, transform.n, &transform.end_weights, *scale)
        });
        if there.reorder != back.reorder {
            return None;
        }
        let mut pipeline = StagePipeline { radices: choice.radices.clone(), ..StagePipeline::new(choice.packing) };
        pipeline.tables.shares = true;
        let n = pipeline.packing.elements(len);
        pipeline.push_half_spectra(len, &there);
        pipeline.inverse_dft(n, None);
        let product = SignalProduct { n, order: pipeline.order(there.reorder, len) };
        pipeline.push(StageOp::SignalProduct(product), Port::Buffer, Port::Buffer);
        pipeline.real(len, &back, Port::Buffer);
        if !across {
            pipeline.interleave(len, None);
        }
        Some(pipeline)
    }
}

/// See [`View::kept`]: the numbers of an extension that are the line.
fn kept(reorder: Option<Reorder>, n: usize) -> Option<[usize; 2]> {
    match reorder? {
        Reorder::EvenExtension { .. } => Some([0, n]),
        Reorder::OddExtension => Some([1, n + 1]),
        Reorder::EvenOdd(_) | Reorder::Fold { .. } => None,
    }
}

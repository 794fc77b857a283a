//! A line as one convolution, by Bluestein's rule.
//!
//! A line that shared memory has no room for would go through memory once for every stage, if a
//! digit of it is convolved. As one convolution, its ranges of digits are kernels: the first ones
//! lead to the spectrum, one in the middle multiplies it, and the first ones in reverse lead back.
//!
//! With nk = (n² + k² − (k − n)²)/2 and c_j = exp(−πi j²/N), X_k = c_k Σ_n (x_n c_n) c̄_{k−n}. Of A
//! numbers and B results, a cyclic convolution of length M ≥ A + B − 1 is long enough:
//! - of reals, the results are the terms k ≤ N/2, and 3N/2 is enough;
//! - back to reals, x_n = Re (c_n Σ_k (a_k c_k) c̄_{n−k}) with the terms k ≤ N/2 as a_k, which count
//!   twice between the ends: 3N/2 again; but of an even number, as N/2 complex ones, N is enough. A DHT is its own
//!   transpose, and so may lead back to reals, too;
//! - of a symmetric extension, see below.
//!
//! **Half a spectrum.** Element n stands at place p = n + s, and result k at place q = k + t. The fewer of both are moved
//! by half of the difference of A and B, rounded down, and the others by 0. So nk = (p² − 2tp + q² − 2sq − (q − p)²)/2.
//! What is read is multiplied by exp(−πi p(p − 2t)/N), and what is written by exp(−πi q(q − 2s)/N). Then q − p reaches
//! equally far to both sides, or one farther to one side. So the sequence between may be even, and its spectrum too: half
//! of it is in the table, and comes from memory.
//!
//! **Types I.** Of the extension of 2L numbers, y_0 … y_L are given, and terms k ≤ L are wanted: C_k = Σ_e 2y_e
//! cos(πek/L), where y_0 and y_L count once, and S_k with sines. Let w = exp(−2πi/L). Cosines and sines are sums of
//! exponentials w^{±ek/2}. For k = 2j the one of −e is that of L − e. For k = 2j + 1 it has the other sign, since
//! w^{L/2} = −1. So there are two sums over e < L:
//!
//! - C_{2j} + i C_{2j+1} = Σ_e ((y_e + y_{L−e}) + i(y_e − y_{L−e}) w^{e/2}) w^{ej}.
//! - S_{2j} + i S_{2j+1} = i Σ_e ((y_e − y_{L−e}) + i(y_e + y_{L−e}) w^{e/2}) w^{ej}.
//!
//! This is a complex DFT of L numbers, of which the first half of the results is wanted: 3L/2. (As real data, the y
//! would need 2L.)

use crate::choose::convolution::ConvolutionRanges;
use crate::choose::estimate::{Choice, Lines};
use crate::choose::radices::radices;
use crate::desc::chirp::{Chirp, Chirped};
use crate::desc::kernel::{Digit, KernelDesc, Packing};
use crate::desc::stage::{Order, Piece, Port, Split, StageOp, View};
use crate::desc::table::{Angles, RootTable};
use crate::lower::combines::List;
use crate::lower::lowered::LoweredPass;
use crate::lower::passes::PassLowering;
use crate::lower::stages::{Ranges, StagePipeline, array};
use crate::lower::tables::Entry;
use fourfold::engine::{
    AxisRecipe, AxisTransform, Data, Factor, Index, Reduction, Reorder, Transform1d, dft_of, reduce,
    reduce_from_spectrum,
};

/// Columns that take so many times as long as they could take longer than one convolution in three kernels. (On an
/// H200, of 17 such columns three kernels took 0.45 to 0.97 of the time, as `dct3 f32 4409x600 axes=0` 105 to 49 µs. Of
/// 41 other columns and rows they took 0.83 to 2.34.)
const SLOWER_THAN_CONVOLUTIONS: f64 = 2.7;

/// What a convolution reads and computes.
pub(crate) struct LineConvolution {
    data: Data,
    /// The length of the DFT; half of it for a symmetric extension, and back to an even number of reals.
    len: usize,
    pub(crate) packing: Packing,
    /// Of a symmetric extension, whether that is odd.
    extension: Option<bool>,
    reduction: Reduction,
    /// Numbers that it reads, and those that it computes.
    pub(crate) counts: [usize; 2],
}

impl LineConvolution {
    pub(crate) fn new(line: &AxisRecipe) -> LineConvolution {
        let AxisTransform { transform1d, n, ref end_weights, .. } = line.transform;
        let (data, len) = dft_of(transform1d, n);
        let back = match transform1d {
            Transform1d::Dht if n % 2 == 0 => reduce_from_spectrum(transform1d, n, end_weights, line.scale),
            _ => None,
        };
        let (data, reduction) = match back {
            Some(reduction) => (Data::Hermitian, reduction),
            None => (data, reduce(transform1d, n, end_weights, line.scale)),
        };
        let extension = match reduction.reorder {
            Some(Reorder::EvenExtension { .. }) => Some(false),
            Some(Reorder::OddExtension) => Some(true),
            _ => None,
        };
        let packing = match data {
            Data::Complex | Data::ComplexBackward => Packing::Complex,
            Data::Hermitian if len % 2 == 0 => Packing::HalfLength,
            Data::Real | Data::Hermitian => Packing::Single,
        };
        let len = if packing == Packing::HalfLength || extension.is_some() { len / 2 } else { len };
        let half = len / 2 + 1;
        let counts = match (packing, data) {
            (Packing::Single, Data::Hermitian) => [half, len],
            (Packing::Single, _) => [len, half],
            _ => [len; 2],
        };
        LineConvolution { data, len, packing, extension, reduction, counts }
    }

    /// By how many places the fewer elements are moved.
    fn moved(&self) -> usize {
        self.counts[0].abs_diff(self.counts[1]) / 2
    }

    /// The farthest that a result is from an element.
    fn extent(&self) -> usize {
        self.counts[0].max(self.counts[1]) - 1 - self.moved()
    }

    /// Its least length. If A − B is odd, results are `extent` away to one side only, where the sequence also has what
    /// stands to the other side.
    fn least(&self) -> usize {
        self.counts[0] + self.counts[1] - 1
    }

    /// Of the elements that are read, or (`end` 1) written: the place of the first one, and the shift of the chirp.
    fn first_and_shift(&self, end: usize) -> (usize, usize) {
        let moved = self.moved();
        match self.counts[end] < self.counts[1 - end] {
            true => (moved, 0),
            // −2 · moved, modulo the chirp's period.
            false => (0, (2 * self.len - 2 * moved) % (2 * self.len)),
        }
    }
}

impl PassLowering<'_> {
    /// Whether lines are better convolved as a whole than digit by digit: these kernels go through memory for every
    /// stage, or one that convolves is slow. Then too few blocks have all the work, or columns take much longer than they
    /// could. A choice of one kernel overrules the latter, and so does one of as many as such a convolution has, where
    /// digits are not shared among so many.
    pub(crate) fn suits_line_convolution(&self, descs: &[KernelDesc], choice: &Choice) -> bool {
        let is_slow = |desc: &KernelDesc| match choice.size.kernels {
            Some(1) => false,
            Some(3 | 5) if descs.len() == 1 => true,
            _ => {
                self.device.is_busy_for_long(desc) || self.device.slowness_of_columns(desc) >= SLOWER_THAN_CONVOLUTIONS
            }
        };
        descs.iter().any(|desc| !desc.shared || desc.convolves() && is_slow(desc))
    }

    /// Lines as one convolution each, if the device has room for its ranges of digits.
    pub(crate) fn line_convolution(&self, lines: &Lines, choice: &Choice) -> Option<LoweredPass> {
        let rule = LineConvolution::new(lines.line);
        let geometry = lines.geometry(rule.packing);
        let complex = 2 * self.storage.precision().bytes();
        let across = geometry.across() && geometry.lines() > 1;
        let line = if across { geometry.line_bytes(self.storage) } else { complex };
        let strided = self.device.short_run().div_ceil(line) * complex;
        let places = [strided, if across { strided } else { complex }];
        // All ranges but the last have a kernel there and one back.
        let wanted = choice.size.kernels.map(|kernels| kernels.div_ceil(2));
        let precision = self.storage.precision();
        let lengths = self.device.convolution_ranges(rule.least(), places, precision, wanted, across)?;
        let is_better = || wanted.is_none() && self.device.prefers_clusters(&lengths, places, precision);
        let tries = !across && (choice.clustered || is_better());
        let clustered = tries.then(|| self.device.clustered_ranges(rule.least(), precision)).flatten();
        let usual = ConvolutionRanges { digits: lengths.into_iter().map(radices).collect(), clustered: false };
        let lowered = |ranges: ConvolutionRanges| {
            let mut pipeline = StagePipeline::line_convolution(lines.line, &rule, &ranges.digits);
            let desc = self.on_whole_lines(&mut pipeline, geometry.clone());
            let descs = desc.convolution_kernels(self.device, &ranges, choice.size.of_each())?;
            let descs = self.device.with_pair_distance(descs);
            Some(pipeline.lowered(descs, self.ends, vec![lines.chosen(choice, self.device)]))
        };
        let keeps = |pass: &LoweredPass| pass.descs.iter().all(|desc| self.device.keeps_between_strips(desc));
        clustered.and_then(lowered).filter(|pass| choice.clustered || keeps(pass)).or_else(|| lowered(usual))
    }
}

impl StagePipeline {
    /// The stages of the line, whose ranges of digits have these lengths.
    pub(crate) fn line_convolution(line: &AxisRecipe, rule: &LineConvolution, digits: &[Vec<usize>]) -> StagePipeline {
        let mut pipeline = StagePipeline { uses_bluestein: true, ..StagePipeline::new(rule.packing) };
        let radices = digits.concat();
        pipeline.digits = radices.iter().map(|&radix| Digit { radix, room: radix, stages: 1 }).collect();
        let factors: Vec<_> = radices.iter().copied().map(Factor::Radix).collect();
        // The convolution's first range and its last one have the line's elements.
        let cuts: Vec<usize> = (1..digits.len()).map(|i| digits[..i].iter().map(Vec::len).sum()).collect();
        pipeline.ranges = Ranges { cuts: cuts.clone(), strides: [digits.iter().skip(1).flatten().product(); 2] };
        let views = pipeline.views(line, rule);
        let mut splits = pipeline.splits(&factors, 1, &cuts);
        let first = cuts.last().copied().unwrap_or(0);
        let spectrum = Entry::ChirpSpectrum { n: rule.len, extent: rule.extent(), radices, first };
        let spectrum = pipeline.tables.push_pairs(spectrum);
        let Some(last) = splits.pop() else { unreachable!("a convolution has digits") };
        for split in &splits {
            pipeline.push(StageOp::Butterflies(*split), Port::Buffer, Port::Buffer);
        }
        pipeline.push(StageOp::ConvolveLine { split: last, spectrum }, Port::Buffer, Port::Buffer);
        for split in splits.iter().rev() {
            let split = Split { inverse: true, ..*split };
            pipeline.push(StageOp::Butterflies(split), Port::Buffer, Port::Buffer);
        }
        let [from, to] = views.map(array);
        if let [first, .., last] = &mut *pipeline.stages {
            (first.from, last.to) = (from, to);
        }
        pipeline
    }

    /// What the elements are that are read, and those that are written.
    fn views(&mut self, line: &AxisRecipe, rule: &LineConvolution) -> [View; 2] {
        let LineConvolution { data, len, packing, extension, ref reduction, counts, .. } = *rule;
        let radices: Vec<usize> = self.digits.iter().map(|digit| digit.radix).collect();
        let step: usize = radices[1..].iter().product();
        let ends = [0, 1].map(|end| rule.first_and_shift(end));
        let tables = self.chirp_tables(len, ends.map(|(_, shift)| shift), step);
        let powers = (0..usize::BITS).map(|bit| 1 << bit).take_while(|power| *power < radices[0]);
        let powers: Vec<RootTable> = powers.map(|power| self.power(len, step, power)).collect();
        let chirp = |end: usize, elements: Chirped| {
            let ((first, shift), table, count, powers) = (ends[end], tables[end], counts[end], powers.clone());
            Some(Box::new(Chirp { n: len, first, count, step, shift, table, powers, elements }))
        };
        let elements = |end: usize| chirp(end, Chirped::Elements);
        let n = line.transform.n;
        match data {
            Data::Complex | Data::ComplexBackward => {
                let exchanged = data == Data::ComplexBackward;
                let scale = (reduction.after.is_empty() && line.scale != 1.0).then_some(line.scale);
                let scale = scale.map(|scale| self.tables.push_reals(&[scale]));
                let [before, after] = self.combines(reduction);
                let from = View { exchanged, combined: before, chirp: elements(0), ..View::default() };
                [from, View { exchanged, scale, combined: after, chirp: elements(1), ..View::default() }]
            }
            Data::Real => {
                let steps = reduction.after.iter().map(|step| self.combine_step(step, 1.0)).collect();
                let (order, from, to) = match extension {
                    Some(odd) => {
                        let shift = ends[0].1 + 1;
                        let table = self.tables.push_pairs(Entry::Chirp { n: len, shift, count: step });
                        let to = Chirped::TermPairs { odd, terms: len + 1, steps };
                        (self.extension_order(reduction, n, len), Chirped::Folded { odd, table }, to)
                    }
                    None => (self.order(reduction.reorder, n), Chirped::Elements, Chirped::TermsToLine(steps)),
                };
                let from = View { order, chirp: chirp(0, from), ..View::default() };
                [from, View { chirp: chirp(1, to), ..View::default() }]
            }
            Data::Hermitian => {
                let half = self.half_spectra(&reduction.before);
                let terms = match packing {
                    Packing::HalfLength => Chirped::PairsOfLine { n, roots: self.roots(n), half },
                    _ => Chirped::TermsOfLine { n, half },
                };
                let from = View { chirp: chirp(0, terms), ..View::default() };
                let order = self.order(reduction.reorder, n);
                [from, View { order, exchanged: true, chirp: elements(1), ..View::default() }]
            }
        }
    }

    /// The chirps of both ends: one table, if they are the same.
    fn chirp_tables(&mut self, n: usize, [before, after]: [usize; 2], count: usize) -> [usize; 2] {
        let mut table = |shift: usize| self.tables.push_pairs(Entry::Chirp { n, shift, count });
        let first = table(before);
        [first, if after == before { first } else { table(after) }]
    }

    /// The roots exp(−2πi e · `power` · `step`/n) for e < `step`.
    fn power(&mut self, n: usize, step: usize, power: usize) -> RootTable {
        let first = power * step % n;
        let angles = Angles { first: 0, step: first as i64, order: n as u64 };
        self.root_table(step, self.ranges.strides[0], angles, |List { count, every, .. }| Entry::Roots {
            order: n,
            step: every * first % n,
            count,
        })
    }

    /// The first half of an extension, up to number `last`.
    fn extension_order(&mut self, reduction: &Reduction, n: usize, last: usize) -> Option<usize> {
        let runs = reduction.reorder?.runs(n);
        let piece = |first: usize| {
            let run = runs.iter().rev().find(|run| run.first <= first)?;
            let start = run.place.start - run.first as isize * run.place.step;
            Some(Piece { first, index: Index { start, step: run.place.step }, factor: run.factor })
        };
        let pieces = [0, 1, last].map(piece);
        self.orders.push(Order { pieces: pieces.into_iter().collect::<Option<_>>()? });
        Some(self.orders.len() - 1)
    }
}

//! A transform along an axis as a pipeline of stages: the core's reductions, laid out for kernels.
//!
//! All DFTs are complex and forward. Real lines are packed ([`Packing`]); a backward DFT is a
//! forward one between two exchanges of the parts. Data become a spectrum by stages from the first
//! digit to the last, half spectra become data by those stages in reverse.

use crate::choose::estimate::Choice;
use crate::choose::radices::{LARGEST, gpu_factors, powers_of_four, radices, smooth};
use crate::desc::combine::{Matrix, SymmetricLastPass};
use crate::desc::kernel::{Digit, Packing, values};
use crate::desc::stage::{Order, Port, Rader, Split, Stage, StageOp, View};
use crate::lower::tables::{Entry, TableLayout};
use fourfold::engine::{
    AxisRecipe, Data, Factor, Index, Reduction, Reorder, Step, SymmetricLastPass as LastPassRule, Transform1d, dft_of,
    quarter_length, reduce, symmetric_last_pass,
};
use std::f64::consts::SQRT_2;

/// Stages of a pass, and the layout of their tables.
pub(crate) struct StagePipeline {
    pub(crate) stages: Vec<Stage>,
    pub(crate) digits: Vec<Digit>,
    pub(crate) packing: Packing,
    /// Whether a spectrum becomes a signal.
    pub(crate) inverse: bool,
    pub(crate) orders: Vec<Order>,
    pub(crate) tables: TableLayout,
    pub(crate) uses_bluestein: bool,
    /// Of the DFT's butterflies.
    pub(crate) radices: Vec<usize>,
    /// Those of kernels that do not have whole lines.
    pub(crate) ranges: Ranges,
}

/// How kernels on ranges of digits divide a line.
#[derive(Clone, Default)]
pub(crate) struct Ranges {
    /// The first digits of the ranges after the first.
    pub(crate) cuts: Vec<usize>,
    /// How far the elements of a kernel are apart: of one that reads or writes a signal, or a spectrum.
    pub(crate) strides: [usize; 2],
}

/// About the bytes that making a line's tables takes: twiddles, orders and combines of reals, and
/// for convolutions spectra in double-double numbers.
pub(crate) fn table_bytes(line: &AxisRecipe) -> usize {
    let (_, len) = dft_of(line.transform.transform1d, line.transform.n);
    let factors = gpu_factors(len, &radices(smooth(len, LARGEST)));
    let rooms = factors.iter().map(|factor| Digit::of(factor).room).fold(1, usize::saturating_mul);
    let convolves = factors.iter().any(|factor| !matches!(factor, Factor::Radix(_)));
    match line.transform.transform1d {
        _ if convolves => rooms.saturating_mul(128),
        // A list of twiddles grows beside the table: its old and its new memory are there at once.
        Transform1d::Forward | Transform1d::Backward => rooms.saturating_mul(80),
        // Even DCT-IV and DST-IV have DFTs of half their length, and combines before and after.
        _ => rooms.max(line.transform.n).saturating_mul(144),
    }
}

impl StagePipeline {
    /// So many elements as they are.
    pub(crate) fn copy(elements: usize, complex: bool) -> StagePipeline {
        let packing = if complex { Packing::Complex } else { Packing::Single };
        let mut pipeline = StagePipeline::new(packing);
        pipeline.push(StageOp::Copy(elements), array(View::default()), array(View::default()));
        pipeline
    }

    /// A transform along lines. Its tables follow those of the pass that the same kernel begins
    /// with, if there is one, or are those of the ranges of digits that `before` names.
    pub(crate) fn line(
        line: &AxisRecipe,
        choice: &Choice,
        across: bool,
        before: Option<StagePipeline>,
    ) -> StagePipeline {
        let mut pipeline = StagePipeline { radices: choice.radices.clone(), ..StagePipeline::new(choice.packing) };
        if let Some(StagePipeline { tables, uses_bluestein, ranges, .. }) = before {
            pipeline = StagePipeline { tables, uses_bluestein, ranges, ..pipeline };
        }
        let (transform, n) = (line.transform.transform1d, line.transform.n);
        let (data, len) = dft_of(transform, n);
        let reduction = reduce(transform, n, &line.transform.end_weights, line.scale);
        match data {
            Data::Complex | Data::ComplexBackward => {
                let scale = (reduction.after.is_empty() && line.scale != 1.0).then_some(line.scale);
                pipeline.complex(len, &reduction, data == Data::ComplexBackward, scale);
            }
            Data::Real => match quarter_length(transform, n) {
                Some(quarter) => pipeline.quarters(line, quarter, &reduction),
                None => {
                    let view = View { order: pipeline.order(reduction.reorder, n), ..View::default() };
                    pipeline.real(len, &reduction, array(view));
                }
            },
            Data::Hermitian => {
                pipeline.push_half_spectra(len, &reduction);
                let view = View { order: pipeline.order(reduction.reorder, n), exchanged: true, ..View::default() };
                pipeline.inverse_dft(pipeline.packing.elements(len), Some(view));
            }
        }
        match across {
            true => pipeline.without_copies(),
            false => pipeline.interleave(len, reduction.reorder),
        }
        pipeline
    }

    pub(crate) fn new(packing: Packing) -> StagePipeline {
        StagePipeline {
            stages: vec![],
            digits: vec![],
            packing,
            inverse: false,
            orders: vec![],
            tables: TableLayout::default(),
            uses_bluestein: false,
            radices: vec![],
            ranges: Ranges::default(),
        }
    }

    /// Complex places of a line's buffer.
    pub(crate) fn places(&self) -> usize {
        self.digits.iter().map(|digit| digit.room).product()
    }

    pub(crate) fn push(&mut self, op: StageOp, from: Port, to: Port) {
        self.stages.push(Stage { op, from, to });
    }

    /// Complex data, between the combines if there are any.
    fn complex(&mut self, len: usize, reduction: &Reduction, exchanged: bool, scale: Option<f64>) {
        let scale = scale.map(|scale| self.tables.push_reals(&[scale]));
        let [before, after] = self.combines(reduction);
        let from = View { exchanged, combined: before, ..View::default() };
        let to = View { exchanged, scale, combined: after, ..View::default() };
        self.dft(len, array(from), Some(to));
    }

    /// The reals and the matrices of the one step each that combines of complex data are, before the DFT
    /// and after it.
    pub(crate) fn combines(&mut self, reduction: &Reduction) -> [Option<([Index; 2], Matrix)>; 2] {
        let [signal, spectrum] = self.ranges.strides;
        [(&reduction.before, signal), (&reduction.after, spectrum)].map(|(steps, stride)| {
            let [Step::Rotate(rotation)] = &**steps else { return None };
            Some((rotation.line, self.rotations(rotation, 1.0, stride)))
        })
    }

    /// Signals of `len` reals to half spectra, and on.
    pub(crate) fn real(&mut self, len: usize, reduction: &Reduction, from: Port) {
        self.dft(self.packing.elements(len), from, None);
        // Neighbours: the sums and differences of terms are twice their half spectra.
        let half = if self.packing == Packing::TwoForOne { 0.5 } else { 1.0 };
        let steps = reduction.after.iter().map(|step| self.combine_step(step, half)).collect();
        let roots = self.roots(len);
        self.push(StageOp::HalfSpectraToLine { n: len, roots, steps }, Port::Buffer, array(View::default()));
    }

    /// Three quarters, of `len` reals each, of an extension in the order of `whole`.
    fn quarters(&mut self, line: &AxisRecipe, len: usize, whole: &Reduction) {
        let n = line.transform.n;
        let view = View { order: self.quarters_order(whole.reorder, n), of_four: true, ..View::default() };
        let factors = self.quarter_digits(len);
        self.forward(&factors, array(view));
        let rule = symmetric_last_pass(line.transform.transform1d, &line.transform.end_weights, line.scale, len);
        // Two lines as one have sums and differences of terms, twice their half spectra.
        let half = if self.packing == Packing::TwoForOne { 0.5 } else { 1.0 };
        let pass = self.symmetric_last_pass(rule, half);
        self.push(StageOp::SymmetricLastPass(pass), Port::Buffer, array(View::default()));
    }

    /// The digits of three quarters, and the factors of one. Which quarter an element belongs to is the
    /// last digit, of which no DFT is done.
    pub(crate) fn quarter_digits(&mut self, len: usize) -> Vec<Factor> {
        let factors = self.digits_of(self.packing.elements(len));
        let quarters = self.packing.quarters();
        self.digits.push(Digit { radix: quarters, room: quarters, stages: 0 });
        factors
    }

    /// The rule times a factor, with the places of its coefficients.
    pub(crate) fn symmetric_last_pass(&mut self, rule: LastPassRule, factor: f64) -> SymmetricLastPass {
        let scales = [1.0, SQRT_2, rule.end_weights[0], rule.end_weights[1]].map(|by| factor * by * rule.scale);
        let roots = self.roots(rule.len);
        let scales = self.tables.push_pairs(Entry::Reals(scales.to_vec()));
        let table = match self.packing {
            Packing::Quarters => 0,
            _ => self.tables.push_pairs(Entry::SymmetricLastPass(rule, factor)),
        };
        SymmetricLastPass { sine: rule.sine, len: rule.len, roots, scales, table }
    }

    /// Half spectra of `n` reals in the buffer.
    pub(crate) fn push_half_spectra(&mut self, n: usize, reduction: &Reduction) {
        let terms = self.half_spectra(&reduction.before);
        let roots = self.roots(n);
        self.push(StageOp::LineToHalfSpectra { n, roots, terms }, array(View::default()), Port::Buffer);
    }

    /// Has neighbours read and written together, where the first or the last stage takes every
    /// second real of lines along memory. (Reals that are elements as they are, are read no faster
    /// so.)
    pub(crate) fn interleave(&mut self, len: usize, reorder: Option<Reorder>) {
        let halves = self.has_halves(len, reorder);
        let halved = |stage: &Stage, port: &Port| {
            let Port::Array(view) = port else { return false };
            let is_seen = view.order.is_some() || view.combined.is_some();
            halves && is_seen && matches!(stage.op, StageOp::Butterflies(_) | StageOp::Copy(_))
        };
        let (count, last) = (self.places(), self.stages.len() - 1);
        let read = halved(&self.stages[0], &self.stages[0].from);
        let written = halved(&self.stages[last], &self.stages[last].to);
        let mut combined = false;
        if let Port::Array(view) = &mut self.stages[0].from {
            (view.halves, combined) = (read, view.combined.is_some());
        }
        if let Port::Array(view) = &mut self.stages[last].to {
            view.halves = written;
        }
        let in_pairs = count % 2 == 0 || matches!(self.packing, Packing::Complex | Packing::HalfLength);
        if written {
            let op = if in_pairs { StageOp::Interleave(count) } else { StageOp::LineOrder(count) };
            match &mut self.stages[last] {
                Stage { op: copy @ StageOp::Copy(_), from: Port::Buffer, .. } => *copy = op,
                stage => {
                    let to = std::mem::replace(&mut stage.to, Port::Buffer);
                    self.push(op, Port::Buffer, to);
                }
            }
        }
        if read && combined {
            let op = StageOp::Interleave(count);
            match &mut self.stages[0] {
                Stage { op: copy @ StageOp::Copy(_), to: Port::Buffer, .. } => *copy = op,
                stage => {
                    let from = std::mem::replace(&mut stage.from, Port::Buffer);
                    self.stages.insert(0, Stage { op, from, to: Port::Buffer });
                }
            }
        }
    }

    /// Whether elements from both ends of a line inwards have neighbouring reals: those of types II
    /// and III, whose reals are even places ascending, then odd places descending, and the complex
    /// ones of types IV, each of an even place and of an odd one from the end. Two reals have no
    /// order. Of an odd number, the one in the middle has its own.
    fn has_halves(&self, len: usize, reorder: Option<Reorder>) -> bool {
        let has = match (self.packing, reorder) {
            (Packing::Complex, _) => len > 1,
            (_, Some(Reorder::EvenOdd(_))) => len > 2,
            _ => false,
        };
        has && self.places() == self.packing.elements(len)
    }

    /// From a signal to a spectrum; without an array to write to, this stays in the buffer.
    pub(crate) fn dft(&mut self, len: usize, from: Port, to: Option<View>) {
        let factors = self.digits_of(len);
        self.forward(&factors, from);
        let Some(to) = to else { return };
        match self.stages.last_mut() {
            Some(stage) if matches!(stage.op, StageOp::Butterflies(Split { inverse: false, rader: None, .. })) => {
                stage.to = array(to)
            }
            _ => self.push(StageOp::Copy(len), Port::Buffer, array(to)),
        }
    }

    /// The DFTs of all digits that have a factor, into the buffer.
    fn forward(&mut self, factors: &[Factor], mut from: Port) {
        if !matches!(factors.first(), Some(Factor::Radix(_) | Factor::Bluestein(..))) {
            let all = StageOp::Copy(self.elements());
            self.push(all, std::mem::replace(&mut from, Port::Buffer), Port::Buffer);
        }
        for i in 0..factors.len() {
            let from = std::mem::replace(&mut from, Port::Buffer);
            self.digit(factors, i, false, from);
        }
    }

    /// From a spectrum in the buffer to a signal; without an array to write to, this stays in the
    /// buffer.
    pub(crate) fn inverse_dft(&mut self, len: usize, to: Option<View>) {
        let factors = self.digits_of(len);
        self.backward(&factors, to);
    }

    /// The DFTs of all digits that have a factor, in reverse.
    pub(crate) fn backward(&mut self, factors: &[Factor], to: Option<View>) {
        self.inverse = true;
        for i in (0..factors.len()).rev() {
            self.digit(factors, i, true, Port::Buffer);
        }
        let Some(to) = to else { return };
        match (factors.first(), self.stages.last_mut()) {
            (Some(Factor::Radix(_) | Factor::Bluestein(..)), Some(stage)) => stage.to = array(to),
            _ => self.push(StageOp::Copy(self.elements()), Port::Buffer, array(to)),
        }
    }

    /// Elements of a line.
    fn elements(&self) -> usize {
        values(&self.digits)
    }

    fn digits_of(&mut self, len: usize) -> Vec<Factor> {
        let factors = gpu_factors(len, &self.radices);
        self.digits = factors.iter().map(Digit::of).collect();
        factors
    }

    /// The DFTs of digit `i`.
    fn digit(&mut self, factors: &[Factor], i: usize, inverse: bool, from: Port) {
        let groups: usize = self.digits[i + 1..].iter().map(|digit| digit.room).product();
        let before = lengths(&factors[..i]);
        let inner = before.iter().product();
        let (radix, cut) = (factors[i].length(), first_digit(&self.ranges.cuts, i));
        match &factors[i] {
            Factor::Radix(_) => {
                let twiddles = self.twiddles(&before, cut, radix, powers_of_four(radix));
                let split = Split { radix, groups, inner, twiddles, inverse, rader: None };
                self.push(StageOp::Butterflies(split), from, Port::Buffer);
            }
            Factor::Rader(_, parts) => {
                let twiddles = self.twiddles(&before, cut, radix, 1..radix);
                self.rader(
                    parts,
                    Rader { length: radix - 1, powers: 0, groups, inner, twiddles: Some(twiddles) },
                    inverse,
                );
            }
            Factor::Bluestein(_, parts) => self.bluestein(radix, parts, groups, from),
            Factor::Direct(_) => unreachable!("primes are convolutions here"),
        }
    }
}

/// The first digit of the range that has digit `i`, of ranges that begin with digit 0 and the `cuts`.
pub(crate) fn first_digit(cuts: &[usize], i: usize) -> usize {
    cuts.iter().copied().filter(|&cut| cut <= i).max().unwrap_or(0)
}

pub(crate) fn lengths(factors: &[Factor]) -> Vec<usize> {
    factors.iter().map(Factor::length).collect()
}

pub(crate) fn array(view: View) -> Port {
    Port::Array(view)
}

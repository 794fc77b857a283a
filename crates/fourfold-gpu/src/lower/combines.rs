//! Combines and orders of a stage pipeline, with the places of their coefficients.

use crate::desc::combine::{CombineStep, HalfSpectra, Matrix};
use crate::desc::kernel::Packing;
use crate::desc::stage::{Order, Piece};
use crate::desc::table::{Angles, RootTable};
use crate::lower::stages::StagePipeline;
use crate::lower::tables::Entry;
use fourfold::engine::{Index, Reorder, Rotation, Run, SpectrumTerms, Step, Twiddles};

/// `count` roots, every so many one. The first factor of a product is high.
pub(crate) struct List {
    pub(crate) count: usize,
    pub(crate) every: usize,
    is_high: bool,
}

impl StagePipeline {
    /// A step after a DFT of reals, times a factor.
    pub(crate) fn combine_step(&mut self, step: &Step, factor: f64) -> CombineStep {
        let (count, to) = (step.count(), step.line());
        let mut by = |by: f64| self.tables.push_reals(&[by * factor]);
        match *step {
            Step::Zero { .. } => CombineStep::Zero { to: to[0] },
            Step::End { last, by: value, .. } => CombineStep::End { last, to: to[0], by: by(value) },
            Step::Part { part, by: value, .. } => CombineStep::Part { part, count, to: to[0], by: by(value) },
            Step::Scale { .. } | Step::Hartley { .. } => {
                CombineStep::Inner { first: 1, step: 1, count, to, matrix: self.matrix(step, factor) }
            }
            Step::Rotate(Rotation { terms: SpectrumTerms::Half { first, step: every }, .. }) => {
                CombineStep::Inner { first, step: every, count, to, matrix: self.matrix(step, factor) }
            }
            Step::Rotate(Rotation { terms: SpectrumTerms::Complex, .. }) => unreachable!("reals have half spectra"),
        }
    }

    /// A step from the line to half spectra.
    pub(crate) fn step_from_line(&mut self, step: &Step) -> CombineStep {
        match *step {
            Step::Hartley { count, line, by } => {
                let [a, b, c, d] = Step::hartley(by);
                let matrix = Matrix::Same(self.tables.push_reals(&[a, c, b, d]));
                CombineStep::Inner { first: 1, step: 1, count, to: line, matrix }
            }
            _ => self.combine_step(step, 1.0),
        }
    }

    /// What makes half spectra.
    pub(crate) fn half_spectra(&mut self, steps: &[Step]) -> HalfSpectra {
        let mut terms = HalfSpectra { first: None, inner: None, last: None };
        for step in steps {
            match step {
                Step::Zero { .. } => {}
                Step::End { last: false, place, by } => terms.first = Some((*place, self.tables.push_reals(&[*by]))),
                Step::End { last: true, place, by } => terms.last = Some((*place, self.tables.push_reals(&[*by]))),
                _ => match self.step_from_line(step) {
                    CombineStep::Inner { to, matrix, .. } => terms.inner = Some((to, matrix)),
                    other => unreachable!("half spectra are not made of {other:?}"),
                },
            }
        }
        terms
    }

    /// What a step does to pairs of numbers, times a factor.
    fn matrix(&mut self, step: &Step, factor: f64) -> Matrix {
        match step {
            Step::Rotate(rotation) => self.rotations(rotation, factor, self.ranges.strides[1]),
            Step::Hartley { by, .. } => Matrix::Same(self.tables.push_reals(&Step::hartley(by * factor))),
            Step::Scale { by, .. } => Matrix::Same(self.tables.push_reals(&[by * factor, 0.0, 0.0, by * factor])),
            Step::Zero { .. } | Step::End { .. } | Step::Part { .. } => unreachable!("a step of single numbers"),
        }
    }

    /// Rotations, times a factor, of a kernel with every so many element.
    pub(crate) fn rotations(&mut self, rotation: &Rotation, factor: f64, stride: usize) -> Matrix {
        match rotation.count {
            1 => Matrix::Same(self.tables.push(Entry::Rotation(*rotation, factor))),
            _ => {
                let Twiddles { order, first, step } = rotation.twiddles;
                // The table has (cos θ, sin θ).
                let angles = Angles { first: -(first as i64), step: -step, order };
                let table = self.root_table(rotation.count, stride, angles, |List { count, every, is_high }| {
                    let first = if is_high { first } else { 0 };
                    let twiddles = Twiddles { first, step: step * every as i64, order };
                    let (by, factor) = if is_high { (rotation.by, factor) } else { (1.0, 1.0) };
                    Entry::Rotations(Rotation { count, twiddles, by, ..*rotation }, factor)
                });
                if rotation.conjugate { Matrix::Reflections(table) } else { Matrix::Rotations(table) }
            }
        }
    }

    /// The number of the order in which the real side of the DFT stands in lines of `n` elements,
    /// if it is not theirs.
    pub(crate) fn order(&mut self, reorder: Option<Reorder>, n: usize) -> Option<usize> {
        self.orders.push(Order { pieces: reorder?.runs(n).iter().map(piece).collect() });
        Some(self.orders.len() - 1)
    }

    /// The same of quarters of an extension. Those of odd length h that are packed as two have numbers up
    /// to 6h of the extension, which repeats after 4h.
    pub(crate) fn quarters_order(&mut self, reorder: Option<Reorder>, n: usize) -> Option<usize> {
        let order = self.order(reorder, n)?;
        if self.packing == Packing::Quarters {
            let length = reorder?.runs(n).iter().map(|run| run.count).sum::<usize>();
            let pieces = &mut self.orders[order].pieces;
            let again = |piece: &Piece| {
                let Piece { first, index: Index { start, step }, factor } = *piece;
                Piece { first: first + length, index: Index { start: start - length as isize * step, step }, factor }
            };
            pieces.extend(pieces.iter().map(again).collect::<Vec<_>>());
        }
        Some(order)
    }

    /// w_n^k for 0 ≤ k < n/2, if reals are packed in pairs.
    pub(crate) fn roots(&mut self, n: usize) -> RootTable {
        if self.packing != Packing::HalfLength {
            return RootTable::default();
        }
        let angles = Angles { first: 0, step: 1, order: n as u64 };
        self.root_table(n / 2, self.ranges.strides[1], angles, |List { count, every, .. }| Entry::Roots {
            order: n,
            step: every,
            count,
        })
    }

    /// A table of `count` roots, one list or two. Two, if kernels do not have whole lines: a list as
    /// long as a line would come from memory as the line does. The second one is so long that all
    /// elements of a subline have the same root of it, or one of two. So a block reads few of its roots,
    /// which stay in the first cache.
    pub(crate) fn root_table(
        &mut self,
        count: usize,
        stride: usize,
        angles: Angles,
        entry: impl Fn(List) -> Entry,
    ) -> RootTable {
        let mut push = |count, every, is_high| self.tables.push_pairs(entry(List { count, every, is_high }));
        if stride < 2 || count <= stride {
            return RootTable { at: push(count, 1, true), high: None, angles };
        }
        let high = push(count.div_ceil(stride), stride, true);
        RootTable { at: push(stride, 1, false), high: Some((high, stride)), angles }
    }
}

/// A run as a function of the element's own number.
fn piece(run: &Run) -> Piece {
    let step = if run.count > 1 { run.place.step } else { 0 };
    Piece {
        first: run.first,
        index: Index { start: run.place.start - run.first as isize * step, step },
        factor: run.factor,
    }
}

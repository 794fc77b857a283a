//! Combines and orders of a stage pipeline, with the places of their coefficients.

use crate::desc::combine::{Matrix, Part, Terms};
use crate::desc::kernel::Packing;
use crate::desc::stage::{Order, Piece};
use crate::lower::stages::StagePipeline;
use crate::lower::tables::Entry;
use fourfold::engine::{Index, Reorder, Rotation, Run, Step};

impl StagePipeline {
    /// A step after a DFT of `len` reals, times a factor.
    pub(crate) fn part(&mut self, step: &Step, len: usize, factor: f64) -> Part {
        let (count, from, to) = (step.count(), step.spectrum(len), step.line());
        match step {
            Step::Zero { .. } => Part::Zero { to: to[0] },
            Step::End { by, .. } | Step::Part { by, .. } => {
                Part::One { count, from: from[0], to: to[0], by: self.tables.push_reals(&[by * factor]) }
            }
            _ => Part::Two { count, from, to, matrix: self.matrix(step, factor) },
        }
    }

    /// What makes half spectra.
    pub(crate) fn terms(&mut self, steps: &[Step]) -> Terms {
        let mut terms = Terms { first: None, inner: None, last: None };
        for step in steps {
            match step {
                Step::Zero { .. } => {}
                Step::End { last: false, place, by } => terms.first = Some((*place, self.tables.push_reals(&[*by]))),
                Step::End { last: true, place, by } => terms.last = Some((*place, self.tables.push_reals(&[*by]))),
                _ => terms.inner = Some((step.line(), self.matrix(step, 1.0))),
            }
        }
        terms
    }

    /// What a step does to pairs of numbers, times a factor.
    fn matrix(&mut self, step: &Step, factor: f64) -> Matrix {
        match step {
            Step::Rotate(rotation) => self.rotations(rotation, factor),
            Step::Hartley { by, .. } => Matrix::Same(self.tables.push_reals(&Step::hartley(by * factor))),
            Step::Scale { by, .. } => Matrix::Same(self.tables.push_reals(&[by * factor, 0.0, 0.0, by * factor])),
            Step::Zero { .. } | Step::End { .. } | Step::Part { .. } => unreachable!("a step of single numbers"),
        }
    }

    /// Rotations, times a factor.
    pub(crate) fn rotations(&mut self, rotation: &Rotation, factor: f64) -> Matrix {
        match rotation.count {
            1 => Matrix::Same(self.tables.push(Entry::Rotation(*rotation, factor))),
            _ => {
                let at = self.tables.push_pairs(Entry::Rotations(*rotation, factor));
                if rotation.conjugate { Matrix::Reflections(at) } else { Matrix::Rotations(at) }
            }
        }
    }

    /// The number of the order in which the real side of the DFT stands in lines of `n` elements,
    /// if it is not theirs.
    pub(crate) fn order(&mut self, reorder: Option<Reorder>, n: usize) -> Option<usize> {
        self.orders.push(Order { pieces: pieces(reorder?.runs(n)) });
        Some(self.orders.len() - 1)
    }

    /// The place of w_n^k for 0 ≤ k < n/2, if reals are packed in pairs.
    pub(crate) fn roots(&mut self, n: usize) -> usize {
        if self.packing != Packing::HalfLength {
            return 0;
        }
        self.tables.push_pairs(Entry::Roots(n))
    }
}

/// The pieces of an order, as few as can be: a single element has no step yet, and takes what
/// follows.
fn pieces(runs: Vec<Run>) -> Vec<Piece> {
    let mut list: Vec<Run> = vec![];
    for mut run in runs {
        if let Some(last) = list.last_mut().filter(|last| last.factor == run.factor) {
            take_first(last, &mut run);
        }
        if run.count > 0 {
            list.push(run);
        }
    }
    list.iter().map(piece).collect()
}

/// Lengthens a run by the first elements of the next, as long as these go on as it does.
fn take_first(run: &mut Run, next: &mut Run) {
    while next.count > 0 {
        if run.count == 1 {
            run.place.step = next.place.start - run.place.start;
        }
        if run.place.at(run.count) != next.place.at(0) {
            return;
        }
        run.count += 1;
        *next = Run {
            first: next.first + 1,
            count: next.count - 1,
            place: Index { start: next.place.start + next.place.step, ..next.place },
            ..*next
        };
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

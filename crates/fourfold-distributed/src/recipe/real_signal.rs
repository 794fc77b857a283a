//! Cosine, sine and Hartley transforms of one long signal.
//!
//! [`RealForm::TermPairs`]: a signal v of length N = N₁N₂ is a matrix. Its columns have half spectra. The DFT X of
//! the rows k₁ ≤ N₁/2, with all k₂, follows from these as in `rfft`. With w = exp(−2πi/(4N)), and v in the order
//! of [`Reorder::EvenOdd`],
//!
//! - DCT-II: 2 w^{3k} X_k = y_k + i y_{N−k}
//! - DST-II: the same with v_n negated for n < ⌊N/2⌋, and with y_{N−1−k} as y_k
//! - adjoint of IDXST: half the DST-II, with y_{N−k} as y_k, and 0 as y_0
//! - DHT: (1 + i) X_k = y_k + i y_{N−k}, with v in the order of the signal
//!
//! So the combine is a multiply, and no rank needs another one's terms for it. Rows 0 and N₁/2 have both k and
//! N − k; the other rows have one of them. The DCT-III, the DST-III and the IDXST have the inverse steps in the
//! other order.
//!
//! [`RealForm::Ends`], N even: with v_n = x_{N−1−2n} + i x_{2n} and r = exp(−2πi/(8N)), the DST-IV is
//!
//! y_{2k} + i y_{N−1−2k} = 2 r^{4k} Σ_{n<N/2} r^{4n+1} v_n exp(−2πi nk/(N/2)).
//!
//! The DCT-IV is −i times the same with conjugate roots. So v is a matrix N₁×N₂ of N/2 complex elements. r^{4n+1} is
//! a factor of n = N₂n₁ times one of n₂. The former multiplies rows before their DFT along n₁. The latter is
//! one of the factors between columns and rows. So is the k₁ in r^{4k}, which has another factor of N₁k₂ at the end.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::real_form::RealForm;
use crate::recipe::reorder::Reorder;
use crate::recipe::step::{Action, PassOp};
use crate::recipe::subject::Subject;
use fourfold::{Domain, Result};

/// What recipes of real signals consist of.
struct Parts<'a> {
    subject: &'a Subject,
    by_rows: Distribution,
    by_columns: Distribution,
}

/// A step, with the array that it writes.
type Written = (Action, ArrayDesc);

/// The actions that compute the subject, whose signal is real on both sides, and the arrays before and
/// after them. The grid divides the rows of the matrices of the signal and of its terms.
///
/// # Errors
/// If the grid does not fit.
pub(crate) fn actions(subject: &Subject, form: RealForm, grid: &Grid) -> Result<(Vec<ArrayDesc>, Vec<Action>)> {
    let along = |axis: usize| Distribution::on_axis(axis, 2, grid).fitted(2, grid);
    let parts = Parts { subject, by_rows: along(0)?, by_columns: along(1)? };
    let (input, steps) = match form {
        RealForm::TermPairs { inverse: false, even_odd, .. } => parts.pairs_out(form, even_odd),
        RealForm::TermPairs { inverse: true, .. } => parts.pairs_in(form),
        RealForm::Ends { .. } => parts.of_ends(),
    };
    let (actions, written): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    Ok((std::iter::once(input).chain(written).collect(), actions))
}

impl Parts<'_> {
    fn pairs_out(&self, form: RealForm, even_odd: bool) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let spectrum = |distribution| self.spectrum(distribution, rows / 2 + 1);
        let ordered = array(&self.by_columns, Domain::Real, [rows, columns]);
        let terms = array(&self.by_rows, Domain::Real, [columns, rows]);
        let mut steps = vec![(exchange(&self.by_columns, even_odd.then_some(Reorder::EvenOdd)), ordered.clone())];
        steps.extend(form.has_signs().then_some((self.negate(), ordered)));
        steps.push((self.pass(0, 0, false), spectrum(&self.by_columns)));
        steps.push((exchange(&self.by_rows, None), spectrum(&self.by_rows)));
        steps.push((self.pass(1, 1, false), spectrum(&self.by_rows)));
        steps.push((exchange(&self.by_rows, Some(Reorder::FromTermPairs)), terms));
        (array(&self.by_rows, Domain::Real, [rows, columns]), steps)
    }

    fn pairs_in(&self, form: RealForm) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let spectrum = |distribution| self.spectrum(distribution, rows / 2 + 1);
        let ordered = array(&self.by_columns, Domain::Real, [rows, columns]);
        let signal = array(&self.by_rows, Domain::Real, [rows, columns]);
        let mut steps = vec![(exchange(&self.by_rows, Some(Reorder::TermPairs)), spectrum(&self.by_rows))];
        steps.push((self.pass(1, 0, true), spectrum(&self.by_rows)));
        steps.push((exchange(&self.by_columns, None), spectrum(&self.by_columns)));
        steps.push((self.pass(0, 1, true), ordered.clone()));
        steps.extend(form.has_signs().then_some((self.negate(), ordered)));
        steps.push((exchange(&self.by_rows, Some(Reorder::FromEvenOdd)), signal));
        (array(&self.by_rows, Domain::Real, [columns, rows]), steps)
    }

    fn of_ends(&self) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let spectrum = |distribution| self.spectrum(distribution, rows);
        let ordered = array(&self.by_columns, Domain::Complex, [rows, columns]);
        let steps = vec![
            (exchange(&self.by_columns, Some(Reorder::Ends)), ordered.clone()),
            (Action::MultiplyRows, ordered),
            (self.pass(0, 0, false), spectrum(&self.by_columns)),
            (exchange(&self.by_rows, None), spectrum(&self.by_rows)),
            (self.pass(1, 1, false), spectrum(&self.by_rows)),
            (exchange(&self.by_rows, Some(Reorder::FromEnds)), array(&self.by_rows, Domain::Real, [columns, 2 * rows])),
        ];
        (array(&self.by_rows, Domain::Real, [rows, 2 * columns]), steps)
    }

    /// The terms of `rows` rows. k₁ is stored as the faster index. So exchanges move runs of it, and neighbours
    /// stay neighbours in the order of the terms.
    fn spectrum(&self, distribution: &Distribution, rows: usize) -> ArrayDesc {
        let [_, columns] = self.subject.matrix();
        ArrayDesc { order: vec![1, 0], ..array(distribution, Domain::Complex, [rows, columns]) }
    }

    /// The pass of a stage, with a multiply before or after its transform.
    fn pass(&self, axis: usize, stage: usize, multiply_first: bool) -> Action {
        let transform = PassOp::Transform { stage, transform: self.subject.stages()[stage].transforms()[0] };
        let ops = if multiply_first { [PassOp::Multiply, transform] } else { [transform, PassOp::Multiply] };
        Action::Pass { axis, ops: ops.into() }
    }

    /// The elements with odd indices change sign.
    fn negate(&self) -> Action {
        Action::Negate { count: self.subject.matrix().iter().product::<usize>() / 2 }
    }
}

fn array(distribution: &Distribution, domain: Domain, shape: [usize; 2]) -> ArrayDesc {
    ArrayDesc { distribution: distribution.clone(), domain, shape: shape.into(), order: vec![0, 1] }
}

fn exchange(to: &Distribution, reorder: Option<Reorder>) -> Action {
    Action::Exchange { to: to.clone(), reorder }
}

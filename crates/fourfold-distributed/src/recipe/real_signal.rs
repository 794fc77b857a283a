//! Transforms of one long signal that are real on at least one side, with all parts in natural order.
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
//!
//! [`RealForm::Extended`]: the DCT-I is the DFT X of v, with v_n = v_{−n} = x_n, of length L = 2(N − 1) = N₁N₂. The
//! DST-I is i times that of v_n = −v_{−n} = x_{n−1}, with L = 2(N + 1). Let D_{n₂} be the DFT along n₁ of column n₂,
//! times its twiddle factor. From v_n = v_{−n} follows D_{N₂−n₂} = conj(D_{n₂}), and D is i times such a D in the
//! other case. So the columns n₂ ≤ N₂/2 suffice, the rows are transforms to reals, and X is there for k₁ ≤ N₁/2.
//! X_{L−k} = ±X_k has the others. Transforms to reals are backward, so that they take
//!
//! conj(D_{n₂}) = w_L^{(N₂−n₂)k₁} Σ_{n₁} v_{n₂−N₂(n₁+1)} w_{N₁}^{n₁k₁}.
//!
//! An element in the place of v_0 or v_{L/2}, which are 0 in the DST-I, adds to the imaginary parts that these
//! transforms ignore, because both ends of a half spectrum are real.
//!
//! [`RealForm::Centered`], N odd, h = ⌊N/2⌋: with v_n = (−1)^n x_{2n} and v_{N−1−n} = −(−1)^{N−1−n} x_{2n+1}, the
//! DFT V of v, and w = exp(−2πi/(4N)), the DCT-IV is
//!
//! y_{h−k} + i y_{h+k} = √2 (1 + i) w^k V_k for k ≤ h, and y_{k−h−1} − i y_{3h+1−k} = √2 (1 + i) w^k V_k for k > h.
//!
//! For, the odd numbers u = ±(4n + 1), and these plus 4N, are all that x's extension with cos(2πu(2k+1)/(8N)) has
//! modulo 8N; and V_{k+h+1} has y_k. The DST-IV is the DCT-IV of (−1)^n x_n from the end. The sign (−1)^n is
//! (−1)^{n₁} (−1)^{n₂}, since N₂ is odd. Rows change sign, and the factors between columns and rows have the rest.
//!
//! [`RealForm::HalfSpectrum`]: half of the rows hold X_k for some k > N/2, whose conjugates are terms N − k.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::real_form::RealForm;
use crate::recipe::reorder::Reorder;
use crate::recipe::step::{Action, PassOp};
use crate::recipe::subject::Subject;
use fourfold::engine::EndWeights;
use fourfold::{Domain, Result};

/// What recipes of real signals consist of.
struct Parts<'a> {
    subject: &'a Subject,
    by_rows: Distribution,
    by_columns: Distribution,
}

/// A step, with the array that it writes.
type Written = (Action, ArrayDesc);

/// The actions that compute the subject, whose signal is real on at least one side, and the arrays before and
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
        RealForm::Extended { odd } => parts.extended(odd),
        RealForm::Centered { sine } => parts.centered(sine),
        RealForm::HalfSpectrum { inverse: false } => parts.half_out(),
        RealForm::HalfSpectrum { inverse: true } => parts.half_in(),
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

    fn extended(&self, odd: bool) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let (half, width) = (rows / 2 + 1, columns / 2 + 1);
        let halves = |distribution: &Distribution| self.stored_by_terms(distribution, Domain::Complex, [half, width]);
        let ordered = array(&self.by_columns, Domain::Real, [rows, width]);
        let terms = self.stored_by_terms(&self.by_rows, Domain::Real, [half, columns]);
        let weigh = |array: &ArrayDesc| self.has_weights().then(|| (Action::WeighEnds, array.clone()));
        let mut steps = vec![(exchange(&self.by_columns, Some(Reorder::Extend)), ordered.clone())];
        steps.extend(odd.then(|| (Action::Negate { count: rows / 2 * width, odd_rows: false }, ordered.clone())));
        steps.extend(weigh(&ordered));
        steps.push((self.pass(0, 0, false), halves(&self.by_columns)));
        steps.push((exchange(&self.by_rows, None), halves(&self.by_rows)));
        steps.push((self.plain_pass(1, 1), terms.clone()));
        steps.extend(odd.then(|| (Action::Reflect, terms.clone())));
        steps.extend(weigh(&terms));
        steps.push((exchange(&self.by_rows, Some(Reorder::FromExtension)), self.line()));
        (self.line(), steps)
    }

    fn centered(&self, sine: bool) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let spectrum = |distribution| self.spectrum(distribution, rows / 2 + 1);
        let ordered = array(&self.by_columns, Domain::Real, [rows, columns]);
        let count = if sine { 0 } else { rows * columns / 2 + 1 };
        let steps = vec![
            (exchange(&self.by_columns, Some(Reorder::Centered)), ordered.clone()),
            (Action::Negate { count, odd_rows: true }, ordered),
            (self.pass(0, 0, false), spectrum(&self.by_columns)),
            (exchange(&self.by_rows, None), spectrum(&self.by_rows)),
            (self.pass(1, 1, false), spectrum(&self.by_rows)),
            (Action::Reflect, spectrum(&self.by_rows)),
            (exchange(&self.by_rows, Some(Reorder::FromCentered)), self.line()),
        ];
        (self.line(), steps)
    }

    fn half_out(&self) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let spectrum = |distribution| self.spectrum(distribution, rows / 2 + 1);
        let steps = vec![
            (exchange(&self.by_columns, None), array(&self.by_columns, Domain::Real, [rows, columns])),
            (self.pass(0, 0, false), spectrum(&self.by_columns)),
            (exchange(&self.by_rows, None), spectrum(&self.by_rows)),
            (self.plain_pass(1, 1), spectrum(&self.by_rows)),
            (Action::Reflect, spectrum(&self.by_rows)),
            (exchange(&self.by_rows, Some(Reorder::FromHalfSpectrum)), self.half_line()),
        ];
        (array(&self.by_rows, Domain::Real, [rows, columns]), steps)
    }

    fn half_in(&self) -> (ArrayDesc, Vec<Written>) {
        let [rows, columns] = self.subject.matrix();
        let spectrum = |distribution| self.spectrum(distribution, rows / 2 + 1);
        let steps = vec![
            (exchange(&self.by_rows, Some(Reorder::HalfSpectrum)), spectrum(&self.by_rows)),
            (Action::Reflect, spectrum(&self.by_rows)),
            (self.pass(1, 0, false), spectrum(&self.by_rows)),
            (exchange(&self.by_columns, None), spectrum(&self.by_columns)),
            (self.plain_pass(0, 1), array(&self.by_columns, Domain::Real, [rows, columns])),
            (exchange(&self.by_rows, None), array(&self.by_rows, Domain::Real, [rows, columns])),
        ];
        (self.half_line(), steps)
    }

    /// The signal or its terms as a line, of which ranks have blocks.
    fn line(&self) -> ArrayDesc {
        let n = self.subject.long_signal().map_or(0, |signal| signal.transforms()[0].n);
        array(&self.by_rows, Domain::Real, [n, 1])
    }

    /// The half spectrum as a line.
    fn half_line(&self) -> ArrayDesc {
        ArrayDesc { domain: Domain::Complex, shape: vec![self.line().shape[0] / 2 + 1, 1], ..self.line() }
    }

    fn has_weights(&self) -> bool {
        self.subject.long_signal().is_some_and(|signal| signal.transforms()[0].end_weights != EndWeights::ONE)
    }

    /// The terms of `rows` rows. k₁ is stored as the faster index. So exchanges move runs of it, and neighbours
    /// stay neighbours in the order of the terms.
    fn spectrum(&self, distribution: &Distribution, rows: usize) -> ArrayDesc {
        let [_, columns] = self.subject.matrix();
        self.stored_by_terms(distribution, Domain::Complex, [rows, columns])
    }

    fn stored_by_terms(&self, distribution: &Distribution, domain: Domain, shape: [usize; 2]) -> ArrayDesc {
        ArrayDesc { order: vec![1, 0], ..array(distribution, domain, shape) }
    }

    /// The pass of a stage without a multiply.
    fn plain_pass(&self, axis: usize, stage: usize) -> Action {
        let transform = self.subject.stages()[stage].transforms()[0];
        Action::Pass { axis, ops: vec![PassOp::Transform { stage, transform }] }
    }

    /// The pass of a stage, with a multiply before or after its transform.
    fn pass(&self, axis: usize, stage: usize, multiply_first: bool) -> Action {
        let transform = PassOp::Transform { stage, transform: self.subject.stages()[stage].transforms()[0] };
        let ops = if multiply_first { [PassOp::Multiply, transform] } else { [transform, PassOp::Multiply] };
        Action::Pass { axis, ops: ops.into() }
    }

    /// The elements with odd indices change sign.
    fn negate(&self) -> Action {
        Action::Negate { count: self.subject.matrix().iter().product::<usize>() / 2, odd_rows: false }
    }
}

fn array(distribution: &Distribution, domain: Domain, shape: [usize; 2]) -> ArrayDesc {
    ArrayDesc { distribution: distribution.clone(), domain, shape: shape.into(), order: vec![0, 1] }
}

fn exchange(to: &Distribution, reorder: Option<Reorder>) -> Action {
    Action::Exchange { to: to.clone(), reorder }
}

//! Cosine, sine and Hartley transforms of one long signal.
//!
//! A signal v of length N = N₁N₂ is a matrix. Its columns have half spectra. The DFT X of the rows
//! k₁ ≤ N₁/2, with all k₂, follows from these as in `rfft`. With w = exp(−2πi/(4N)), and v in the order of [`Reorder::EvenOdd`],
//!
//! - DCT-II: 2 w^{3k} X_k = y_k + i y_{N−k}
//! - DST-II: the same with v_n negated for n < N/2, and with y_{N−1−k} as y_k
//! - DHT: (1 + i) X_k = y_k + i y_{N−k}, with v in the order of the signal
//!
//! So the combine is a multiply, and no rank needs another one's terms for it. Rows 0 and N₁/2 have both k and
//! N − k; the other rows have one of them. The DCT-III and the DST-III have the inverse steps in the other
//! order.

use crate::distribution::Distribution;
use crate::grid::Grid;
use crate::recipe::arrays::ArrayDesc;
use crate::recipe::reorder::Reorder;
use crate::recipe::step::{Action, PassOp};
use crate::recipe::subject::Subject;
use fourfold::engine::Transform1d;
use fourfold::{Domain, Result};

/// The actions that compute the subject, whose signal is real on both sides, and the arrays before and
/// after them. The grid divides the rows of the matrices of the signal and of its terms.
///
/// # Errors
/// If the grid does not fit.
pub(crate) fn actions(subject: &Subject, grid: &Grid) -> Result<(Vec<ArrayDesc>, Vec<Action>)> {
    let [rows, columns] = subject.matrix();
    let along = |axis: usize| Distribution::on_axis(axis, 2, grid).fitted(2, grid);
    let [by_rows, by_columns] = [along(0)?, along(1)?];
    let array = |distribution: &Distribution, domain: Domain, shape: [usize; 2]| ArrayDesc {
        distribution: distribution.clone(),
        domain,
        shape: shape.into(),
        order: vec![0, 1],
    };
    let transform1d = subject.long_signal().map(|signal| signal.transforms()[0].transform1d);
    let is_hartley = transform1d == Some(Transform1d::Dht);
    let is_sine = matches!(transform1d, Some(Transform1d::Dst2 | Transform1d::Dst3));
    let is_inverse = matches!(transform1d, Some(Transform1d::Dct3 | Transform1d::Dst3));
    // k₁ is stored as the faster index. So exchanges move runs of it, and neighbours stay neighbours in the
    // order of the terms.
    let spectrum = |distribution: &Distribution| ArrayDesc {
        order: vec![1, 0],
        ..array(distribution, Domain::Complex, [rows / 2 + 1, columns])
    };
    let pass = |axis: usize, stage: usize| {
        let transform = PassOp::Transform { stage, transform: subject.stages()[stage].transforms()[0] };
        let ops = if is_inverse { [PassOp::Multiply, transform] } else { [transform, PassOp::Multiply] };
        Action::Pass { axis, ops: ops.into() }
    };
    let exchange = |to: &Distribution, reorder: Option<Reorder>| Action::Exchange { to: to.clone(), reorder };
    let ordered = array(&by_columns, Domain::Real, [rows, columns]);
    let signal = array(&by_rows, Domain::Real, if is_hartley { [rows, columns] } else { [rows / 2, 2 * columns] });
    let terms = array(&by_rows, Domain::Real, [columns, rows]);
    let mut steps = vec![];
    if is_inverse {
        steps.push((exchange(&by_rows, Some(Reorder::TermPairs)), spectrum(&by_rows)));
        steps.push((pass(1, 0), spectrum(&by_rows)));
        steps.push((exchange(&by_columns, None), spectrum(&by_columns)));
        steps.push((pass(0, 1), ordered.clone()));
        steps.extend(is_sine.then_some((Action::Negate { rows: rows / 2 }, ordered)));
        steps.push((exchange(&by_rows, Some(Reorder::FromEvenOdd)), signal));
        return Ok(from(terms, steps));
    }
    steps.push((exchange(&by_columns, (!is_hartley).then_some(Reorder::EvenOdd)), ordered.clone()));
    steps.extend(is_sine.then_some((Action::Negate { rows: rows / 2 }, ordered)));
    steps.push((pass(0, 0), spectrum(&by_columns)));
    steps.push((exchange(&by_rows, None), spectrum(&by_rows)));
    steps.push((pass(1, 1), spectrum(&by_rows)));
    steps.push((exchange(&by_rows, Some(Reorder::FromTermPairs)), terms));
    Ok(from(signal, steps))
}

/// The arrays and the actions of these steps, which begin with the array `input`.
fn from(input: ArrayDesc, steps: Vec<(Action, ArrayDesc)>) -> (Vec<ArrayDesc>, Vec<Action>) {
    let (actions, written): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    (std::iter::once(input).chain(written).collect(), actions)
}

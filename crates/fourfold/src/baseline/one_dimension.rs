//! The paper's four algorithms for a DCT-II along one axis (Algorithm 1), by FFTs of different
//! lengths:
//!
//! - 4N points: x at odd indices, then its mirror image at odd indices; y_k = Re X_k (eq. 3, 4);
//! - 2N points, mirrored: x, then its mirror image; y_k = Re(e^{−iπk/(2N)} X_k) (eq. 5, 6);
//! - 2N points, padded: x, then zeros; y_k = 2 Re(e^{−iπk/(2N)} X_k) (eq. 7, 8);
//! - N points: the three stages of one axis (eq. 9, 11).

use crate::baseline::stage::{
    AccessPattern, ArrayDesc, Combine, CombineAxis, CombineVariant, Direction, Order, Stage, StageWork,
};
use crate::baseline::three_stage::{Options, fft, last, round_of};
use crate::problem::element::Domain;
use crate::problem::kind::Transform1d;
use crate::problem::problem::Problem;

/// The algorithm, by the length of its FFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OneDimensional {
    FourN,
    TwoNMirrored,
    TwoNPadded,
    NPoint,
}

/// The stages. `None` unless the problem is a DCT-II along one axis.
pub(crate) fn stages(problem: &Problem, length: OneDimensional) -> Option<Vec<Stage>> {
    let [transform] = problem.transforms() else { return None };
    if transform.transform1d != Transform1d::Dct2 {
        return None;
    }
    let natural = ArrayDesc::natural(problem.input(), Domain::Real);
    let rows = natural.ordered(&last(&natural, &[transform.axis]));
    let (order, rotates, factor) = match length {
        OneDimensional::FourN => (Order::OddPlaces, false, 1.0),
        OneDimensional::TwoNMirrored => (Order::Mirror, true, 1.0),
        OneDimensional::TwoNPadded => (Order::Pad, true, 2.0),
        OneDimensional::NPoint => {
            let ends = [&natural, &rows, &natural];
            return round_of(problem.precision(), &[*transform], ends, problem.scale(), Options::BEST).map(Vec::from);
        }
    };
    let (axis, _) = CombineAxis::new(transform)?;
    let long = rows.with(axis.axis, order.length(axis.n), Domain::Real);
    let spectrum = long.with(axis.axis, long.length(axis.axis) / 2 + 1, Domain::Complex);
    let reorder = StageWork::Reorder { orders: vec![(axis.axis, order)], way: AccessPattern::Gather };
    let combine = Combine {
        axes: vec![axis],
        direction: Direction::After,
        outputs: CombineVariant::Direct { rotates },
        scale: factor * problem.scale(),
        threshold: None,
    };
    let fft = fft(problem.precision(), &long, 1, Direction::After);
    Some(vec![
        Stage { from: natural.clone(), to: long.clone(), work: reorder },
        Stage { from: long, to: spectrum.clone(), work: fft },
        Stage { from: spectrum, to: natural, work: StageWork::Combine(combine) },
    ])
}

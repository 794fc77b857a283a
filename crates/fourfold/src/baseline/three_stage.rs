//! The paper's three stages for up to three axes at once: reorder, a real FFT of all axes, combine
//! (Algorithm 2). Type III has the inverse order: combine, backward FFT, reorder.
//! [`combine`](crate::baseline::combine) has the formulas.
//!
//! Problems with more axes, or with both types, take several rounds of up to three axes (section
//! III-D). In the arrays between the stages, the axes of the round come last, so that the FFTs are
//! of contiguous arrays for all axes and batches. The reorder or the combine at either end reads or
//! writes the caller's strides.
//!
//! Sine kinds differ from cosine kinds in the order of terms
//! ([`IndexMap`](crate::recipe::reduction::IndexMap)) and in signs, which the reorder applies: see
//! [`cosine_sine`](crate::recipe::rules::cosine_sine).

use crate::baseline::stage::{
    AccessPattern, ArrayDesc, Combine, CombineAxis, CombineVariant, Direction, Order, Stage, StageWork,
};
use crate::problem::element::{Domain, Precision};
use crate::problem::kind::{Kind, Transform1d};
use crate::problem::norm::Norm;
use crate::problem::problem::{AxisTransform, Problem};
use crate::recipe::reorder::EvenOdd;
use crate::recipe::rules::axes;

/// The most axes of one FFT. The plans of cuFFT have up to three.
const MOST: usize = 3;

/// The variants of the stages.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// The side that a reorder follows. The default is the side in natural order, whose memory is
    /// then accessed contiguously, while even and odd indices are two contiguous sequences on the
    /// other side.
    pub(crate) access: Option<AccessPattern>,
    pub(crate) outputs: CombineVariant,
    /// Whether the axes of a round are in reverse order between the stages. This helps if a
    /// library's FFT of N₂ × N₁ is faster than that of N₁ × N₂ (section IV-C).
    pub(crate) transposes: Option<Transposes>,
}

/// The stages that transpose to the reverse order of axes and back. A reorder or a combine does it
/// on the way if it reads and writes arrays with different orders of the axes. On its other side,
/// the FFT needs the transposed array, so else a transpose is a separate stage.
#[derive(Clone, Copy)]
pub(crate) struct Transposes {
    /// Whether the reorder transposes.
    pub(crate) in_reorder: bool,
    /// Whether the combine transposes.
    pub(crate) in_combine: bool,
}

impl Options {
    pub(crate) const BEST: Options = Options { access: None, outputs: CombineVariant::All, transposes: None };
}

impl Transposes {
    /// Whether the first and the last of the three stages transpose.
    fn at_ends(self, direction: Direction) -> [bool; 2] {
        match direction {
            Direction::After => [self.in_reorder, self.in_combine],
            Direction::Before => [self.in_combine, self.in_reorder],
        }
    }
}

/// The direction of a transform of type II or III, and `None` for others.
pub(crate) fn direction(transform: Transform1d) -> Option<Direction> {
    match transform {
        Transform1d::Dct2 | Transform1d::Dst2 | Transform1d::IdxstAdjoint => Some(Direction::After),
        Transform1d::Dct3 | Transform1d::Dst3 | Transform1d::Idxst => Some(Direction::Before),
        _ => None,
    }
}

/// The stages. `None` unless all transforms are of types II and III.
pub(crate) fn stages(problem: &Problem, options: Options) -> Option<Vec<Stage>> {
    let rounds = rounds(problem.transforms())?;
    let natural = ArrayDesc::natural(problem.input(), Domain::Real);
    let mut stages = vec![];
    for (i, round) in rounds.iter().enumerate() {
        let scale = if i + 1 == rounds.len() { problem.scale() } else { 1.0 };
        let mut axes: Vec<usize> = round.iter().map(|transform| transform.axis).collect();
        let transposes = options.transposes.filter(|_| axes.len() > 1);
        if transposes.is_some() {
            axes.reverse();
        }
        let inner = natural.ordered(&last(&natural, &axes));
        let direction = direction(round[0].transform1d)?;
        let fused = transposes.map_or([true; 2], |transposes| transposes.at_ends(direction));
        let [from, to] = fused.map(|fused| if fused { &natural } else { &inner });
        stages.extend((!fused[0]).then(|| Stage::transpose(&natural, &inner)));
        stages.extend(round_of(problem.precision(), round, [from, &inner, to], scale, options)?);
        stages.extend((!fused[1]).then(|| Stage::transpose(&inner, &natural)));
    }
    Some(stages)
}

/// Divides the axes of each direction into rounds of nearly equal size, the last axes first. The
/// axes of a round are in the problem's order.
fn rounds(transforms: &[AxisTransform]) -> Option<Vec<Vec<AxisTransform>>> {
    let mut rounds = vec![];
    for wanted in [Direction::After, Direction::Before] {
        let mut list: Vec<AxisTransform> = vec![];
        for transform in transforms {
            if direction(transform.transform1d)? == wanted {
                list.push(*transform);
            }
        }
        list.sort_by_key(|transform| transform.axis);
        let each = list.len().div_ceil(list.len().div_ceil(MOST).max(1)).max(1);
        rounds.extend(list.rchunks(each).map(<[AxisTransform]>::to_vec));
    }
    Some(rounds)
}

/// All axes of an array, with the axes `axes` at the end.
pub(crate) fn last(array: &ArrayDesc, axes: &[usize]) -> Vec<usize> {
    let others = array.axes.iter().filter(|axis| !axes.contains(axis));
    others.chain(axes).copied().collect()
}

/// The three stages along the last axes of `inner`, from one array to another.
pub(crate) fn round_of(
    precision: Precision,
    round: &[AxisTransform],
    [from, inner, to]: [&ArrayDesc; 3],
    scale: f64,
    options: Options,
) -> Option<[Stage; 3]> {
    let along = &inner.axes[inner.axes.len() - round.len()..];
    let find = |axis: &usize| round.iter().find(|transform| transform.axis == *axis);
    let pairs: Vec<_> = along.iter().map(|axis| CombineAxis::new(find(axis)?)).collect::<Option<_>>()?;
    let scale = pairs.iter().fold(scale, |scale, (_, factor)| scale * factor);
    let axes: Vec<CombineAxis> = pairs.into_iter().map(|(axis, _)| axis).collect();
    let direction = direction(round.first()?.transform1d)?;
    let signs = |axis: &CombineAxis| axis.terms.signs();
    let orders = axes.iter().map(|axis| match direction {
        Direction::After => (axis.axis, Order::Split(EvenOdd { signs: signs(axis) })),
        Direction::Before => (axis.axis, Order::Merge(EvenOdd { signs: signs(axis) })),
    });
    let orders = orders.collect();
    let last = &axes[axes.len() - 1];
    let spectrum = inner.with(last.axis, last.n / 2 + 1, Domain::Complex);
    let combine = Combine { direction, outputs: options.outputs, scale, axes: axes.clone(), threshold: None };
    let combine = StageWork::Combine(combine);
    let fft = fft(precision, inner, axes.len(), direction);
    let stage = |from: &ArrayDesc, to: &ArrayDesc, work| Stage { from: from.clone(), to: to.clone(), work };
    Some(match direction {
        Direction::After => {
            let access = options.access.unwrap_or(AccessPattern::Scatter);
            let reorder = StageWork::Reorder { orders, way: access };
            [stage(from, inner, reorder), stage(inner, &spectrum, fft), stage(&spectrum, to, combine)]
        }
        Direction::Before => {
            let access = options.access.unwrap_or(AccessPattern::Gather);
            let reorder = StageWork::Reorder { orders, way: access };
            [stage(from, &spectrum, combine), stage(&spectrum, inner, fft), stage(inner, to, reorder)]
        }
    })
}

/// The unscaled real FFT over the last axes of an array, forward or backward.
pub(crate) fn fft(precision: Precision, reals: &ArrayDesc, axes: usize, direction: Direction) -> StageWork {
    let (kind, norm) = match direction {
        Direction::After => (Kind::Rfft, Norm::Backward),
        Direction::Before => (Kind::Irfft, Norm::Forward),
    };
    let last: Vec<isize> = (1..=axes as isize).rev().map(|i| -i).collect();
    let problem = Problem::builder(kind, precision, &reals.lengths).axes(last).norm(norm).build();
    StageWork::Fft(Box::new(axes::recipe(&problem.expect("the method has checked that such arrays have addresses"))))
}

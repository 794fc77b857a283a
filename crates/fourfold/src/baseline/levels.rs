//! Complex FFTs of powers of two level by level, and the sums that they replace: the ways of a
//! course report on parallel Fourier transforms (J. Wang, in the notes to J. JáJá, "An introduction
//! to parallel algorithms", section 8.3), whose forward transform has e^{+2πi/n}.
//!
//! - `definition`: every output by its sum, of n products.
//! - `levels`: log₂ n levels of radix 2, in frequency, each through memory, then bits reversed.
//!   The report gives a thread every output; here it has both of a butterfly.
//! - `levels-in-blocks`: its "other ideas". After l levels there are 2^l blocks that need nothing
//!   of each other: once they fit a work group, it does all that is left with a barrier between
//!   levels.
//! - `levels-in-clusters`: the same with larger blocks, which up to eight work groups share: they
//!   wait for one another as long as a level's butterflies lie across them.
//!
//! Axes are transformed one after another, in place in the array's order.

use crate::baseline::fft_step::{Decimation, FftStep, FftWork, Level};
use crate::baseline::stage::{ArrayDesc, Stage};
use crate::problem::element::Domain;
use crate::problem::kind::Transform1d;
use crate::problem::problem::{AxisTransform, Problem};

/// How an axis is done.
#[derive(Clone, Copy)]
pub(crate) enum Levels {
    Definition,
    Single,
    InBlocks,
    InClusters,
}

/// Elements of a block: the largest power of two that has 16 KiB of `f64`, which all devices have
/// on chip.
const BLOCK: usize = 1024;

/// Work groups of the largest cluster that all devices with clusters can hold.
const CLUSTER: usize = 8;

/// Whether a sum is the backward one; none if it is not complex.
pub(crate) fn is_backward(sum: Transform1d) -> Option<bool> {
    match sum {
        Transform1d::Forward => Some(false),
        Transform1d::Backward => Some(true),
        _ => None,
    }
}

/// The stages, if all sums are complex and, but for the definition, all lengths powers of two.
pub(crate) fn stages(problem: &Problem, how: Levels) -> Option<Vec<Stage>> {
    if problem.transforms().iter().any(|transform| is_backward(transform.sum).is_none()) {
        return None;
    }
    let array = ArrayDesc::natural(problem.input(), Domain::Complex);
    let axes: Vec<&AxisTransform> = problem.transforms().iter().filter(|transform| transform.n > 1).collect();
    let mut works = vec![];
    for (i, AxisTransform { axis, n, sum, .. }) in axes.iter().enumerate() {
        let fft = AxisFft { axis: *axis, n: *n, backward: is_backward(*sum)? };
        let scale = if i + 1 == axes.len() { problem.scale() } else { 1.0 };
        works.extend(match how {
            Levels::Definition => {
                let copy = (i == 0).then(|| fft.copy(problem.scale()));
                copy.into_iter().chain([FftWork::Sum { axis: *axis, backward: fft.backward }]).collect()
            }
            _ if !n.is_power_of_two() => return None,
            Levels::Single => fft.single(scale),
            Levels::InBlocks => fft.in_blocks(1, scale),
            Levels::InClusters => fft.in_blocks(CLUSTER, scale),
        });
    }
    if works.is_empty() {
        works.push(AxisFft { axis: 0, n: 1, backward: false }.copy(problem.scale()));
    }
    let stage = |work: FftWork| Stage::fft_step(&array, &array, FftStep::new(work));
    Some(works.into_iter().map(stage).collect())
}

#[derive(Clone, Copy)]
struct AxisFft {
    axis: usize,
    n: usize,
    backward: bool,
}

impl AxisFft {
    /// Before the first sum, so that what it reads is not what it writes, in place or not.
    fn copy(self, scale: f64) -> FftWork {
        FftWork::DigitReversal { axis: self.axis, radices: vec![], scale }
    }

    /// Levels whose distances are below n and not below `least`.
    fn levels(self, least: usize) -> impl Iterator<Item = FftWork> {
        let AxisFft { axis, n, backward } = self;
        let distances = (0..n.ilog2()).rev().map(|bit| 1 << bit).filter(move |distance| *distance >= least);
        distances.map(move |distance| {
            FftWork::Level(Level { axis, radix: 2, distance, decimation: Decimation::InFrequency, backward })
        })
    }

    fn single(self, scale: f64) -> Vec<FftWork> {
        let radices = vec![2; self.n.ilog2() as usize];
        self.levels(1).chain([FftWork::DigitReversal { axis: self.axis, radices, scale }]).collect()
    }

    fn in_blocks(self, most: usize, scale: f64) -> Vec<FftWork> {
        let AxisFft { axis, n, backward } = self;
        let len = n.min(most * BLOCK);
        let groups = len.div_ceil(BLOCK);
        self.levels(len).chain([FftWork::Blocks { axis, len, groups, backward, scale }]).collect()
    }
}

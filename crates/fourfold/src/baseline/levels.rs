//! Complex FFTs of powers of two level by level, and direct summation. They are the methods of a
//! course report on parallel Fourier transforms (J. Wang, in the notes to J. JáJá, "An introduction
//! to parallel algorithms", section 8.3). Its forward transform has e^{+2πi/n}.
//!
//! - `brute-force`: every output as a sum of n products, with a sine and a cosine for each. The
//!   report has cos(2πij/n); here ij is first reduced modulo n, so that the angle stays exact.
//! - `definition`: the same with a table of sines and cosines.
//! - `levels`: log₂ n levels of radix 2 by decimation in frequency, each a trip through memory,
//!   followed by bit reversal. A thread of the report computes one output, and here it computes
//!   both outputs of a butterfly.
//! - `levels-in-blocks`: from the report's "other ideas". After l levels there are 2^l independent
//!   blocks. As soon as a block fits a work group, the group computes all remaining levels with a
//!   barrier between levels.
//! - `levels-in-clusters`: the same with larger blocks, each of which up to eight work groups
//!   compute together. They synchronise as long as the butterflies of a level need data of several
//!   groups.
//!
//! Axes are transformed one after another, in place in the array.

use crate::baseline::fft_step::{Decimation, Factors, FftStep, FftWork, Level};
use crate::baseline::stage::{ArrayDesc, Stage};
use crate::problem::element::Domain;
use crate::problem::kind::Transform1d;
use crate::problem::problem::{AxisTransform, Problem};

/// The method for an axis.
#[derive(Clone, Copy)]
pub(crate) enum Levels {
    Definition(Factors),
    Single,
    InBlocks,
    InClusters,
}

/// The elements of a block. In `f64` they take 16 KiB, which all devices have in on-chip memory.
const BLOCK: usize = 1024;

/// The work groups of the largest cluster that all devices with clusters support.
const CLUSTER: usize = 8;

/// Whether a complex transform is the backward one. `None` for other transforms.
pub(crate) fn is_backward(transform: Transform1d) -> Option<bool> {
    match transform {
        Transform1d::Forward => Some(false),
        Transform1d::Backward => Some(true),
        _ => None,
    }
}

/// The stages. `None` unless all transforms are complex and all lengths are powers of two. The
/// definition supports all lengths.
pub(crate) fn stages(problem: &Problem, how: Levels) -> Option<Vec<Stage>> {
    if problem.transforms().iter().any(|transform| is_backward(transform.transform1d).is_none()) {
        return None;
    }
    let array = ArrayDesc::natural(problem.input(), Domain::Complex);
    let axes: Vec<&AxisTransform> = problem.transforms().iter().filter(|transform| transform.n > 1).collect();
    let mut works = vec![];
    for (i, AxisTransform { axis, n, transform1d, .. }) in axes.iter().enumerate() {
        let fft = AxisFft { axis: *axis, n: *n, backward: is_backward(*transform1d)? };
        let scale = if i + 1 == axes.len() { problem.scale() } else { 1.0 };
        works.extend(match how {
            Levels::Definition(factors) => {
                let copy = (i == 0).then(|| fft.copy(problem.scale()));
                let sum = FftWork::Sum { axis: *axis, backward: fft.backward, factors };
                copy.into_iter().chain([sum]).collect()
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
    /// A copy before the first sum, so that the sum reads another array than it writes.
    fn copy(self, scale: f64) -> FftWork {
        FftWork::DigitReversal { axis: self.axis, radices: vec![], scale }
    }

    /// The levels with distances below n and at least `least`.
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

//! A sequence of optimisations from "Speeding up the fast Fourier transform mixed-radix on mobile
//! ARM Mali GPUs by means of OpenCL", part 3 (G. M. Iodice, ARM). It computes the complex FFT of a
//! matrix by FFTs of the rows, a transpose, FFTs of the rows, and a transpose. The FFT of a row is
//! a digit reversal followed by levels with decimation in time in place. Each rung of the ladder
//! differs from one below it by one change: in how kernels are launched, in transposing, or in the
//! radices.
//!
//! Details differ from the article. Its digit reversal on a device reads an array of indices, which
//! kernels compute here. It pads odd sizes from its first 2 × 2 blocks on; here that is a rung, and
//! without it threads check the bounds of every element where a block's side does not divide the
//! length. The code that it prints launches a transpose for N × N items, of which N/2 × N/2 have a
//! block of 2 × 2; here only these are launched, and its rule for work groups is for them, as its
//! text says.

use crate::baseline::fft_step::{FftStep, FftWork, GroupShape, LaunchMode, Level};
use crate::baseline::levels::is_backward;
use crate::baseline::stage::{ArrayDesc, Stage};
use crate::problem::element::Domain;
use crate::problem::problem::{AxisTransform, Problem};

/// One rung of the ladder.
#[derive(Clone, Copy)]
pub(crate) struct Rung {
    rows: RowSteps,
    transposes: TransposeLaunch,
    /// The side of the square that a thread transposes.
    side: usize,
    in_place: bool,
    /// Whether lengths are padded to multiples of that side.
    padded: bool,
    /// The radices of levels in the order of preference.
    radices: &'static [usize],
}

/// How rows are transformed.
#[derive(Clone, Copy)]
enum RowSteps {
    /// Row after row, each by one thread.
    Whole,
    /// Step after step, launched so.
    Levels(LaunchMode),
}

/// Who transposes.
#[derive(Clone, Copy)]
enum TransposeLaunch {
    Host,
    /// A device, in such groups.
    Device(GroupShape),
    /// A device, in groups by [`rule`].
    DeviceByRule,
}

impl Rung {
    /// The loops with which the article begins, on a CPU.
    pub(crate) const NAIVE: Rung = Rung { rows: RowSteps::Whole, in_place: true, ..Rung::ELEMENTS };
    /// One kernel for each row, and transposes on the host.
    pub(crate) const ROWS: Rung = Rung { rows: RowSteps::Levels(LaunchMode::Lines(GroupShape::Driver)), ..Rung::RANGE };
    /// One kernel for all rows.
    pub(crate) const RANGE: Rung = Rung { transposes: TransposeLaunch::Host, ..Rung::ELEMENTS };
    /// Transposes on the device.
    pub(crate) const ELEMENTS: Rung = Rung {
        rows: RowSteps::Levels(LaunchMode::Range(GroupShape::Driver)),
        transposes: TransposeLaunch::Device(GroupShape::Driver),
        side: 1,
        in_place: false,
        padded: false,
        radices: &MIXED,
    };
    /// 2 × 2 elements for each thread.
    pub(crate) const BLOCKS: Rung = Rung { side: 2, ..Rung::ELEMENTS };
    /// 4 × 4 elements for each thread.
    pub(crate) const LARGE_BLOCKS: Rung = Rung { side: 4, ..Rung::ELEMENTS };
    /// Two blocks of 2 × 2 for each thread, which exchanges them.
    pub(crate) const IN_PLACE: Rung = Rung { in_place: true, ..Rung::BLOCKS };
    /// Work groups of 2 × 4 for transposes.
    pub(crate) const GROUPS: Rung =
        Rung { transposes: TransposeLaunch::Device(GroupShape::Fixed([2, 4])), ..Rung::IN_PLACE };
    /// Work groups by the article's rule.
    pub(crate) const RULE: Rung = Rung { transposes: TransposeLaunch::DeviceByRule, ..Rung::IN_PLACE };
    /// Odd lengths padded to even ones.
    pub(crate) const PADDED: Rung = Rung { padded: true, ..Rung::RULE };
    /// Radix 2 only.
    pub(crate) const RADIX_2: Rung = Rung { radices: &[2], ..Rung::GROUPS };
}

const MIXED: [usize; 6] = [8, 7, 5, 4, 3, 2];

/// The article's work groups for a square range of so many items a side: 2 × 4 or 1 × 2 where their
/// sides divide it, and else the driver's.
fn rule(items: usize) -> GroupShape {
    match items {
        _ if items % 4 == 0 => GroupShape::Fixed([2, 4]),
        _ if items % 2 == 0 => GroupShape::Fixed([1, 2]),
        _ => GroupShape::Driver,
    }
}

/// The stages of a rung. `None` unless the problem is a complex FFT of a whole matrix in C order,
/// whose lengths are products of these radices. Transposes in place need a square matrix.
pub(crate) fn stages(problem: &Problem, rung: Rung) -> Option<Vec<Stage>> {
    let natural = ArrayDesc::natural(problem.input(), Domain::Complex);
    let [height, width] = *natural.lengths else { return None };
    if !problem.output().is_c_order() || rung.in_place && height != width {
        return None;
    }
    let array = natural.padded(if rung.padded { rung.side } else { 1 });
    let transposed = array.ordered(&[1, 0]);
    let along = |axis: usize| problem.transforms().iter().find(|transform| transform.axis == axis);
    let mut stages = rung.rows(&natural, &array, along(1)?, 1.0)?;
    stages.push(rung.transpose(&array, &transposed));
    stages.extend(rung.rows(&transposed, &transposed, along(0)?, problem.scale())?);
    stages.push(rung.transpose(&transposed, &array));
    if array != natural {
        let copy = FftWork::DigitReversal { axis: 1, radices: vec![], scale: 1.0 };
        let launches = LaunchMode::Range(GroupShape::Driver);
        stages.push(Stage::fft_step(&array, &natural, FftStep { work: copy, in_place: false, launches }));
    }
    Some(stages)
}

impl Rung {
    /// The FFTs of rows from one array to another.
    fn rows(self, from: &ArrayDesc, to: &ArrayDesc, transform: &AxisTransform, scale: f64) -> Option<Vec<Stage>> {
        let AxisTransform { axis, n, sum, .. } = *transform;
        let (radices, backward) = (radices(n, self.radices)?, is_backward(sum)?);
        let launches = match self.rows {
            RowSteps::Levels(launches) => launches,
            RowSteps::Whole => {
                let step = FftStep::new(FftWork::Whole { axis, radices, backward, scale });
                return Some(vec![Stage::fft_step(from, to, step)]);
            }
        };
        let level = |level| FftStep { work: FftWork::Level(level), in_place: true, launches };
        let levels = Level::in_time(axis, &radices, backward).into_iter().map(level);
        let reverse = FftStep { work: FftWork::DigitReversal { axis, radices, scale }, in_place: false, launches };
        let levels = levels.map(|step| Stage::fft_step(to, to, step));
        Some([Stage::fft_step(from, to, reverse)].into_iter().chain(levels).collect())
    }

    fn transpose(self, from: &ArrayDesc, to: &ArrayDesc) -> Stage {
        let Rung { side, in_place, .. } = self;
        let launches = match self.transposes {
            TransposeLaunch::Host => LaunchMode::Host,
            TransposeLaunch::Device(groups) => LaunchMode::Range(groups),
            TransposeLaunch::DeviceByRule => LaunchMode::Range(rule(from.lengths[0].div_ceil(side))),
        };
        Stage::fft_step(from, to, FftStep { work: FftWork::Transpose { side, width: side.min(2) }, in_place, launches })
    }
}

/// The factorisation of n into radices, if there is one.
fn radices(n: usize, known: &[usize]) -> Option<Vec<usize>> {
    let (mut rest, mut found) = (n, vec![]);
    while rest > 1 {
        let radix = *known.iter().find(|radix| rest % **radix == 0)?;
        found.push(radix);
        rest /= radix;
    }
    Some(found)
}

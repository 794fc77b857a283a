//! The ladder of "Speeding up the fast Fourier transform mixed-radix on mobile ARM Mali GPUs by
//! means of OpenCL", part 3 (G. M. Iodice, ARM): the complex FFT of a matrix by rows, in place from
//! digit-reversed order by levels in time, a transpose, rows, a transpose. A rung differs from the
//! one below by one change: how kernels are launched, where and how the transposes are done.
//!
//! The article pads odd sizes for its 2 × 2 blocks; here the threads at the edge have guards. It
//! gives the digit reversal an array of places; here they are computed.

use crate::baseline::fft_step::{Decimation, FftStep, FftWork, LaunchMode, Level};
use crate::baseline::levels::is_backward;
use crate::baseline::stage::{ArrayDesc, Stage};
use crate::problem::element::Domain;
use crate::problem::problem::{AxisTransform, Problem};

/// A rung.
#[derive(Clone, Copy)]
pub(crate) struct Rung {
    /// Of the steps along rows.
    pub(crate) rows: LaunchMode,
    /// Of the transposes.
    pub(crate) transposes: LaunchMode,
    /// Side of the square that a thread transposes.
    pub(crate) side: usize,
    pub(crate) in_place: bool,
    /// The radices of levels, best first.
    pub(crate) radices: &'static [usize],
}

impl Rung {
    /// The lowest of the device: a kernel for every row, transposes by the host.
    pub(crate) const LOWEST: Rung =
        Rung { rows: LaunchMode::Lines, transposes: LaunchMode::Host, side: 1, in_place: false, radices: &MIXED };
    /// The highest: one kernel for all rows, and for transposes in place of 2 × 2 elements a
    /// thread, in work groups of 2 × 4.
    pub(crate) const HIGHEST: Rung = Rung {
        rows: LaunchMode::Once,
        transposes: LaunchMode::Groups([2, 4]),
        side: 2,
        in_place: true,
        radices: &MIXED,
    };
}

const MIXED: [usize; 6] = [8, 7, 5, 4, 3, 2];

/// The stages, if the problem is a complex FFT of a whole matrix of lengths with these radices,
/// written in C order; for transposes in place, of a square one.
pub(crate) fn stages(problem: &Problem, rung: Rung) -> Option<Vec<Stage>> {
    let array = ArrayDesc::natural(problem.input(), Domain::Complex);
    let [height, width] = *array.lengths else { return None };
    if !problem.output().is_c_order() || rung.in_place && height != width {
        return None;
    }
    let turned = array.ordered(&[1, 0]);
    let along = |axis: usize| problem.transforms().iter().find(|transform| transform.axis == axis);
    let mut stages = rows(&array, along(1)?, rung, 1.0)?;
    stages.push(transpose(&array, &turned, rung));
    stages.extend(rows(&turned, along(0)?, rung, problem.scale())?);
    stages.push(transpose(&turned, &array, rung));
    Some(stages)
}

fn rows(array: &ArrayDesc, transform: &AxisTransform, rung: Rung, scale: f64) -> Option<Vec<Stage>> {
    let AxisTransform { axis, n, sum, .. } = *transform;
    let (radices, backward) = (radices(n, rung.radices)?, is_backward(sum)?);
    let distances = radices.iter().scan(1, |next, radix| {
        *next *= radix;
        Some(*next / radix)
    });
    let level = |(&radix, distance)| FftStep {
        work: FftWork::Level(Level { axis, radix, distance, decimation: Decimation::InTime, backward }),
        in_place: true,
        launches: rung.rows,
    };
    let levels = radices.iter().zip(distances).map(level);
    let reverse = FftWork::DigitReversal { axis, radices: radices.clone(), scale };
    let reverse = FftStep { work: reverse, in_place: false, launches: rung.rows };
    Some([reverse].into_iter().chain(levels).map(|step| Stage::fft_step(array, array, step)).collect())
}

fn transpose(from: &ArrayDesc, to: &ArrayDesc, rung: Rung) -> Stage {
    let Rung { side, in_place, transposes, .. } = rung;
    Stage::fft_step(from, to, FftStep { work: FftWork::Transpose { side }, in_place, launches: transposes })
}

/// The radices that make n, the best first, unless others are needed.
fn radices(n: usize, known: &[usize]) -> Option<Vec<usize>> {
    let (mut rest, mut found) = (n, vec![]);
    while rest > 1 {
        let radix = *known.iter().find(|radix| rest % **radix == 0)?;
        found.push(radix);
        rest /= radix;
    }
    Some(found)
}

//! A sequence of optimisations from "Speeding up the fast Fourier transform mixed-radix on mobile
//! ARM Mali GPUs by means of OpenCL", part 3 (G. M. Iodice, ARM). It computes the complex FFT of a
//! matrix by FFTs of the rows, a transpose, FFTs of the rows, and a transpose. The FFT of a row is
//! a digit reversal followed by levels with decimation in time in place. Each rung of the ladder
//! differs from the one below by one change, either in launching kernels or in transposing.
//!
//! Two details differ from the article. It pads odd sizes for its 2 × 2 blocks, while here the
//! threads at the edge check bounds. Its digit reversal reads an array of indices, which are
//! computed here.

use crate::baseline::fft_step::{Decimation, FftStep, FftWork, LaunchMode, Level};
use crate::baseline::levels::is_backward;
use crate::baseline::stage::{ArrayDesc, Stage};
use crate::problem::element::Domain;
use crate::problem::problem::{AxisTransform, Problem};

/// One rung of the ladder.
#[derive(Clone, Copy)]
pub(crate) struct Rung {
    /// The launches of steps along rows.
    pub(crate) rows: LaunchMode,
    /// The launches of transposes.
    pub(crate) transposes: LaunchMode,
    /// The side of the square that a thread transposes.
    pub(crate) side: usize,
    pub(crate) in_place: bool,
    /// The radices of levels in the order of preference.
    pub(crate) radices: &'static [usize],
}

impl Rung {
    /// The lowest rung: one kernel for each row, and transposes on the host.
    pub(crate) const LOWEST: Rung =
        Rung { rows: LaunchMode::Lines, transposes: LaunchMode::Host, side: 1, in_place: false, radices: &MIXED };
    /// The highest rung: one kernel for all rows, and one for a transpose in place with 2 × 2
    /// elements for each thread and 2 × 4 threads in a work group.
    pub(crate) const HIGHEST: Rung = Rung {
        rows: LaunchMode::Once,
        transposes: LaunchMode::Groups([2, 4]),
        side: 2,
        in_place: true,
        radices: &MIXED,
    };
}

const MIXED: [usize; 6] = [8, 7, 5, 4, 3, 2];

/// The stages of a rung. `None` unless the problem is a complex FFT of a whole matrix in C order,
/// whose lengths are products of these radices. Transposes in place need a square matrix.
pub(crate) fn stages(problem: &Problem, rung: Rung) -> Option<Vec<Stage>> {
    let array = ArrayDesc::natural(problem.input(), Domain::Complex);
    let [height, width] = *array.lengths else { return None };
    if !problem.output().is_c_order() || rung.in_place && height != width {
        return None;
    }
    let transposed = array.ordered(&[1, 0]);
    let along = |axis: usize| problem.transforms().iter().find(|transform| transform.axis == axis);
    let mut stages = rows(&array, along(1)?, rung, 1.0)?;
    stages.push(transpose(&array, &transposed, rung));
    stages.extend(rows(&transposed, along(0)?, rung, problem.scale())?);
    stages.push(transpose(&transposed, &array, rung));
    Some(stages)
}

fn rows(array: &ArrayDesc, transform: &AxisTransform, rung: Rung, scale: f64) -> Option<Vec<Stage>> {
    let AxisTransform { axis, n, transform1d, .. } = *transform;
    let (radices, backward) = (radices(n, rung.radices)?, is_backward(transform1d)?);
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

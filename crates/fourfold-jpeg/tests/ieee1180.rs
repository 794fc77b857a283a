//! The conformance procedure for 8×8 inverse DCTs of IEEE Std 1180-1990, which ISO/IEC 23002-1
//! takes over: 10,000 blocks of random samples from each of three ranges, and with opposite signs;
//! six runs.

mod common;

use fourfold::Isa;
use fourfold_jpeg::Mode;
use fourfold_jpeg::blocks::{Inverse, Layout, Table};

/// The generator of the standard's annex A.
struct Random(u32);

impl Random {
    /// From −low to high.
    fn next(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self.0.wrapping_mul(1_103_515_245).wrapping_add(12345);
        let x = f64::from(self.0 & 0x7fff_fffe) / f64::from(0x7fff_ffffu32);
        (x * (low + high + 1) as f64) as i64 - low
    }
}

const BLOCKS: usize = 10_000;

/// The errors that the standard bounds.
#[derive(Debug)]
struct Errors {
    /// Of one sample, at most.
    peak: f64,
    /// Mean squares: of one place in the block, at most; of all.
    worst_square: f64,
    square: f64,
    /// Means: of one place in the block, at most; of all.
    worst_mean: f64,
    mean: f64,
}

/// Steps 1 to 6 of the procedure: coefficients of random samples, rounded and clipped to 12 bits.
fn coefficients(low: i64, high: i64, sign: f64) -> Vec<i16> {
    let mut random = Random(1);
    let mut block = || {
        let samples = std::array::from_fn(|_| sign * random.next(low, high) as f64);
        common::forward(&samples).map(|x| x.round().clamp(-2048.0, 2047.0) as i16)
    };
    (0..BLOCKS).flat_map(|_| block()).collect()
}

/// Steps 7 to 9: both inverses clipped to 9 bits, and their differences.
fn errors(mode: Mode, isa: Isa, coefficients: &[i16], exact: &[[f64; 64]]) -> Errors {
    let mut samples = vec![0i16; coefficients.len()];
    let table = Table::raster([1; 64]);
    let component = Inverse { coefficients, table: &table, samples: &mut samples[..], layout: Layout::Blocks };
    common::transform(mode, isa).inverse(&mut [component]).unwrap();
    let (mut peak, mut sums, mut squares) = (0.0f64, [0.0; 64], [0.0; 64]);
    for (exact, samples) in exact.iter().zip(samples.as_chunks::<64>().0) {
        for i in 0..64 {
            let error = f64::from(samples[i].clamp(-256, 255)) - exact[i].round().clamp(-256.0, 255.0);
            peak = peak.max(error.abs());
            sums[i] += error;
            squares[i] += error * error;
        }
    }
    let n = BLOCKS as f64;
    Errors {
        peak,
        worst_square: squares.iter().fold(0.0f64, |most, x| most.max(x / n)),
        square: squares.iter().sum::<f64>() / (64.0 * n),
        worst_mean: sums.iter().fold(0.0f64, |most, x| most.max((x / n).abs())),
        mean: (sums.iter().sum::<f64>() / (64.0 * n)).abs(),
    }
}

/// For docs/accuracy.md.
fn row(mode: Mode, low: i64, high: i64, sign: f64, e: &Errors) -> String {
    let (mode, sign) = (format!("{mode:?}").to_lowercase(), if sign > 0.0 { '+' } else { '−' });
    let Errors { peak, worst_square, square, worst_mean, mean } = e;
    format!(
        "| {mode} | −{low} … {high} | {sign} | {peak} | {worst_square:.4} | {square:.6} | {worst_mean:.4} | {mean:.6} |"
    )
}

#[test]
fn all_six_runs_are_within_all_limits() {
    for (low, high) in [(256, 255), (5, 5), (300, 300)] {
        for sign in [1.0, -1.0] {
            let input = coefficients(low, high, sign);
            let exact: Vec<_> =
                input.as_chunks().0.iter().map(|block| common::inverse(&block.map(f64::from))).collect();
            for (isa, mode) in Isa::available().into_iter().flat_map(|isa| [(isa, Mode::Fast), (isa, Mode::Exact)]) {
                let e = errors(mode, isa, &input, &exact);
                if isa == Isa::best() {
                    println!("{}", row(mode, low, high, sign, &e));
                }
                let within = e.peak <= 1.0
                    && e.worst_square <= 0.06
                    && e.square <= 0.02
                    && e.worst_mean <= 0.015
                    && e.mean <= 0.0015;
                assert!(within, "{mode:?} {isa} -{low}..{high} {sign:+}: {e:?}");
            }
        }
    }
}

/// The last condition: of nothing comes nothing.
#[test]
fn zeros_give_zeros() {
    for (isa, mode) in Isa::available().into_iter().flat_map(|isa| [(isa, Mode::Fast), (isa, Mode::Exact)]) {
        let mut samples = [7i16; 128];
        let table = Table::raster([1; 64]);
        let component =
            Inverse { coefficients: &[0; 128], table: &table, samples: &mut samples[..], layout: Layout::Blocks };
        common::transform(mode, isa).inverse(&mut [component]).unwrap();
        assert_eq!(samples, [0; 128]);
    }
}

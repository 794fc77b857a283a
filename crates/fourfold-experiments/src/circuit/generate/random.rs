//! Distributions.

use fastrand::Rng;

/// The median width of a cell in sites, and the standard deviation of its logarithm. The mean is
/// 14: with the published shares, a region of adaptec1's cells is then as large as adaptec1's.
const WIDTH: (f64, f64) = (12.0, 0.6);

/// The narrowest and the widest cell.
pub(super) const WIDTHS: (f64, f64) = (4.0, 48.0);

/// A normally distributed number, by Box and Muller's method.
pub(super) fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.f64()).cos()
}

/// Widths of cells.
pub(super) fn widths(count: usize, rng: &mut Rng) -> Vec<f64> {
    let (median, deviation) = WIDTH;
    let width = |_| (median * (deviation * normal(rng)).exp()).round().clamp(WIDTHS.0, WIDTHS.1);
    (0..count).map(width).collect()
}

/// Log-normal parts of a whole, none of them more than 8 times the mean before all are scaled.
pub(super) fn parts(count: usize, whole: f64, deviation: f64, rng: &mut Rng) -> Vec<f64> {
    let most = 8.0 * (deviation * deviation / 2.0).exp();
    let mut parts: Vec<f64> = (0..count).map(|_| (deviation * normal(rng)).exp().min(most)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter_mut().for_each(|part| *part *= whole / sum);
    parts
}

/// The x in an interval at which an increasing function reaches a value, by bisection.
pub(super) fn solve(mut low: f64, mut high: f64, value: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if f(middle) < value { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

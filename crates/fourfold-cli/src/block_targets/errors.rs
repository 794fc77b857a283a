//! Errors of samples and coefficients, against the definition.

use std::f64::consts::PI;

use crate::block_targets::source::Source;

/// The most blocks of a component whose errors are measured, since the definition takes long: as
/// many as 8 megapixels have.
pub const MOST_BLOCKS: usize = 1 << 17;

/// α_k cos(πk(2n+1)/16) by k and n.
fn waves() -> [[f64; 8]; 8] {
    let wave = |k: usize, n: usize| {
        let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
        scale * (PI * (k * (2 * n + 1)) as f64 / 16.0).cos()
    };
    std::array::from_fn(|k| std::array::from_fn(|n| wave(k, n)))
}

/// y(i, j) = Σ_a Σ_b left(i, a) x(a, b) right(b, j), first along rows.
fn both_ways(x: &[f64; 64], left: impl Fn(usize, usize) -> f64, right: impl Fn(usize, usize) -> f64) -> [f64; 64] {
    let rows: [f64; 64] = std::array::from_fn(|i| (0..8).map(|b| x[i / 8 * 8 + b] * right(b, i % 8)).sum());
    std::array::from_fn(|i| (0..8).map(|a| left(i / 8, a) * rows[8 * a + i % 8]).sum())
}

/// The PSNR in dB of evenly chosen blocks; `None` if all agree. `error` gives a block's sum of
/// squared errors, in units of a sample.
fn psnr(blocks: usize, error: impl Fn(usize) -> f64) -> Option<f64> {
    let chosen = (0..blocks).step_by(blocks.div_ceil(MOST_BLOCKS).max(1));
    let samples = 64.0 * chosen.clone().count() as f64;
    let squares: f64 = chosen.map(error).sum();
    (squares > 0.0).then(|| 10.0 * (255.0 * 255.0 * samples / squares).log10())
}

/// The PSNR of samples against the rounded definition.
pub fn of_samples(source: &Source, samples: &[u8]) -> Option<f64> {
    let (waves, rows) = (waves(), source.table.rows().as_flattened());
    let (blocks, samples) = (source.coefficients.as_chunks::<64>().0, samples.as_chunks::<64>().0);
    psnr(blocks.len(), |number| {
        let values = std::array::from_fn(|i| f64::from(blocks[number][i]) * f64::from(rows[i]));
        let exact = both_ways(&values, |n, k| waves[k][n], |l, m| waves[l][m]);
        let error = |(x, &sample): (f64, &u8)| ((x + 128.0).round().clamp(0.0, 255.0) - f64::from(sample)).powi(2);
        exact.into_iter().zip(&samples[number]).map(error).sum()
    })
}

/// The PSNR of coefficients, times the table, against the rounded definition. By Parseval's theorem
/// this is the error of the samples that the coefficients stand for.
pub fn of_coefficients(source: &Source, samples: &[u8], coefficients: &[i16]) -> Option<f64> {
    let (waves, rows) = (waves(), source.table.rows().as_flattened());
    let (samples, blocks) = (samples.as_chunks::<64>().0, coefficients.as_chunks::<64>().0);
    psnr(blocks.len(), |number| {
        let values = std::array::from_fn(|i| f64::from(samples[number][i]) - 128.0);
        let exact = both_ways(&values, |k, n| waves[k][n], |m, l| waves[l][m]);
        let error = |i: usize| {
            let q = f64::from(rows[i]);
            ((exact[i] / q).round() - f64::from(blocks[number][i])).powi(2) * q * q
        };
        (0..64).map(error).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourfold_jpeg::blocks::{Forward, Inverse, Layout, Table};
    use fourfold_jpeg::{Mode, Transform};

    #[test]
    fn exact_transforms_have_small_errors_and_a_wrong_sample_shows() {
        let table = Table::luminance(90).unwrap();
        let coefficients: Vec<i16> = (0..640).map(|i| (i * 37 % 41 - 20) / (1 + i % 64)).collect();
        let mut source = Source { table, coefficients };
        let transform = Transform::builder().mode(Mode::Exact).build().unwrap();
        let (mut samples, layout) = (vec![0u8; 640], Layout::Blocks);
        let coefficients = &source.coefficients;
        transform.inverse(&mut [Inverse { coefficients, table: &table, samples: &mut samples[..], layout }]).unwrap();
        let mut back = vec![0; 640];
        transform
            .forward(&mut [Forward { samples: &samples, layout, table: &table, coefficients: &mut back }])
            .unwrap();
        assert!(of_samples(&source, &samples).is_none_or(|psnr| psnr > 55.0));
        assert!(of_coefficients(&source, &samples, &back).is_none_or(|psnr| psnr > 55.0));
        // Of 640 samples, one is wrong by 127; then one coefficient is wrong by 3.
        source.coefficients.fill(0);
        samples.fill(128);
        samples[7] = 255;
        let expected = 10.0 * (255.0f64 * 255.0 * 640.0 / (127.0 * 127.0)).log10();
        assert!((of_samples(&source, &samples).unwrap() - expected).abs() < 1e-9);
        (back, samples) = (vec![0; 640], vec![128; 640]);
        back[9] = 3;
        let error = 3.0 * f64::from(table.rows()[1][1]);
        let expected = 10.0 * (255.0f64 * 255.0 * 640.0 / (error * error)).log10();
        assert!((of_coefficients(&source, &samples, &back).unwrap() - expected).abs() < 1e-9);
    }
}

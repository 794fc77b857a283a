//! The definition, in double precision, and inputs.
#![allow(dead_code, reason = "not every test uses everything")]

use fourfold::Isa;
use fourfold_jpeg::blocks::Order;
use fourfold_jpeg::{Mode, Transform};
use std::f64::consts::PI;
use std::sync::LazyLock;

pub(crate) fn transform(mode: Mode, isa: Isa) -> Transform {
    Transform::builder().mode(mode).isa(isa).build().unwrap()
}

pub(crate) fn zigzag(mode: Mode, isa: Isa) -> Transform {
    Transform::builder().mode(mode).isa(isa).order(Order::Zigzag).build().unwrap()
}

/// α_k α_l cos(πk(2n+1)/16) cos(πl(2m+1)/16), by 8k + l and 8n + m.
static BASIS: LazyLock<[[f64; 64]; 64]> = LazyLock::new(|| {
    let scale = |k: usize| if k == 0 { 0.125f64.sqrt() } else { 0.5 };
    let wave = |k: usize, n: usize| scale(k) * (PI * (k * (2 * n + 1)) as f64 / 16.0).cos();
    std::array::from_fn(|k| std::array::from_fn(|n| wave(k / 8, n / 8) * wave(k % 8, n % 8)))
});

/// Samples of dequantised coefficients: the sum over all 64, for each.
pub(crate) fn inverse(coefficients: &[f64; 64]) -> [f64; 64] {
    std::array::from_fn(|n| (0..64).map(|k| coefficients[k] * BASIS[k][n]).sum())
}

/// Coefficients of samples.
pub(crate) fn forward(samples: &[f64; 64]) -> [f64; 64] {
    std::array::from_fn(|k| (0..64).map(|n| samples[n] * BASIS[k][n]).sum())
}

/// Coefficients as photographs have them: of random samples, smooth to rough, quantised.
pub(crate) fn blocks(rng: &mut fastrand::Rng, count: usize, table: &[u16; 64]) -> Vec<i16> {
    let mut block = || {
        let rough = rng.f64().powi(3);
        let spectrum: [f64; 64] = std::array::from_fn(|i| {
            let size = 900.0 * rough.powf((i / 8 + i % 8) as f64 / 6.0);
            (2.0 * rng.f64() - 1.0) * size
        });
        let samples = inverse(&spectrum).map(|x| x.clamp(-128.0, 127.0).round());
        let coefficients = forward(&samples);
        std::array::from_fn::<_, 64, _>(|i| (coefficients[i] / f64::from(table[i])).round() as i16)
    };
    (0..count).flat_map(|_| block()).collect()
}

/// Peak signal-to-noise ratio in dB, of samples of 8 bits.
pub(crate) fn psnr(a: &[u8], b: &[u8]) -> f64 {
    let error: f64 = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
    10.0 * (255.0 * 255.0 * a.len() as f64 / error.max(1e-9)).log10()
}

//! Pictures with smooth parts, edges and noise, of any size.

use fourfold_jpeg::Image;

/// The same for the same size and seed.
pub(crate) fn scene(width: usize, height: usize, channels: usize, seed: u64) -> Image {
    let mut rng = fastrand::Rng::with_seed(seed);
    let wave: Vec<[f64; 3]> = (0..channels).map(|_| std::array::from_fn(|_| 0.5 * rng.f64())).collect();
    let mut samples = Vec::with_capacity(width * height * channels);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y as f64, x as f64))) {
        let edge = if (x * wave[0][0] + y * wave[0][1]) % 7.0 < 2.0 { 60.0 } else { 0.0 };
        for [a, b, c] in &wave {
            let smooth = 127.0 + 110.0 * (a * x + 6.0 * c).sin() * (b * y + c * x).cos();
            samples.push((smooth + edge + 20.0 * (rng.f64() - 0.5)).clamp(0.0, 255.0) as u8);
        }
    }
    Image { width, height, channels, samples }
}

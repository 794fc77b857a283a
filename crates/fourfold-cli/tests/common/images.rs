//! Images for tests.

use std::path::Path;

use image::{ColorType, DynamicImage, ExtendedColorType};

pub(crate) const COLORS: [ColorType; 8] = [
    ColorType::L8,
    ColorType::La8,
    ColorType::Rgb8,
    ColorType::Rgba8,
    ColorType::L16,
    ColorType::La16,
    ColorType::Rgb16,
    ColorType::Rgba16,
];

/// Some smooth structure and some noise, as bytes of an image of the given type.
pub(crate) fn picture(width: usize, height: usize, color: ColorType) -> Vec<u8> {
    let channels = usize::from(color.channel_count());
    let mut seed = 1u32;
    let mut samples = (0..width * height * channels).map(|index| {
        let (pixel, channel) = (index / channels, index % channels);
        let (x, y) = ((pixel % width) as f64 / 5.0, (pixel / width) as f64 / 7.0);
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        0.5 + 0.35 * (x + channel as f64).sin() * y.cos() + 0.1 * f64::from(seed >> 8) / f64::from(1 << 24)
    });
    match is_deep(color) {
        false => samples.map(|sample| (255.0 * sample) as u8).collect(),
        true => samples.by_ref().flat_map(|sample| ((65535.0 * sample) as u16).to_ne_bytes()).collect(),
    }
}

pub(crate) fn is_deep(color: ColorType) -> bool {
    color.bytes_per_pixel() == 2 * color.channel_count()
}

pub(crate) fn save(path: &Path, bytes: &[u8], width: usize, height: usize, color: ColorType) {
    image::save_buffer(path, bytes, width as u32, height as u32, ExtendedColorType::from(color)).unwrap();
}

/// Each channel's samples on 0 … 255, row by row.
pub(crate) fn planes(image: &DynamicImage) -> Vec<Vec<f64>> {
    let channels = usize::from(image.color().channel_count());
    let samples: Vec<f64> = match is_deep(image.color()) {
        false => image.as_bytes().iter().map(|&sample| sample.into()).collect(),
        true => image.as_bytes().chunks(2).map(|b| f64::from(u16::from_ne_bytes([b[0], b[1]])) / 257.0).collect(),
    };
    (0..channels).map(|channel| samples.iter().skip(channel).step_by(channels).copied().collect()).collect()
}

/// The number after a word on one of the lines.
pub(crate) fn number(report: &str, word: &str) -> f64 {
    let line = report.lines().find(|line| line.starts_with(word)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

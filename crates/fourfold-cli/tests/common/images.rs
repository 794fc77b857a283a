//! Images for tests.
#![allow(dead_code)] // each test file uses its own part

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;

use fourfold_jpeg::{Limits, Mode, Sampling, Transform};
use png::{BitDepth, ColorType, Decoder, Encoder};

/// Channels and depth.
pub(crate) type Color = (ColorType, BitDepth);

pub(crate) const L8: Color = (ColorType::Grayscale, BitDepth::Eight);
pub(crate) const LA8: Color = (ColorType::GrayscaleAlpha, BitDepth::Eight);
pub(crate) const RGB8: Color = (ColorType::Rgb, BitDepth::Eight);
pub(crate) const RGBA8: Color = (ColorType::Rgba, BitDepth::Eight);
pub(crate) const L16: Color = (ColorType::Grayscale, BitDepth::Sixteen);
pub(crate) const LA16: Color = (ColorType::GrayscaleAlpha, BitDepth::Sixteen);
pub(crate) const RGB16: Color = (ColorType::Rgb, BitDepth::Sixteen);
pub(crate) const RGBA16: Color = (ColorType::Rgba, BitDepth::Sixteen);

pub(crate) const COLORS: [Color; 8] = [L8, LA8, RGB8, RGBA8, L16, LA16, RGB16, RGBA16];

/// An image as it is in a file: 16-bit samples are two bytes each, the higher first.
#[derive(Debug, PartialEq)]
pub(crate) struct Image {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) color: Color,
    pub(crate) bytes: Vec<u8>,
}

/// Some smooth structure and some noise, as bytes of an image of the given type.
pub(crate) fn picture(width: usize, height: usize, color: Color) -> Vec<u8> {
    let channels = color.0.samples();
    let mut seed = 1u32;
    let mut samples = (0..width * height * channels).map(|index| {
        let (pixel, channel) = (index / channels, index % channels);
        let (x, y) = ((pixel % width) as f64 / 5.0, (pixel / width) as f64 / 7.0);
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        0.5 + 0.35 * (x + channel as f64).sin() * y.cos() + 0.1 * f64::from(seed >> 8) / f64::from(1 << 24)
    });
    match is_deep(color) {
        false => samples.map(|sample| (255.0 * sample) as u8).collect(),
        true => samples.by_ref().flat_map(|sample| ((65535.0 * sample) as u16).to_be_bytes()).collect(),
    }
}

pub(crate) fn is_deep(color: Color) -> bool {
    color.1 == BitDepth::Sixteen
}

pub(crate) fn has_alpha(color: Color) -> bool {
    color.0.samples() % 2 == 0
}

/// Writes a PNG, or a JPEG where the name says so.
pub(crate) fn save(path: &Path, bytes: &[u8], width: usize, height: usize, color: Color) {
    if path.extension().is_some_and(|extension| extension == "jpg") {
        let image = fourfold_jpeg::Image { width, height, channels: color.0.samples(), samples: bytes.to_vec() };
        let file = fourfold_jpeg::encode(&image, 75, Sampling::Full, &exact()).unwrap();
        return fs::write(path, file).unwrap();
    }
    let mut encoder = Encoder::new(File::create(path).unwrap(), width as u32, height as u32);
    encoder.set_color(color.0);
    encoder.set_depth(color.1);
    encoder.write_header().unwrap().write_image_data(bytes).unwrap();
}

/// Writes an RGB image whose pixels are given by column and row.
pub(crate) fn save_rgb(path: &Path, width: usize, height: usize, pixel: impl Fn(usize, usize) -> [u8; 3]) {
    let bytes: Vec<u8> = (0..width * height).flat_map(|i| pixel(i % width, i / width)).collect();
    save(path, &bytes, width, height, RGB8);
}

/// Reads a PNG as it is, or a JPEG.
pub(crate) fn open(path: &Path) -> Image {
    let file = fs::read(path).unwrap();
    if file.starts_with(b"\xff\xd8") {
        let image = fourfold_jpeg::decode(&file, &exact(), &Limits::default()).unwrap().value;
        let color = if image.channels == 1 { L8 } else { RGB8 };
        return Image { width: image.width, height: image.height, color, bytes: image.samples };
    }
    let mut reader = Decoder::new(Cursor::new(&file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let color = (info.color_type, info.bit_depth);
    Image { width: info.width as usize, height: info.height as usize, color, bytes }
}

fn exact() -> Transform {
    Transform::builder().mode(Mode::Exact).build().unwrap()
}

impl Image {
    /// Turned right by a quarter.
    pub(crate) fn turned_right(&self) -> Image {
        let (width, height, color) = (self.height, self.width, self.color);
        let size = self.bytes.len() / (width * height);
        let pixel = |x: usize, y: usize| &self.bytes[((self.height - 1 - x) * self.width + y) * size..][..size];
        let bytes = (0..width * height).flat_map(|i| pixel(i % width, i / width)).copied().collect();
        Image { width, height, color, bytes }
    }

    /// Each channel's samples on 0 … 255, row by row.
    pub(crate) fn planes(&self) -> Vec<Vec<f64>> {
        let channels = self.color.0.samples();
        let samples: Vec<f64> = match is_deep(self.color) {
            false => self.bytes.iter().map(|&sample| sample.into()).collect(),
            true => self.bytes.chunks(2).map(|b| f64::from(u16::from_be_bytes([b[0], b[1]])) / 257.0).collect(),
        };
        (0..channels).map(|channel| samples.iter().skip(channel).step_by(channels).copied().collect()).collect()
    }
}

/// The number after a word on one of the lines.
pub(crate) fn number(report: &str, word: &str) -> f64 {
    let line = report.lines().find(|line| line.starts_with(word)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

//! Arrays as images: a map of colours, or a curve.

use std::io::Write;

use anyhow::{Result, ensure};
use png::EncodingError;

use crate::array::zeros;
use crate::picture::png_file::write_rgb;

/// The sides of an image: small arrays are enlarged to about the lesser, and of large ones only
/// some elements are drawn.
const LEAST: usize = 384;
const MOST: usize = 2048;

/// The image of a curve.
const CURVE: [usize; 2] = [640, 320];

/// The colours of the least to the greatest value, from viridis of Matplotlib.
const COLORS: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];

/// An image of an array.
pub struct Plot {
    size: [usize; 2],
    samples: Vec<u8>,
}

impl Plot {
    /// Draws an array in C order: of one axis as a curve, of two as a map with axis 0 downwards, and
    /// of more the map in the middle of the first axes.
    ///
    /// # Errors
    /// If there are no elements, or one is not finite, or if memory is lacking.
    pub fn new(shape: &[usize], at: impl Fn(usize) -> f64) -> Result<Plot> {
        let (height, width) = match *shape {
            [.., height, width] => (height, width),
            [width] => (1, width),
            [] => (0, 0),
        };
        ensure!(height * width > 0, "an array of shape {shape:?} has nothing to draw");
        let planes = shape[..shape.len().saturating_sub(2)].iter();
        let middle = planes.fold(0, |index, n| index * n + n / 2) * height * width;
        let at = |row: usize, column: usize| at(middle + row * width + column);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            let value = at(row, column);
            ensure!(value.is_finite(), "the element at {row}, {column} is {value}, which cannot be drawn");
            (least, greatest) = (least.min(value), greatest.max(value));
        }
        let part = |row, column| if greatest > least { (at(row, column) - least) / (greatest - least) } else { 0.5 };
        if shape.len() == 1 { Plot::curve(width, |n| part(0, n)) } else { Plot::map([height, width], part) }
    }

    /// A map of numbers from 0 to 1.
    fn map([height, width]: [usize; 2], part: impl Fn(usize, usize) -> f64) -> Result<Plot> {
        let longest = height.max(width);
        let (times, step) = ((LEAST / longest).max(1), longest.div_ceil(MOST));
        let size = [width, height].map(|n| n.div_ceil(step) * times);
        let mut samples = zeros(3 * size[0] * size[1])?;
        for (i, pixel) in samples.chunks_exact_mut(3).enumerate() {
            let [row, column] = [i / size[0], i % size[0]].map(|place| place / times * step);
            pixel.copy_from_slice(&color(part(row, column)));
        }
        Ok(Plot { size, samples })
    }

    /// A curve through numbers from 0 to 1.
    fn curve(count: usize, part: impl Fn(usize) -> f64) -> Result<Plot> {
        let [width, height] = CURVE;
        let mut samples = zeros(3 * width * height)?;
        samples.fill(255);
        let row = |column: usize| {
            let n = (column * count.saturating_sub(1)) as f64 / (width - 1) as f64;
            let (low, rest) = ((n as usize).min(count - 1), n.fract());
            let value = part(low) * (1.0 - rest) + part((low + 1).min(count - 1)) * rest;
            ((1.0 - value) * (height - 3) as f64) as usize + 1
        };
        for column in 0..width {
            let ends = [row(column), row(column.saturating_sub(1))];
            for row in ends[0].min(ends[1]).saturating_sub(1)..=ends[0].max(ends[1]) {
                samples[3 * (row * width + column)..][..3].copy_from_slice(&color(0.25));
            }
        }
        Ok(Plot { size: CURVE, samples })
    }

    /// Writes the image as PNG.
    pub fn write(&self, to: &mut impl Write) -> Result<(), EncodingError> {
        write_rgb(to, self.size, &self.samples)
    }
}

/// The colour of a number from 0 to 1.
fn color(part: f64) -> [u8; 3] {
    let place = part.clamp(0.0, 1.0) * (COLORS.len() - 1) as f64;
    let low = (place as usize).min(COLORS.len() - 2);
    let rest = place - low as f64;
    [0, 1, 2].map(|i| (COLORS[low][i] * (1.0 - rest) + COLORS[low + 1][i] * rest).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_have_the_first_and_the_last_colour() {
        let plot = Plot::new(&[2, 3], |i| i as f64).unwrap();
        let times = LEAST / 3;
        assert_eq!((plot.size, plot.samples.len()), ([3 * times, 2 * times], 18 * times * times));
        assert_eq!(
            (&plot.samples[..3], &plot.samples[plot.samples.len() - 3..]),
            (&[68, 1, 84][..], &[253, 231, 37][..])
        );
        // Of a volume the middle plane: here elements 6 to 11.
        let plane = Plot::new(&[3, 2, 3], |i| (i as f64 - 5.5).abs()).unwrap();
        assert_eq!(&plane.samples[..3], &[68, 1, 84]);
    }

    #[test]
    fn a_curve_rises_from_the_lower_left_to_the_upper_right() {
        let Plot { samples, .. } = Plot::new(&[50], |i| i as f64).unwrap();
        let is_blue = |column: usize, row: usize| samples[3 * (row * CURVE[0] + column)] < 255;
        assert!(is_blue(0, CURVE[1] - 2) && is_blue(CURVE[0] - 1, 1) && !is_blue(0, 1));
    }

    #[test]
    fn large_equal_and_infinite_arrays() {
        assert_eq!(Plot::new(&[1, 5000], |i| i as f64).unwrap().size, [1667, 1]);
        assert!(Plot::new(&[4, 4], |_| 1.0).is_ok());
        assert!(Plot::new(&[1], |_| 1.0).is_ok());
        assert!(Plot::new(&[2, 2], |i| 1.0 / i as f64).is_err());
        assert!(Plot::new(&[0, 2], |_| 1.0).is_err());
    }
}

//! Pixels as a file.

use crate::argument;
use crate::blocks::{Forward, Transform};
use crate::codec::resample::halve;
use crate::codec::{Coefficients, Color, Component, Image, color};
use crate::ffi;
use crate::memory::zeros;
use fourfold::Result;
use fourfold::engine::jpeg::{Layout, Table};

/// How many pixels share colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// 4:4:4: every pixel has its own.
    Full,
    /// 4:2:2: two side by side.
    Half,
    /// 4:2:0: two by two.
    #[default]
    Quarter,
}

impl Sampling {
    /// Pixels across and down.
    fn factors(self) -> [usize; 2] {
        match self {
            Sampling::Full => [1, 1],
            Sampling::Half => [2, 1],
            Sampling::Quarter => [2, 2],
        }
    }
}

/// Encodes an image as libjpeg does by default: a baseline file with the tables of annex K at a
/// quality from 1 to 100. In [`Mode::Exact`](crate::Mode) the coefficients are libjpeg-turbo's.
///
/// # Errors
/// If the image is empty, larger than 65,500 pixels a side, or has not its samples; if the quality
/// is none; or there is not the memory.
pub fn encode(image: &Image, quality: u8, sampling: Sampling, transform: &Transform) -> Result<Vec<u8>> {
    check(image)?;
    let tables = [Table::luminance(quality)?, Table::chrominance(quality)?];
    let [horizontal, vertical] = if image.channels == 1 { [1, 1] } else { sampling.factors() };
    let component = |index: usize| {
        let [h, v] = if index == 0 { [horizontal, vertical] } else { [1, 1] };
        let across = (image.width * h).div_ceil(8 * horizontal);
        let down = (image.height * v).div_ceil(8 * vertical);
        Component { horizontal: h, vertical: v, across, down, table: tables[index.min(1)] }
    };
    let components: Vec<_> = (0..image.channels).map(component).collect();
    let planes = planes(image, &components)?;
    let no_coefficients = |c: &Component| zeros::<[i16; 64]>(c.across * c.down, "coefficients");
    let mut blocks = components.iter().map(no_coefficients).collect::<Result<Vec<_>>>()?;
    let mut work = Vec::new();
    for ((component, plane), blocks) in components.iter().zip(&planes).zip(&mut blocks) {
        let layout = Layout::Rows { across: component.across, stride: 8 * component.across };
        let coefficients = blocks.as_flattened_mut();
        work.push(Forward { samples: plane, layout, table: &component.table, coefficients });
    }
    transform.forward(&mut work)?;
    let color = if image.channels == 1 { Color::Grey } else { Color::YCbCr };
    ffi::write::write(&Coefficients { width: image.width, height: image.height, color, components, blocks })
}

fn check(image: &Image) -> Result<()> {
    let Image { width, height, channels, samples } = image;
    if ![1, 3].contains(channels) {
        return Err(argument(format!("{channels} channels: 1 and 3 can be written")));
    }
    const MOST: usize = 65_500;
    if !(1..=MOST).contains(width) || !(1..=MOST).contains(height) {
        return Err(argument(format!("{width}x{height} pixels: each side must have 1 to {MOST}")));
    }
    if samples.len() != width * height * channels {
        return Err(argument(format!("{} samples are not those of {width}x{height}x{channels}", samples.len())));
    }
    Ok(())
}

/// The components' samples, in whole blocks. What is beyond the image's right and lower edge
/// repeats what is at the edge: pixels to the right and in the last group that shares colour,
/// samples below it.
fn planes(image: &Image, components: &[Component]) -> Result<Vec<Vec<u8>>> {
    let across = components[0].horizontal * components[components.len() - 1].across * 8;
    let width = across.max(8 * components[0].across);
    let samples = |count: usize| zeros::<u8>(count, "samples");
    let mut planes = components.iter().map(|c| samples(64 * c.across * c.down)).collect::<Result<Vec<_>>>()?;
    planes.iter_mut().for_each(Vec::clear);
    let group = components[0].vertical;
    let mut rows = (0..group * components.len()).map(|_| samples(width)).collect::<Result<Vec<_>>>()?;
    for y in (0..image.height).step_by(group) {
        for (index, rows) in rows.chunks_mut(components.len()).enumerate() {
            separate(image, (y + index).min(image.height - 1), rows);
        }
        for (index, (component, plane)) in components.iter().zip(&mut planes).enumerate() {
            let own = |row: usize| &rows[row * components.len() + index][..];
            match [components[0].horizontal / component.horizontal, group / component.vertical] {
                [1, _] => {
                    (0..group.min(image.height - y)).for_each(|row| plane.extend(&own(row)[..8 * component.across]))
                }
                [_, down] => {
                    let start = plane.len();
                    plane.resize(start + 8 * component.across, 0);
                    halve(own(0), (down == 2).then(|| own(1)), &mut plane[start..]);
                }
            }
        }
    }
    for (component, plane) in components.iter().zip(&mut planes) {
        let stride = 8 * component.across;
        while plane.len() < 64 * component.across * component.down {
            plane.extend_from_within(plane.len() - stride..);
        }
    }
    Ok(planes)
}

/// A row of pixels as a row of each component, the last pixel repeated.
fn separate(image: &Image, y: usize, rows: &mut [Vec<u8>]) {
    let channels = image.channels;
    let pixels = &image.samples[y * image.width * channels..][..image.width * channels];
    if let [grey] = rows {
        grey[..image.width].copy_from_slice(pixels);
    } else {
        for (x, &pixel) in pixels.as_chunks().0.iter().enumerate() {
            let components = color::from_rgb(pixel);
            rows.iter_mut().zip(components).for_each(|(row, sample)| row[x] = sample);
        }
    }
    for row in rows {
        let last = row[image.width - 1];
        row[image.width..].fill(last);
    }
}

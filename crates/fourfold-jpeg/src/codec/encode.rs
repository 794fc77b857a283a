//! Encodes pixels as a file.

use crate::blocks::{Forward, Transform};
use crate::codec::color;
use crate::codec::image::Image;
use crate::codec::resample::downsample;
use crate::coefficients::{Coefficients, Color, Component};
use crate::error::argument;
use crate::ffi::write;
use crate::limits::check_writable_size;
use crate::memory::zeros;
use fourfold::Result;
use fourfold::engine::jpeg::{Layout, Table};

/// Chroma subsampling: the pixels that share a sample of Cb and of Cr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// 4:4:4: none.
    Full,
    /// 4:2:2: two neighbours in a row.
    Half,
    /// 4:2:0: two by two.
    #[default]
    Quarter,
}

impl Sampling {
    /// The sampling factors of Y, horizontally and vertically; those of Cb and Cr are 1.
    fn factors(self) -> [usize; 2] {
        match self {
            Sampling::Full => [1, 1],
            Sampling::Half => [2, 1],
            Sampling::Quarter => [2, 2],
        }
    }
}

/// Encodes an image as libjpeg does by default: a baseline file, grey or YCbCr, with the tables of
/// ITU-T T.81, annex K. The quality, 1 to 100, scales the quantisation tables as libjpeg does. A
/// grey image ignores `sampling`. In [`Mode::Exact`](crate::Mode) the coefficients equal
/// libjpeg-turbo's.
///
/// # Errors
/// [`ErrorKind::Argument`](fourfold::ErrorKind) if the image has not 1 or 3 channels, a side is 0 or
/// longer than 65,500 pixels, there are not `height` · `width` · `channels` samples, the quality is
/// not within 1 to 100, or there is no memory.
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
    let zero_blocks = |c: &Component| zeros::<[i16; 64]>(c.across * c.down, "coefficients");
    let mut blocks = components.iter().map(zero_blocks).collect::<Result<Vec<_>>>()?;
    let mut forward = Vec::new();
    for ((component, plane), blocks) in components.iter().zip(&planes).zip(&mut blocks) {
        let layout = Layout::Rows { across: component.across, stride: 8 * component.across };
        let coefficients = blocks.as_flattened_mut();
        forward.push(Forward { samples: plane, layout, table: &component.table, coefficients });
    }
    transform.forward(&mut forward)?;
    let color = if image.channels == 1 { Color::Grey } else { Color::YCbCr };
    write::write(&Coefficients { width: image.width, height: image.height, color, components, blocks })
}

/// Checks that an image can be encoded.
///
/// # Errors
/// If it has not 1 or 3 channels, its size cannot be written, or it has another number of samples.
fn check(image: &Image) -> Result<()> {
    let Image { width, height, channels, .. } = *image;
    if ![1, 3].contains(&channels) {
        return Err(argument(format!("{channels} channels: 1 and 3 can be written")));
    }
    check_writable_size(width, height)?;
    image.check_samples()
}

/// The samples of each component, padded to whole blocks. To the right the last pixel of a row is
/// repeated, and so is the last row of pixels within the rows that share chroma; below, the last row
/// of samples of each component is repeated.
fn planes(image: &Image, components: &[Component]) -> Result<Vec<Vec<u8>>> {
    let across = components[0].horizontal * components[components.len() - 1].across * 8;
    let width = across.max(8 * components[0].across);
    let samples = |count: usize| zeros::<u8>(count, "samples");
    let mut planes = components.iter().map(|c| samples(64 * c.across * c.down)).collect::<Result<Vec<_>>>()?;
    planes.iter_mut().for_each(Vec::clear);
    // `shared` rows of pixels share a row of chroma samples.
    let shared = components[0].vertical;
    let mut rows = (0..shared * components.len()).map(|_| samples(width)).collect::<Result<Vec<_>>>()?;
    for y in (0..image.height).step_by(shared) {
        for (index, rows) in rows.chunks_mut(components.len()).enumerate() {
            convert_row(image, (y + index).min(image.height - 1), rows);
        }
        for (index, (component, plane)) in components.iter().zip(&mut planes).enumerate() {
            let row = |y: usize| &rows[y * components.len() + index][..];
            let stride = 8 * component.across;
            match [components[0].horizontal / component.horizontal, shared / component.vertical] {
                [1, _] => (0..shared.min(image.height - y)).for_each(|y| plane.extend(&row(y)[..stride])),
                [_, down] => {
                    let start = plane.len();
                    plane.resize(start + stride, 0);
                    downsample(row(0), (down == 2).then(|| row(1)), &mut plane[start..]);
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

/// Converts a row of pixels to a row of each component, and repeats the last sample.
fn convert_row(image: &Image, y: usize, rows: &mut [Vec<u8>]) {
    let channels = image.channels;
    let pixels = &image.samples[y * image.width * channels..][..image.width * channels];
    if let [grey] = rows {
        grey[..image.width].copy_from_slice(pixels);
    } else {
        for (x, &pixel) in pixels.as_chunks().0.iter().enumerate() {
            let components = color::rgb_to_ycc(pixel);
            rows.iter_mut().zip(components).for_each(|(row, sample)| row[x] = sample);
        }
    }
    for row in rows {
        let last = row[image.width - 1];
        row[image.width..].fill(last);
    }
}

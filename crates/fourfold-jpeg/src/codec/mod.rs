//! JPEG files: entropy coding by libjpeg, everything else here.

pub(crate) mod color;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod metadata;
pub(crate) mod orientation;
pub(crate) mod resample;

use crate::argument;
use crate::codec::orientation::Orientation;
use crate::ffi::arrays::Array;
use crate::ffi::read::Reader;
use fourfold::engine::jpeg::Table;
use fourfold::{Error, ErrorKind, Result};

/// An image with 8 bits a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Samples of a pixel: 1, grey, or 3, red, green and blue.
    pub channels: usize,
    /// Row by row, pixel by pixel, channel by channel.
    pub samples: Vec<u8>,
}

impl Image {
    /// The image upright, if its pixels are stored in this orientation.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the image has not `width` · `height` · `channels` samples, or
    /// there is no memory for as many.
    pub fn upright(self, orientation: Orientation) -> Result<Image> {
        let Image { width, height, channels, samples } = self;
        let ([width, height], samples) = orientation.upright([width, height], channels, samples)?;
        Ok(Image { width, height, channels, samples })
    }
}

/// What the components of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// Brightness alone.
    Grey,
    /// Brightness and two differences of colour.
    YCbCr,
    /// Red, green and blue.
    Rgb,
}

/// A component of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Sampling factor across; the image's full width has the largest factor of all components.
    pub horizontal: usize,
    /// Sampling factor down.
    pub vertical: usize,
    /// Blocks across.
    pub across: usize,
    /// Blocks down.
    pub down: usize,
    /// What its coefficients were divided by.
    pub table: Table,
}

/// A file's quantised coefficients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coefficients {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// What the components are.
    pub color: Color,
    /// One, or three.
    pub components: Vec<Component>,
    /// The blocks of each component from left to right and then down, their coefficients in raster
    /// order.
    pub blocks: Vec<Vec<[i16; 64]>>,
}

/// What has been read, and what the file lacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read<T> {
    /// What has been read.
    pub value: T,
    /// What libjpeg warns of, such as that data are missing; their place is taken by grey or by
    /// what was guessed.
    pub warnings: Vec<String>,
}

/// What a file may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the image, at most. They take 9 bytes each while a file in colour is decoded.
    pub pixels: u64,
    /// Scans, at most. Each is work for the whole image.
    pub scans: usize,
}

impl Default for Limits {
    /// 2^28 pixels, 500 scans.
    fn default() -> Limits {
        Limits { pixels: 1 << 28, scans: 500 }
    }
}

impl Limits {
    pub(crate) fn check(&self, width: usize, height: usize) -> Result<()> {
        if width as u64 * height as u64 <= self.pixels {
            return Ok(());
        }
        Err(damaged(format!("it is {width}x{height} pixels; at most {} pixels are read", self.pixels)))
    }
}

/// Warnings that have been kept, and the number of all.
#[derive(Default)]
pub(crate) struct Warnings {
    kept: Vec<String>,
    count: usize,
}

impl Warnings {
    /// A damaged file can have one for every few bytes.
    const MOST: usize = 10;

    pub(crate) fn add(&mut self, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            self.kept.push(message());
        }
    }

    pub(crate) fn all(&self) -> Vec<String> {
        let more = self.count - self.kept.len();
        let rest = (more > 0).then(|| format!("and {more} more"));
        self.kept.iter().cloned().chain(rest).collect()
    }
}

/// A file that cannot be read.
pub(crate) fn damaged(message: String) -> Error {
    Error::new(ErrorKind::File, message)
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// What the components are.
    pub color: Color,
}

/// Reads a file's header, up to its first scan, without decoding it.
///
/// # Errors
/// [`ErrorKind::File`] if [`decode`](crate::decode) would refuse the file for its header: it is no
/// JPEG file, of a kind that is not read, or beyond the limits.
pub fn read_header(file: &[u8], limits: &Limits) -> Result<Header> {
    let Reader { width, height, color, .. } = Reader::new(file, limits)?;
    Ok(Header { width, height, color })
}

/// Reads a file's coefficients: baseline, extended or progressive, Huffman-coded, 8 bits a sample;
/// grey, YCbCr or RGB.
///
/// # Errors
/// If the file is of another kind, beyond the limits, or so damaged that libjpeg refuses it.
pub fn read_coefficients(file: &[u8], limits: &Limits) -> Result<Read<Coefficients>> {
    let mut reader = Reader::new(file, limits)?;
    let arrays = reader.read()?;
    let components = reader.components();
    let blocks = |(array, component): (&Array, &Component)| {
        let (mut blocks, count) = (vec![], component.across * component.down);
        let no_memory = |_| argument(format!("there is no memory for {count} blocks of coefficients"));
        blocks.try_reserve_exact(count).map_err(no_memory)?;
        let rows = array.blocks.chunks_exact(array.across).take(component.down);
        rows.for_each(|row| blocks.extend_from_slice(&row[..component.across]));
        Ok(blocks)
    };
    let blocks = arrays.iter().zip(&components).map(blocks).collect::<Result<Vec<_>>>()?;
    let value = Coefficients { width: reader.width, height: reader.height, color: reader.color, components, blocks };
    Ok(Read { value, warnings: reader.warnings() })
}

/// Writes coefficients as a baseline file with the usual Huffman tables.
///
/// # Errors
/// If sizes do not fit each other, a quantisation table has a zero or more than 32,767, or a
/// coefficient has no code: beyond ±1023, and of those at 0 beyond ±2047 from one to the next.
pub fn write_coefficients(image: &Coefficients) -> Result<Vec<u8>> {
    check(image)?;
    crate::ffi::write::write(image)
}

/// What libjpeg writes at most.
const MOST_QUANTISER: u16 = 32_767;

fn check(image: &Coefficients) -> Result<()> {
    let components = if image.color == Color::Grey { 1 } else { 3 };
    if image.components.len() != components || image.blocks.len() != components {
        return Err(argument(format!("{:?} has {components} components, not {}", image.color, image.components.len())));
    }
    let factors = image.components.iter().flat_map(|component| [component.horizontal, component.vertical]);
    if factors.clone().any(|factor| !(1..=4).contains(&factor)) {
        return Err(argument("sampling factors go from 1 to 4".into()));
    }
    let most = |factor: fn(&Component) -> usize| image.components.iter().map(factor).max().unwrap_or(1);
    let (horizontal, vertical) = (most(|c| c.horizontal), most(|c| c.vertical));
    for (component, blocks) in image.components.iter().zip(&image.blocks) {
        if let Some(q) = component.table.rows().as_flattened().iter().find(|&&q| !(1..=MOST_QUANTISER).contains(&q)) {
            return Err(argument(format!(
                "a quantisation table has {q}; what is written goes from 1 to {MOST_QUANTISER}"
            )));
        }
        let across = (image.width * component.horizontal).div_ceil(8 * horizontal);
        let down = (image.height * component.vertical).div_ceil(8 * vertical);
        if [component.across, component.down, blocks.len()] != [across, down, across * down] {
            let Component { across: a, down: d, .. } = component;
            let message = format!("a component has {} blocks as {a}x{d}; it must have {across}x{down}", blocks.len());
            return Err(argument(message));
        }
    }
    Ok(())
}

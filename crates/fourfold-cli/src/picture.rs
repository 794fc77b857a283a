//! Images as channels of samples.

use std::fs;
use std::io::{self, Cursor, Write};
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail, ensure};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ColorType, DynamicImage, ImageDecoder, ImageEncoder, ImageError, ImageFormat, ImageReader, Limits};

use crate::array::check_memory;

/// The largest image that is read: its f64 spectrum takes 2 GiB a channel.
const MOST_PIXELS: u64 = 1 << 28;

/// An image with its samples as they are in the file: 0 to 255, or 0 to 65535.
#[derive(Clone)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) color: ColorType,
    /// Row by row, pixel by pixel, channel by channel.
    pub(crate) samples: Vec<u16>,
    profile: Option<Vec<u8>>,
}

impl Picture {
    /// Reads a PNG or JPEG file, turned upright if its EXIF data say how.
    pub(crate) fn open(path: &Path) -> Result<Picture> {
        ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
        let file = fs::read(path)?;
        let mut reader = ImageReader::new(Cursor::new(&file)).with_guessed_format()?;
        match reader.format() {
            Some(ImageFormat::Png) => png_size(&file).map_or(Ok(()), |[width, height]| check_size(width, height))?,
            Some(ImageFormat::Jpeg) => ensure!(has_end(&file), "it is cut off"),
            _ => bail!("it is neither PNG nor JPEG"),
        }
        let mut limits = Limits::default();
        limits.max_alloc = Some(8 * MOST_PIXELS + (64 << 20)); // 8 bytes a pixel of 4 channels, and working room
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(once)?;
        let (width, height) = decoder.dimensions();
        check_size(width, height)?;
        check_memory(width as usize * height as usize * working_bytes(decoder.color_type()))?;
        let profile = decoder.icc_profile().map_err(once)?;
        let orientation = decoder.orientation().map_err(once)?;
        let mut image = DynamicImage::from_decoder(decoder).map_err(once)?;
        image.apply_orientation(orientation);
        Picture::new(&image, profile)
    }

    fn new(image: &DynamicImage, profile: Option<Vec<u8>>) -> Result<Picture> {
        let color = image.color();
        let samples = match color.bytes_per_pixel() / color.channel_count() {
            1 => image.as_bytes().iter().map(|&byte| u16::from(byte)).collect(),
            2 => image.as_bytes().as_chunks().0.iter().map(|&bytes| u16::from_ne_bytes(bytes)).collect(),
            _ => bail!("its samples are {color:?}; 8 and 16 bit are read"),
        };
        Ok(Picture { width: image.width() as usize, height: image.height() as usize, color, samples, profile })
    }

    /// An 8-bit image of the same size with the channels given, one for grey or three for colour.
    pub(crate) fn of_channels(&self, channels: usize, samples: Vec<u16>) -> Picture {
        let color = if channels == 1 { ColorType::L8 } else { ColorType::Rgb8 };
        Picture { color, samples, profile: None, ..*self }
    }

    /// Channels of a pixel, alpha included.
    pub(crate) fn channels(&self) -> usize {
        self.color.channel_count().into()
    }

    /// Channels that are colours or grey; they come first.
    pub(crate) fn color_channels(&self) -> usize {
        self.channels() - usize::from(self.color.has_alpha())
    }

    /// The sample of full brightness.
    pub(crate) fn brightest(&self) -> u16 {
        if self.is_deep() { u16::MAX } else { u8::MAX.into() }
    }

    /// The samples of a channel in the unit of 8-bit ones, 0 to 255, row by row.
    pub(crate) fn plane(&self, channel: usize) -> impl Iterator<Item = f64> {
        let unit = f64::from(self.brightest()) / 255.0;
        self.samples.iter().skip(channel).step_by(self.channels()).map(move |&sample| f64::from(sample) / unit)
    }

    /// Rounds numbers in that unit to samples; what is darker than black is black, what is brighter
    /// than white is white.
    pub(crate) fn set_plane(&mut self, channel: usize, plane: impl Iterator<Item = f64>) {
        let (brightest, channels) = (f64::from(self.brightest()), self.channels());
        let samples = self.samples.iter_mut().skip(channel).step_by(channels);
        let sample = |d: f64| (d * brightest / 255.0).round().clamp(0.0, brightest) as u16;
        samples.zip(plane).for_each(|(place, d)| *place = sample(d));
    }

    /// Whether samples have 16 bits.
    fn is_deep(&self) -> bool {
        usize::from(self.color.bytes_per_pixel()) == 2 * self.channels()
    }

    /// The samples with 8 bits.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let round = |sample: u16| ((u32::from(sample) * 255 + 32_767) / 65_535) as u8;
        self.samples.iter().map(|&sample| if self.is_deep() { round(sample) } else { sample as u8 }).collect()
    }

    /// Writes a PNG.
    pub(crate) fn write_png(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut encoder = PngEncoder::new_with_quality(writer, CompressionType::Default, FilterType::Adaptive);
        if let Some(profile) = &self.profile {
            encoder.set_icc_profile(profile.clone()).map_err(io::Error::other)?;
        }
        let bytes: Vec<u8> = match self.is_deep() {
            false => self.samples.iter().map(|&sample| sample as u8).collect(),
            true => self.samples.iter().flat_map(|sample| sample.to_ne_bytes()).collect(),
        };
        encoder.write_image(&bytes, self.width as u32, self.height as u32, self.color.into()).map_err(io::Error::other)
    }
}

/// The error without its causes, which its own text repeats.
fn once(error: ImageError) -> Error {
    anyhow!("{error}")
}

/// Width and height in the header of a PNG file, before its decoder finds them too large and does
/// not say what they are.
fn png_size(file: &[u8]) -> Option<[u32; 2]> {
    let sides = file.get(16..24)?.as_chunks::<4>().0;
    Some([u32::from_be_bytes(sides[0]), u32::from_be_bytes(sides[1])])
}

fn check_size(width: u32, height: u32) -> Result<()> {
    let pixels = u64::from(width) * u64::from(height);
    ensure!(pixels > 0, "it is {width}x{height} pixels: there is nothing to transform");
    ensure!(pixels <= MOST_PIXELS, "it is {width}x{height} pixels; at most {MOST_PIXELS} pixels are read");
    Ok(())
}

/// What compressing takes a pixel: the pixels decoded, the samples before and after, a channel of
/// coefficients and their magnitudes.
fn working_bytes(color: ColorType) -> usize {
    usize::from(color.bytes_per_pixel()) + 2 * 2 * usize::from(color.channel_count()) + 2 * 8
}

/// Whether a JPEG file reaches its end marker. Decoders accept a file that does not, and paint what
/// is missing grey.
///
/// Source: ITU-T T.81, annex B. A marker is FF and a byte; all but restarts (D0 … D7) and the end
/// (D9) are followed by a length; in coded data FF stands before 00.
fn has_end(jpeg: &[u8]) -> bool {
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0 | 0xd0..=0xd7 | 0xff);
    let mut rest = jpeg.get(2..).unwrap_or_default();
    while let Some(at) = rest.windows(2).position(is_marker) {
        let (marker, segment) = (rest[at + 1], &rest[at + 2..]);
        if marker == 0xd9 {
            return true;
        }
        let length = segment.first_chunk().map_or(usize::MAX, |&bytes| u16::from_be_bytes(bytes).into());
        rest = segment.get(length..).unwrap_or_default();
    }
    false
}

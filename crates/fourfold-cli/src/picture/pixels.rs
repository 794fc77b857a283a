//! Images as channels of samples.

use anyhow::{Result, ensure};
use fourfold_jpeg::Image;

use crate::array::{check_memory, collect};

/// An image with its samples as they are in the file: 0 to 255, or 0 to 65535.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Channels of a pixel: grey, grey and alpha, RGB, or RGB and alpha.
    pub(crate) channels: usize,
    /// Whether samples have 16 bits.
    pub(super) is_deep: bool,
    /// Row by row, pixel by pixel, channel by channel.
    pub(crate) samples: Vec<u16>,
    pub(crate) profile: Option<Vec<u8>>,
}

impl Picture {
    /// A copy, or an error if memory is lacking.
    pub(crate) fn try_clone(&self) -> Result<Picture> {
        let samples = collect(self.samples.len(), self.samples.iter().copied())?;
        Ok(Picture { samples, profile: self.profile.clone(), ..*self })
    }

    /// Fails if there is not so much memory for each pixel.
    pub(crate) fn check_room(&self, bytes: usize) -> Result<()> {
        check_memory(self.width.saturating_mul(self.height).saturating_mul(bytes))
    }

    /// An 8-bit image of the same size with the channels given, one for grey or three for colour.
    pub(crate) fn of_channels(&self, channels: usize, samples: Vec<u16>) -> Picture {
        Picture { channels, is_deep: false, samples, profile: None, ..*self }
    }

    /// Channels that are colours or grey; they come first.
    pub(crate) fn color_channels(&self) -> usize {
        if self.channels < 3 { 1 } else { 3 }
    }

    /// The sample of full brightness.
    pub(crate) fn brightest(&self) -> u16 {
        if self.is_deep { u16::MAX } else { u8::MAX.into() }
    }

    /// The samples of a channel in the unit of 8-bit ones, 0 to 255, row by row.
    pub(crate) fn plane(&self, channel: usize) -> impl Iterator<Item = f64> {
        let unit = f64::from(self.brightest()) / 255.0;
        self.samples.iter().skip(channel).step_by(self.channels).map(move |&sample| f64::from(sample) / unit)
    }

    /// Rounds numbers in that unit to samples; what is darker than black is black, what is brighter
    /// than white is white.
    pub(crate) fn set_plane(&mut self, channel: usize, plane: impl Iterator<Item = f64>) {
        let (brightest, channels) = (f64::from(self.brightest()), self.channels);
        let samples = self.samples.iter_mut().skip(channel).step_by(channels);
        let sample = |d: f64| (d * brightest / 255.0).round().clamp(0.0, brightest) as u16;
        samples.zip(plane).for_each(|(place, d)| *place = sample(d));
    }

    /// The samples with 8 bits.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        let round = |sample: u16| ((u32::from(sample) * 255 + 32_767) / 65_535) as u8;
        let byte = |&sample: &u16| if self.is_deep { round(sample) } else { sample as u8 };
        collect(self.samples.len(), self.samples.iter().map(byte))
    }

    /// The image with 8 bits a sample and without its alpha channel, which must be opaque
    /// everywhere.
    pub(super) fn opaque(&self) -> Result<Image> {
        let (all, colors) = (self.channels, self.color_channels());
        let bytes = self.bytes()?;
        let is_opaque = all == colors || self.samples.iter().skip(colors).step_by(all).all(|&a| a == self.brightest());
        ensure!(is_opaque, "it is partly transparent, which JPEG does not support");
        let samples = match all == colors {
            true => bytes,
            false => {
                let channels = bytes.chunks_exact(all).flat_map(|pixel| &pixel[..colors]).copied();
                collect(self.width * self.height * colors, channels)?
            }
        };
        Ok(Image { width: self.width, height: self.height, channels: colors, samples })
    }
}

/// Fails if an image is empty or too large.
pub(super) fn check_pixels([width, height]: [usize; 2], most: u64) -> Result<()> {
    let pixels = width as u64 * height as u64;
    ensure!(pixels > 0, "it is {width}x{height} pixels: there is nothing to transform");
    ensure!(pixels <= most, "it is {width}x{height} pixels; at most {most} pixels are read");
    Ok(())
}

/// Fails if there is not the memory to compress an image: for the pixels decoded, the samples
/// before and after, a channel of coefficients and their magnitudes.
pub(super) fn check_room([width, height]: [usize; 2], channels: usize, is_deep: bool) -> Result<()> {
    let decoded = if is_deep { 2 * channels } else { channels };
    check_memory(width.saturating_mul(height).saturating_mul(decoded + 2 * 2 * channels + 2 * 8))
}

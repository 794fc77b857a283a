//! Spectra as images.

use anyhow::Result;

use crate::array::{collect, zeros};
use crate::picture::pixels::Picture;

/// Logarithms of magnitudes, ln(1 + |B|), of all colour channels of an image.
pub(crate) struct Spectrum {
    logarithms: Vec<f32>,
    channels: usize,
}

impl Spectrum {
    /// The bytes of a logarithm, and of its sample in the image.
    pub(crate) const BYTES: usize = size_of::<f32>() + size_of::<u16>();

    pub(crate) fn new(picture: &Picture) -> Result<Spectrum> {
        let channels = picture.color_channels();
        Ok(Spectrum { logarithms: zeros(picture.width * picture.height * channels)?, channels })
    }

    /// Takes the magnitudes of a channel, row by row.
    pub(crate) fn record(&mut self, channel: usize, magnitudes: impl Iterator<Item = f64>) {
        let logarithms = self.logarithms.iter_mut().skip(channel).step_by(self.channels);
        logarithms.zip(magnitudes).for_each(|(log, b)| *log = b.ln_1p() as f32);
    }

    /// Black for 0, full brightness for the largest.
    pub(crate) fn draw(&self, picture: &Picture) -> Result<Picture> {
        let largest = self.logarithms.iter().fold(f32::MIN_POSITIVE, |a, &b| a.max(b));
        let samples = self.logarithms.iter().map(|log| (255.0 * log / largest).round() as u16);
        Ok(picture.of_channels(self.channels, collect(self.logarithms.len(), samples)?))
    }
}

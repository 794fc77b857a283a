//! Images with 8 bits a sample.

use crate::codec::orientation::Orientation;
use crate::error::argument;
use fourfold::Result;

/// An image with 8 bits a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Samples of a pixel: 1 (grey) or 3 (red, green, blue).
    pub channels: usize,
    /// `height` · `width` · `channels` samples: row by row, pixel by pixel, channel by channel.
    pub samples: Vec<u8>,
}

impl Image {
    /// The image upright, if its pixels are stored in this orientation.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](fourfold::ErrorKind) if the image has not `height` · `width` ·
    /// `channels` samples, or there is no memory for as many.
    pub fn upright(self, orientation: Orientation) -> Result<Image> {
        let Image { width, height, channels, samples } = self;
        let ([width, height], samples) = orientation.upright([width, height], channels, samples)?;
        Ok(Image { width, height, channels, samples })
    }

    /// Checks the number of samples.
    ///
    /// # Errors
    /// If it is not that of the image's size.
    pub(crate) fn check_samples(&self) -> Result<()> {
        let Image { width, height, channels, ref samples } = *self;
        let count = width.checked_mul(height).and_then(|pixels| pixels.checked_mul(channels));
        if count == Some(samples.len()) {
            return Ok(());
        }
        Err(argument(format!("{} samples are not those of {width}x{height}x{channels}", samples.len())))
    }
}

//! Limits on the size of files.

use crate::error::{argument, invalid_file};
use fourfold::Result;

/// The largest files that are read. A small file can describe a huge image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of pixels. While a colour file is decoded, a pixel takes at most 9 bytes.
    pub pixels: u64,
    /// The largest number of scans. Decoding a scan takes time proportional to the image's size.
    pub scans: usize,
}

impl Default for Limits {
    /// 2^28 pixels, 500 scans.
    fn default() -> Limits {
        Limits { pixels: 1 << 28, scans: 500 }
    }
}

impl Limits {
    /// Checks the size of an image.
    ///
    /// # Errors
    /// If it has more pixels than the limit.
    pub(crate) fn check(&self, width: usize, height: usize) -> Result<()> {
        if width as u64 * height as u64 <= self.pixels {
            return Ok(());
        }
        Err(invalid_file(format!("it is {width}x{height} pixels; at most {} pixels are read", self.pixels)))
    }
}

/// The largest width and height that libjpeg writes.
const LARGEST_SIDE: usize = 65_500;

/// Checks that an image of this size can be written.
///
/// # Errors
/// If a side is 0 or longer than 65,500 pixels.
pub(crate) fn check_writable_size(width: usize, height: usize) -> Result<()> {
    if [width, height].iter().all(|side| (1..=LARGEST_SIDE).contains(side)) {
        return Ok(());
    }
    Err(argument(format!("{width}x{height} pixels: each side must have 1 to {LARGEST_SIDE}")))
}

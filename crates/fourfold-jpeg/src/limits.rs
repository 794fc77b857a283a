//! Limits on the size of files.

use crate::error::{argument, invalid_file};
use fourfold::Result;

/// The largest files that are read. A small file can describe a huge image, and a scan of a few
/// bytes can be a pass over all of it.
///
/// Whatever the limits, a file is refused if it has fewer bits than its image has blocks, since
/// every block takes at least one. So a byte of a file stands for at most 512 pixels of a
/// component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of pixels, which bounds the memory. A pixel takes at most 9 bytes: 3 of
    /// the image, and 6 of coefficients if the file has several scans. For coefficients alone it
    /// takes at most 6. To this come the padding of blocks at the edges and some rows.
    pub pixels: u64,
    /// The largest product of pixels and scans, which bounds the time. The sides of an image count
    /// as whole multiples of 32, the largest unit of blocks.
    pub work: u64,
}

impl Default for Limits {
    /// 2^28 pixels; 2^32 pixels times scans, which are 16 scans of the largest image.
    fn default() -> Limits {
        Limits { pixels: 1 << 28, work: 1 << 32 }
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

    /// The largest number of scans of an image.
    pub(crate) fn scans(&self, width: usize, height: usize) -> u64 {
        const UNIT: u64 = 32;
        self.work / ((width as u64).next_multiple_of(UNIT) * (height as u64).next_multiple_of(UNIT)).max(1)
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

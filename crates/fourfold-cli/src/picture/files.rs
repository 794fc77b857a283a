//! Files as pictures, whatever their format.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::picture::pixels::Picture;
use crate::picture::{jpeg_file, png_file};
use crate::program::warn;

/// Reads a PNG or JPEG file, turned upright if its EXIF data say how. What a JPEG file lacks is
/// said on stderr.
pub(crate) fn open_picture(path: &Path) -> Result<Picture> {
    ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
    let file = fs::read(path)?;
    if file.starts_with(png_file::SIGNATURE) {
        return png_file::read(&file);
    }
    ensure!(file.starts_with(jpeg_file::SIGNATURE), "it is neither PNG nor JPEG");
    let (picture, warnings) = jpeg_file::read(&file)?;
    warn(path, &warnings);
    Ok(picture)
}

//! Files as pictures, whatever their format.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::{Image, Limits};

use crate::files::input::read_file;
use crate::picture::pixels::Picture;
use crate::picture::{jpeg_file, png_file};
use crate::program::warn;

/// Reads a PNG or JPEG file, turned upright if its EXIF data say how. What a JPEG file lacks is
/// said on stderr.
pub(crate) fn open_picture(path: &Path, limits: &Limits) -> Result<Picture> {
    let file = read_file(path)?;
    if file.starts_with(png_file::SIGNATURE) {
        return png_file::read(&file, limits);
    }
    ensure!(file.starts_with(jpeg_file::SIGNATURE), "it is neither PNG nor JPEG");
    let (picture, warnings) = jpeg_file::read(&file, limits)?;
    warn(path, &warnings);
    Ok(picture)
}

/// The same with 8 bits a sample and without an alpha channel, which must be opaque everywhere. An
/// error names the file.
pub fn open_opaque(path: &Path, limits: &Limits) -> Result<Image> {
    let open = || open_picture(path, limits)?.opaque();
    open().with_context(|| format!("cannot read {}", path.display()))
}

//! The files of commands that make an image of an image, and may draw its spectrum.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::args::common::Limit;
use crate::files::output::{Output, check_outputs};
use crate::picture::files::open_picture;
use crate::picture::pixels::Picture;
use crate::picture::png_file;

/// What is being written.
pub(crate) struct ImageFiles {
    output: Output,
    spectrum: Option<Output>,
}

impl ImageFiles {
    /// Reads the image, and begins the files, so that what cannot be written is reported before any
    /// work is done.
    pub(crate) fn open(
        image: &Path,
        output: &Path,
        spectrum: Option<&Path>,
        limit: &Limit,
    ) -> Result<(Picture, ImageFiles)> {
        let outputs: Vec<_> = [Some(output), spectrum].into_iter().flatten().collect();
        outputs.iter().try_for_each(|path| check_png(path))?;
        check_outputs(&[image], &outputs)?;
        let picture = open_picture(image, &limit.limits());
        let picture = picture.with_context(|| format!("cannot read {}", image.display()))?;
        let files = ImageFiles { output: Output::create(output)?, spectrum: spectrum.map(Output::create).transpose()? };
        Ok((picture, files))
    }

    /// Writes them, all or none.
    pub(crate) fn write(mut self, result: &Picture, spectrum: Option<&Picture>) -> Result<()> {
        self.output.fill(|file| png_file::write(result, file))?;
        if let (Some(output), Some(spectrum)) = (&mut self.spectrum, spectrum) {
            output.fill(|file| png_file::write(spectrum, file))?;
        }
        self.output.commit()?;
        self.spectrum.map_or(Ok(()), Output::commit)
    }
}

/// Names that other formats have.
const OTHER_FORMATS: [&str; 24] = [
    "avif", "bmp", "dds", "exr", "ff", "gif", "hdr", "heic", "ico", "jfif", "jp2", "jpeg", "jpg", "jxl", "pam", "pbm",
    "pgm", "pnm", "ppm", "qoi", "tga", "tif", "tiff", "webp",
];

/// Only PNG is written: a name that says another format would lie.
pub(crate) fn check_png(path: &Path) -> Result<()> {
    let is_other = |name: &str| OTHER_FORMATS.iter().any(|other| name.eq_ignore_ascii_case(other));
    let lies = path.extension().and_then(OsStr::to_str).is_some_and(is_other);
    ensure!(!lies, "cannot write {}: what is written is PNG; name it .png", path.display());
    Ok(())
}

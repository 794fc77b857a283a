//! The files of commands that make an image of an image, and may draw its spectrum.

use std::path::Path;

use anyhow::{Context, Result};

use crate::args::common::Limit;
use crate::files::output::{Output, check_outputs};
use crate::picture::files::open_picture;
use crate::picture::pixels::Picture;
use crate::picture::png_file::{self, check_png};

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

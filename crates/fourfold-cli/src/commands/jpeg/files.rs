//! Reading JPEG files, with the options that several subcommands take.

use std::path::Path;

use anyhow::{Context, Result};
use fourfold_jpeg::Transform;

use crate::args::jpeg::{JpegTransform, Mode};
use crate::files::input::read_file;

impl JpegTransform {
    /// The transform of blocks, with so many threads instead of the option's.
    pub(super) fn transform(&self, threads: usize) -> Result<Transform> {
        let mode = match self.mode {
            Mode::Exact => fourfold_jpeg::Mode::Exact,
            Mode::Fast => fourfold_jpeg::Mode::Fast,
        };
        Ok(Transform::builder().mode(mode).threads(threads).build()?)
    }
}

/// Reads a whole file; an error names it.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    read_file(path).with_context(|| format!("cannot read {}", path.display()))
}

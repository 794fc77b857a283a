//! Reading JPEG files, with the options that several subcommands take.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::{Limits, Transform};

use crate::args::jpeg::{JpegTransform, Limit, Mode};

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

impl Limit {
    pub(super) fn limits(&self) -> Limits {
        Limits { pixels: self.max_pixels, ..Limits::default() }
    }
}

/// Reads a whole file; an error names it.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let read = || {
        ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
        Ok(fs::read(path)?)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

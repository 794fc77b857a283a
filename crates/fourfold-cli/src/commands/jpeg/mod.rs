//! `fourfold jpeg`: JPEG files and their blocks.

mod bench;
mod coefficients;
mod decode;
mod encode;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::{Limits, Transform};

use crate::args::{Jpeg, JpegCommand, JpegHow, Limit, Mode};

/// Carries out a subcommand.
pub(super) fn run(args: &Jpeg) -> Result<()> {
    match &args.command {
        JpegCommand::Decode(args) => decode::run(args),
        JpegCommand::Encode(args) => encode::run(args),
        JpegCommand::Coefficients(args) => coefficients::run(args),
        JpegCommand::Bench(args) => bench::run(args),
    }
}

impl JpegHow {
    /// With so many threads instead.
    fn transform(&self, threads: usize) -> Result<Transform> {
        let mode = match self.mode {
            Mode::Exact => fourfold_jpeg::Mode::Exact,
            Mode::Fast => fourfold_jpeg::Mode::Fast,
        };
        Ok(Transform::builder().mode(mode).threads(threads).build()?)
    }
}

impl Limit {
    fn limits(&self) -> Limits {
        Limits { pixels: self.max_pixels, ..Limits::default() }
    }
}

/// Reads a whole file, with the error that names it.
fn read(path: &Path) -> Result<Vec<u8>> {
    let read = || {
        ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
        Ok(fs::read(path)?)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

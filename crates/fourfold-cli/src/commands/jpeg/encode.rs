//! `fourfold jpeg encode`: encodes an image as a JPEG file.

use std::ffi::OsStr;
use std::io::Write;

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::{Image, Sampling, encode};
use serde::Serialize;

use crate::args::jpeg::{self, Encode};
use crate::files::output::{Output, check_outputs};
use crate::picture::files::open_opaque;
use crate::print::print_json;

/// The answer.
#[derive(Serialize)]
struct Report {
    width: usize,
    height: usize,
    channels: usize,
    bytes: usize,
}

/// Reads, encodes and writes an image.
pub(super) fn encode_image(args: &Encode) -> Result<()> {
    let extension = args.output.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let is_jpeg = matches!(extension.as_deref(), Some("jpg" | "jpeg"));
    ensure!(is_jpeg, "cannot write {}: the output is JPEG; name it .jpg", args.output.display());
    check_outputs(&[&args.input], &[&args.output])?;
    let image = open_opaque(&args.input, &args.limit.limits())?;
    let mut output = Output::create(&args.output)?;
    let sampling = match args.sampling {
        jpeg::Sampling::Full => Sampling::Full,
        jpeg::Sampling::Half => Sampling::Half,
        jpeg::Sampling::Quarter => Sampling::Quarter,
    };
    let transform = args.how.transform(args.how.threads)?;
    let file = encode(&image, args.quality, sampling, &transform)
        .with_context(|| format!("cannot encode {}", args.input.display()))?;
    output.fill(|to| to.write_all(&file))?;
    output.commit()?;
    let Image { width, height, channels, .. } = image;
    if args.json { print_json(&Report { width, height, channels, bytes: file.len() }) } else { Ok(()) }
}

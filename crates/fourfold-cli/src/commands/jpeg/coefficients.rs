//! `fourfold jpeg coefficients`: the coefficients of a JPEG file as NumPy arrays.

use std::io::{self, Seek, Write};
use std::slice::from_ref;

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::read_coefficients;

use crate::archive::Archive;
use crate::args::jpeg::Coefficients;
use crate::commands::jpeg::files::read;
use crate::npy;
use crate::output::{Output, spare};
use crate::program::warn;

/// Reads a JPEG file and writes a .npz file.
pub(super) fn write_coefficients(args: &Coefficients) -> Result<()> {
    let is_npz = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    ensure!(is_npz, "cannot write {}: the output is an archive for NumPy; name it .npz", args.output.display());
    spare(from_ref(&args.input), from_ref(&args.output))?;
    let file = read(&args.input)?;
    let mut output = Output::create(&args.output)?;
    let coefficients = read_coefficients(&file, &args.limit.limits());
    let coefficients = coefficients.with_context(|| format!("cannot read {}", args.input.display()))?;
    output.fill(|to| write(to, &coefficients.value))?;
    output.commit()?;
    warn(&args.input, &coefficients.warnings);
    Ok(())
}

/// Writes the coefficients, tables, sizes and sampling factors, each as an array.
fn write(to: &mut (impl Write + Seek), image: &fourfold_jpeg::Coefficients) -> io::Result<()> {
    let mut archive = Archive::new(to);
    for (index, (component, blocks)) in image.components.iter().zip(&image.blocks).enumerate() {
        let shape = [component.down, component.across, 8, 8];
        archive.add(&format!("coefficients_{index}.npy"), |to| npy::write_i16(to, &shape, blocks.as_flattened()))?;
        let table = component.table.rows();
        archive.add(&format!("quantisation_{index}.npy"), |to| npy::write_u16(to, &[8, 8], table.as_flattened()))?;
    }
    let side = |side: usize| u16::try_from(side).map_err(io::Error::other);
    let size = [side(image.height)?, side(image.width)?];
    archive.add("size.npy", |to| npy::write_u16(to, &[2], &size))?;
    let factors = image.components.iter().flat_map(|component| [component.vertical, component.horizontal]);
    let factors: Vec<u16> = factors.map(|factor| factor as u16).collect();
    archive.add("sampling.npy", |to| npy::write_u16(to, &[image.components.len(), 2], &factors))?;
    archive.finish()
}

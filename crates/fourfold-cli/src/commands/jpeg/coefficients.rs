//! `fourfold jpeg coefficients`: the coefficients of a JPEG file as NumPy arrays.

use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

use anyhow::{Context, Result, ensure};
use fourfold_jpeg::read_coefficients;
use zip::ZipWriter;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

use crate::args::jpeg::Coefficients;
use crate::commands::jpeg::files::read;
use crate::files::output::{Output, check_outputs};
use crate::npy;
use crate::program::warn;

/// Reads a JPEG file and writes a .npz file.
pub(super) fn write_coefficients(args: &Coefficients) -> Result<()> {
    let is_npz = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    ensure!(is_npz, "cannot write {}: the output is an archive for NumPy; name it .npz", args.output.display());
    check_outputs(&[&args.input], &[&args.output])?;
    let file = read(&args.input)?;
    let mut output = Output::create(&args.output)?;
    let coefficients = read_coefficients(&file, &args.limit.limits());
    let coefficients = coefficients.with_context(|| format!("cannot read {}", args.input.display()))?;
    output.fill(|to| write(to, &coefficients.value))?;
    output.commit()?;
    warn(&args.input, &coefficients.warnings);
    Ok(())
}

/// Writes a .npz file: a zip archive of .npy files, without compression as by `numpy.savez`.
fn write(to: &mut (impl Write + Seek), image: &fourfold_jpeg::Coefficients) -> Result<(), ZipError> {
    let mut zip = ZipWriter::new(Silent { to, failed: false, position: 0 });
    for (index, (component, blocks)) in image.components.iter().zip(&image.blocks).enumerate() {
        begin(&mut zip, &format!("coefficients_{index}.npy"))?;
        npy::write_i16(&mut zip, &[component.down, component.across, 8, 8], blocks.as_flattened())?;
        begin(&mut zip, &format!("quantisation_{index}.npy"))?;
        npy::write_u16(&mut zip, &[8, 8], component.table.rows().as_flattened())?;
    }
    let side = |side: usize| u16::try_from(side).map_err(io::Error::other);
    begin(&mut zip, "size.npy")?;
    npy::write_u16(&mut zip, &[2], &[side(image.height)?, side(image.width)?])?;
    let factors =
        image.components.iter().flat_map(|component| [component.vertical as u16, component.horizontal as u16]);
    begin(&mut zip, "sampling.npy")?;
    npy::write_u16(&mut zip, &[image.components.len(), 2], &factors.collect::<Vec<_>>())?;
    zip.finish().map(drop)
}

/// A file that takes what follows a failure without writing it. When an archive that is not
/// complete is dropped, `zip` tries to complete it, and prints a failure.
struct Silent<W> {
    to: W,
    failed: bool,
    position: u64,
}

impl<W> Silent<W> {
    /// The result of `act`, or of nothing after a failure.
    fn unless_failed<T>(&mut self, act: impl FnOnce(&mut W) -> io::Result<T>, nothing: T) -> io::Result<T> {
        if self.failed {
            return Ok(nothing);
        }
        act(&mut self.to).inspect_err(|error| self.failed = error.kind() != ErrorKind::Interrupted)
    }
}

impl<W: Write> Write for Silent<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.unless_failed(|to| to.write(bytes), bytes.len())?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_failed(W::flush, ())
    }
}

impl<W: Seek> Seek for Silent<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let nothing = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(distance) | SeekFrom::End(distance) => self.position.saturating_add_signed(distance),
        };
        self.position = self.unless_failed(|file| file.seek(to), nothing)?;
        Ok(self.position)
    }
}

fn begin(zip: &mut ZipWriter<impl Write + Seek>, name: &str) -> Result<(), ZipError> {
    zip.start_file(name, SimpleFileOptions::default().large_file(true))
}

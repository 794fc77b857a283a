//! The parts of `.npy` files that ranks read and write.

use crate::data::runs;
use crate::session::Session;
use anyhow::{Context, Result, bail, ensure};
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Precision, Problem};
use fourfold_distributed::{ArrayDesc, Exchange, Grid, Recipe};
use fourfold_npy::{Header, encode};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Elements that are read at a time.
const CHUNK: usize = 4096;

/// A file whose header has been read.
pub(crate) struct Input {
    pub(crate) header: Header,
    start: u64,
    reader: BufReader<File>,
}

impl Input {
    /// Opens a file of an array in C order.
    pub(crate) fn open(path: &Path) -> Result<Input> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut reader = BufReader::new(file);
        let (header, start) = Header::read(&mut reader)?;
        ensure!(!header.fortran_order || header.shape.len() < 2, "it is in Fortran order: save it in C order");
        let (_, needed) = header.size().with_context(|| format!("its shape {:?} is too large", header.shape))?;
        ensure!(bytes.saturating_sub(start) >= needed, "it is cut off: its array takes {needed} bytes");
        Ok(Input { header, start, reader })
    }

    /// Refuses conversions that could be a mistake, as the command `fourfold` does. Integers become floats
    /// and real numbers complex ones, but precision never changes, and nothing becomes real.
    pub(crate) fn check_type(&self, problem: &Problem) -> Result<()> {
        let dtype = self.header.dtype;
        let named = problem.storage().name();
        if let Some(held) = dtype.precision().map(Precision::name).filter(|held| *held != named) {
            bail!("it is for {named} and the file holds {held} numbers: write {held} instead of {named}");
        }
        if (dtype.domain(), problem.input_domain()) == (Domain::Complex, Domain::Real) {
            let hint = if problem.output_domain() == Domain::Complex {
                "name fft instead of rfft"
            } else {
                "transform the parts one by one"
            };
            bail!("it is for real numbers and the file holds complex ones: {hint}");
        }
        Ok(())
    }

    /// Reads the part of a rank. The problem suits the file.
    pub(crate) fn read(&mut self, array: &ArrayDesc, grid: &Grid, rank: usize, part: &mut Data) -> Result<()> {
        let dtype = self.header.dtype;
        let mut buffer = vec![0; CHUNK * dtype.bytes];
        let mut at = 0;
        for (start, length) in runs(array, grid, rank) {
            self.reader.seek(SeekFrom::Start(self.start + (start * dtype.bytes) as u64))?;
            for first in (0..length).step_by(CHUNK) {
                let bytes = &mut buffer[..CHUNK.min(length - first) * dtype.bytes];
                self.reader.read_exact(bytes)?;
                for element in bytes.chunks_exact(dtype.bytes) {
                    part.set(at, dtype.number(element));
                    at += 1;
                }
            }
        }
        Ok(())
    }
}

/// A file that ranks write together. Until all are done, it has another name.
pub(crate) struct Output {
    unfinished: PathBuf,
    path: PathBuf,
    /// Whether this rank has created the file, and has it to remove if it is not finished.
    is_mine: bool,
}

impl Output {
    /// A file that is not `input`. Where one is there, links to it are followed, and it must be a file that
    /// may be written.
    pub(crate) fn new(path: &Path, input: &Path) -> Result<Output> {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        ensure!(path != std::fs::canonicalize(input)?, "it would overwrite the input: give another file");
        if let Ok(there) = path.metadata() {
            ensure!(there.is_file(), "it is no file");
            ensure!(!there.permissions().readonly(), "it is read-only");
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".unfinished");
        Ok(Output { unfinished: name.into(), path, is_mine: false })
    }

    /// Creates the file on rank 0, before anything is computed, for a recipe's output. The whole array has the
    /// shape that its problem names.
    pub(crate) fn create_together(&mut self, session: &Session, recipe: &Recipe) -> Result<()> {
        let problem = recipe.last_problem();
        let is_first = session.rank().rank() == 0;
        let created = if is_first {
            self.create(problem.precision(), problem.output_domain(), &problem.output().shape)
        } else {
            Ok(())
        };
        session.together(created)
    }

    /// Lets all ranks write their parts of a recipe's output, and names the file.
    pub(crate) fn write_together(mut self, session: &Session, recipe: &Recipe, part: &Data) -> Result<()> {
        let number = session.rank().rank();
        let shape = &recipe.last_problem().output().shape;
        session.together(self.write((recipe.output(), shape), recipe.grid(), number, part))?;
        let finished = if self.is_mine { self.finish() } else { Ok(()) };
        session.together(finished)
    }

    /// Creates the file with its header.
    fn create(&mut self, precision: Precision, domain: Domain, shape: &[usize]) -> Result<()> {
        let header = encode(descr(precision, domain), shape);
        let elements: usize = shape.iter().product();
        let file = File::create_new(&self.unfinished)
            .with_context(|| format!("{} cannot be created beside it", self.unfinished.display()))?;
        self.is_mine = true;
        file.set_len((header.len() + elements * precision.bytes() * domain.reals()) as u64)?;
        (&file).write_all(&header)?;
        Ok(())
    }

    /// Writes the part of a rank of the array, which has the shape `shape` in the file.
    fn write(&self, (array, shape): (&ArrayDesc, &[usize]), grid: &Grid, rank: usize, part: &Data) -> Result<()> {
        let precision =
            if matches!(part, Data::F32(_) | Data::ComplexF32(_)) { Precision::F32 } else { Precision::F64 };
        let start = encode(descr(precision, array.domain), shape).len();
        let bytes = precision.bytes() * array.domain.reals();
        let mut writer = BufWriter::new(OpenOptions::new().write(true).open(&self.unfinished)?);
        let mut at = 0;
        for (first, length) in runs(array, grid, rank) {
            writer.seek(SeekFrom::Start((start + first * bytes) as u64))?;
            for i in at..at + length {
                write_element(&mut writer, part, i)?;
            }
            at += length;
        }
        Ok(writer.flush()?)
    }

    /// Gives the file its name.
    fn finish(&mut self) -> Result<()> {
        std::fs::rename(&self.unfinished, &self.path)?;
        self.is_mine = false;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_mine {
            // After an error, nothing is left to do about another one.
            let _ = std::fs::remove_file(&self.unfinished);
        }
    }
}

fn descr(precision: Precision, domain: Domain) -> &'static str {
    match (precision, domain) {
        (Precision::F32, Domain::Real) => "<f4",
        (Precision::F64, Domain::Real) => "<f8",
        (Precision::F32, Domain::Complex) => "<c8",
        (Precision::F64, Domain::Complex) => "<c16",
    }
}

fn write_element(writer: &mut impl Write, part: &Data, i: usize) -> std::io::Result<()> {
    match part {
        Data::F32(x) => writer.write_all(&x[i].to_le_bytes()),
        Data::F64(x) => writer.write_all(&x[i].to_le_bytes()),
        Data::ComplexF32(z) => writer.write_all([z[i].re.to_le_bytes(), z[i].im.to_le_bytes()].as_flattened()),
        Data::ComplexF64(z) => writer.write_all([z[i].re.to_le_bytes(), z[i].im.to_le_bytes()].as_flattened()),
    }
}

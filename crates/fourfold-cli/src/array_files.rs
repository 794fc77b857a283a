//! The files of commands that make an array of an array, and may draw it.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Result, ensure};
use fourfold::oracle::verify::Data;

use crate::files::input::open_to_read;
use crate::files::output::{Output, check_outputs};
use crate::npy;
use crate::npy::Npy;
use crate::picture::plot::Plot;
use crate::picture::png_file::check_png;

/// Opens an array and reads its header.
pub(crate) fn open_array(path: &Path) -> Result<Npy<BufReader<File>>> {
    let file = open_to_read(path)?;
    let bytes = file.metadata()?.len();
    Npy::new(BufReader::new(file), bytes)
}

/// Arrays are written as .npy: the name of an image would lie.
fn check_npy(path: &Path) -> Result<()> {
    let is_png = path.extension().is_some_and(|name| name.eq_ignore_ascii_case("png"));
    ensure!(!is_png, "cannot write {}: what is written is an array; name it .npy", path.display());
    Ok(())
}

/// What is being written.
pub(crate) struct ArrayFiles {
    output: Output,
    plot: Option<Output>,
}

impl ArrayFiles {
    /// Begins the files, so that what cannot be written is reported before any work is done.
    pub(crate) fn create(inputs: &[&Path], output: &Path, plot: Option<&Path>) -> Result<ArrayFiles> {
        plot.map_or(Ok(()), check_png)?;
        check_npy(output)?;
        let outputs: Vec<_> = [Some(output), plot].into_iter().flatten().collect();
        check_outputs(inputs, &outputs)?;
        Ok(ArrayFiles { output: Output::create(output)?, plot: plot.map(Output::create).transpose()? })
    }

    /// Writes the array and its image, both or none.
    pub(crate) fn write(mut self, shape: &[usize], data: &Data) -> Result<()> {
        self.output.fill(|file| npy::write(file, shape, data))?;
        if let Some(output) = &mut self.plot {
            let plot = Plot::new(shape, |i| data.get(i).re)?;
            output.fill(|file| plot.write(file))?;
        }
        self.output.commit()?;
        self.plot.map_or(Ok(()), Output::commit)
    }
}

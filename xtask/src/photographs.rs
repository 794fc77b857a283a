//! Photographs from PyPI, for tests of JPEG and for the experiments.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process::{command, output, work_folder};
use crate::python::python;

/// Packages that have photographs among their data sets.
const PACKAGES: &str = "--no-deps scikit-learn==1.9.1 scikit-image==0.26.0";

/// Where these are in them: 640 × 427 pixels twice, and 600 × 400.
const FILES: [&str; 3] =
    ["sklearn/datasets/images/china.jpg", "sklearn/datasets/images/flower.jpg", "skimage/data/coffee.png"];

/// Fetches them and says where they are.
pub(crate) fn run_task() -> Result<()> {
    println!("{}", photographs()?.display());
    Ok(())
}

/// The folder of the photographs.
pub(crate) fn photographs() -> Result<PathBuf> {
    let mut script = command(&python("photographs", PACKAGES)?);
    let packages = output(script.args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]))?;
    let folder = work_folder("photos")?;
    for file in FILES.map(Path::new) {
        let from = Path::new(packages.trim()).join(file);
        let name = file.file_name().context("a photograph is a file")?;
        fs::copy(&from, folder.join(name)).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(folder)
}

//! Packages from PyPI.

use crate::process::{command, run, work_folder};
use anyhow::{Context, Result};

/// The interpreter of an environment that has the packages, which are named with their versions.
pub(crate) fn python(environment: &str, packages: &str) -> Result<String> {
    let folder = work_folder(environment)?;
    let python = folder.join("bin/python");
    if !python.exists() {
        run(command("python3 -m venv").arg(&folder)).context("Python 3 with venv is needed")?;
    }
    let python = python.to_str().context("the path of the workspace is not Unicode")?.to_owned();
    let mut install = command(&python);
    run(install.args("-m pip install --quiet --disable-pip-version-check".split(' ')).args(packages.split(' ')))?;
    Ok(python)
}

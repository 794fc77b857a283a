//! Packages from PyPI, and fourfold's own.

use crate::process::{command, root, run, target_folder, work_folder};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

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

/// A folder with fourfold's package: its sources, and the extension module of a profile.
pub(crate) fn package(profile: &str) -> Result<PathBuf> {
    let folder = work_folder(&format!("python-package-{profile}"))?;
    let package = folder.join("fourfold");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir(&package)?;
    for entry in fs::read_dir(root().join("python/fourfold"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| ["py", "pyi"].iter().any(|known| extension == *known)) {
            fs::copy(&path, package.join(path.file_name().context("a source is a file")?))?;
        }
    }
    fs::copy(target_folder().join(profile).join("lib_fourfold.so"), package.join("_fourfold.abi3.so"))?;
    Ok(folder)
}

//! Whether every crate builds from what would be published of it.
//!
//! Cargo's own check unpacks the crates that others need in its home, by name and version, and
//! keeps them there: a second run builds against the first one's. Here the packages are unpacked
//! side by side and checked as a workspace.

use crate::process::{command, output, root, run, target_folder, work_folder};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// Crates that are not published.
const UNPUBLISHED: [&str; 3] = ["fourfold-experiments", "fourfold-python", "xtask"];

/// The suite.
pub(crate) fn suite() -> Result<()> {
    let packed = target_folder().join("package");
    remove(&packed)?;
    let mut pack = command("cargo package --locked --workspace --allow-dirty --no-verify");
    run(pack.args(UNPUBLISHED.map(|name| format!("--exclude={name}"))))?;
    let folder = work_folder("package")?;
    remove(&folder)?;
    fs::create_dir_all(&folder)?;
    let mut names = vec![];
    for entry in fs::read_dir(&packed).context("cargo has packed nothing")? {
        let path = entry?.path();
        if path.extension().is_some_and(|suffix| suffix == "crate") {
            // All files of a package are of one time of old: cargo would take what it built of an
            // earlier one for fresh.
            output(command("tar -xzmf").arg(&path).arg("-C").arg(&folder))?;
            names.push(path.file_stem().context("a package has a name")?.to_string_lossy().into_owned());
        }
    }
    ensure!(names.len() > 1, "cargo has packed {names:?} only");
    fs::write(folder.join("Cargo.toml"), workspace(&names))?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut check = command("cargo check --workspace --manifest-path");
    check.arg(folder.join("Cargo.toml")).arg("--target-dir").arg(target_folder());
    run(&mut check)
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// A manifest in which the packages, such as `fourfold-0.1.0`, find each other.
fn workspace(names: &[String]) -> String {
    let version = concat!("-", env!("CARGO_PKG_VERSION"));
    let patch = |name: &String| format!("{} = {{ path = {name:?} }}\n", name.trim_end_matches(version));
    let patches: String = names.iter().map(patch).collect();
    format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n\n[patch.crates-io]\n{patches}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_find_each_other() {
        let text = workspace(&[format!("fourfold-{}", env!("CARGO_PKG_VERSION"))]);
        assert!(text.contains("[patch.crates-io]\nfourfold = { path = \"fourfold-"), "{text}");
    }
}

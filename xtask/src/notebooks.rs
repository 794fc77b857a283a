//! `cargo xtask notebooks`: runs the notebooks in `python/notebooks`, and writes them with what they
//! print and draw as pages in `docs/notebooks`.

use crate::process::{command, root, run, work_folder};
use crate::python::{package, python};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

const PACKAGES: &str = "jupytext==1.19.6 nbconvert==7.17.2 ipykernel==7.4.0 numpy==2.4.6 jax==0.10.2";

/// The task.
pub(crate) fn run_task() -> Result<()> {
    run(&mut command("cargo build --locked --message-format short --package fourfold-python"))?;
    let (interpreter, package) = (python("notebooks", PACKAGES)?, package("debug")?);
    let (work, pages) = (work_folder("notebooks-run")?, root().join("docs/notebooks"));
    let mut sources: Vec<_> =
        fs::read_dir(root().join("python/notebooks"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    sources.sort();
    for source in sources {
        let name = source.file_stem().context("a notebook has a name")?;
        let notebook = work.join(name).with_extension("ipynb");
        let jupytext = "-m jupytext --quiet --to ipynb --set-kernel python3 --output".split(' ');
        run(command(&interpreter).args(jupytext).arg(&notebook).arg(&source))?;
        let nbconvert = "-m nbconvert --log-level WARN --execute --to markdown --output-dir".split(' ');
        run(command(&interpreter).args(nbconvert).arg(&pages).arg(&notebook).env("PYTHONPATH", &package))?;
        tidy(&pages.join(name).with_extension("md"))?;
    }
    Ok(())
}

/// Removes spaces at the ends of lines, and all but one of several empty lines.
fn tidy(page: &Path) -> Result<()> {
    let text = fs::read_to_string(page)?;
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|next, last| next.is_empty() && last.is_empty());
    fs::write(page, lines.join("\n").trim().to_owned() + "\n")?;
    Ok(())
}

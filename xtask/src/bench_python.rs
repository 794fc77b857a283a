//! `cargo xtask bench-python`: times the package for Python beside the engine in Rust, SciPy and ducc0.

use crate::process::{command, run, target_folder};
use crate::python::{package, python};
use anyhow::Result;

const PACKAGES: &str = "scipy==1.17.1 ducc0==0.42.0 numpy==2.4.6";

/// The task.
pub(crate) fn run_task() -> Result<()> {
    let build = "cargo build --release --locked --message-format short";
    run(&mut command(&format!("{build} --package fourfold-python")))?;
    run(&mut command(&format!("{build} --package fourfold --example turns")))?;
    let mut bench = command(&python("python-bench", PACKAGES)?);
    let engine = target_folder().join("release/examples/turns");
    run(bench.arg("python/bench/cpu.py").arg(engine).env("PYTHONPATH", package("release")?))
}

//! `cargo xtask device-bench`: times on a GPU beside cuFFT, VkFFT, CuPy and copies.

use crate::machine::commit;
use crate::process::{command, output, run, work_folder};
use crate::python::python;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// VkFFT is compiled when it is installed, with the `nvcc` that is found.
const PEERS: &str = "cupy-cuda13x pyvkfft matplotlib";

/// Random problems are so many, of 2^16 to 2^26 elements.
const RANDOM: &str = "300 16 26";

/// The task, with the arguments that follow its name: `--device 0`, `--tune`, `--algorithm A`,
/// `--random SEED` or `--random FILE`, groups, problems.
pub(crate) fn run_task() -> Result<()> {
    let folder = work_folder("device-bench")?;
    let build = "cargo build --release --locked --manifest-path bench/device/Cargo.toml --target-dir";
    run(command(build).arg(folder.join("cargo")).env("FOURFOLD_COMMIT", commit()?))?;
    let binary = folder.join("cargo/release/fourfold-bench-device");
    let mut bench = command(&binary.display().to_string());
    bench.arg(&folder);
    let mut arguments = env::args().skip(2);
    while let Some(argument) = arguments.next() {
        bench.arg(&argument);
        if argument == "--random" {
            let which = arguments.next().context("--random needs a seed or a file of problems")?;
            bench.arg(match which.parse() {
                Ok(seed) => random_problems(seed, &folder)?,
                Err(_) => which.into(),
            });
        }
    }
    let peers = python("device-bench-peers", PEERS);
    match &peers {
        Ok(python) => drop(bench.args(["--python", python, "--peers", "bench/device/peers.py"])),
        Err(error) => eprintln!("VkFFT and CuPy are left out: {error:#}"),
    }
    run(&mut bench)?;
    println!("kept as tables.md, launches.md and results.json in {}", folder.display());
    if let Ok(python) = peers {
        let mut plot = command("env MPLBACKEND=Agg");
        plot.arg(python).arg("bench/device/plot.py").args(["results.json", "plot.svg"].map(|name| folder.join(name)));
        run(&mut plot)?;
    }
    Ok(())
}

/// A file with random problems.
fn random_problems(seed: u64, folder: &Path) -> Result<PathBuf> {
    let mut generator = command(&python("random-problems", "numpy==2.4.6")?);
    generator.arg("xtask/src/random_problems.py").arg(seed.to_string()).args(RANDOM.split(' '));
    let file = folder.join(format!("random-{seed}.txt"));
    fs::write(&file, output(&mut generator)?)?;
    Ok(file)
}

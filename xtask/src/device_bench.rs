//! `cargo xtask device-bench`: times on a GPU beside cuFFT, VkFFT, CuPy and copies.

use crate::machine::commit;
use crate::process::{command, run, work_folder};
use crate::python::python;
use anyhow::Result;
use std::env;

/// VkFFT is compiled when it is installed, with the `nvcc` that is found.
const PEERS: &str = "cupy-cuda13x pyvkfft matplotlib";

/// The task, with the arguments that follow its name: `--device 0`, `--tune`, `--algorithm A`, groups,
/// problems.
pub(crate) fn run_task() -> Result<()> {
    let folder = work_folder("device-bench")?;
    let build = "cargo build --release --locked --manifest-path bench/device/Cargo.toml --target-dir";
    run(command(build).arg(folder.join("cargo")).env("FOURFOLD_COMMIT", commit()?))?;
    let binary = folder.join("cargo/release/fourfold-bench-device");
    let mut bench = command(&binary.display().to_string());
    bench.arg(&folder).args(env::args().skip(2));
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

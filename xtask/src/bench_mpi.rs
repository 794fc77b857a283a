//! `cargo xtask bench-mpi`: `fourfold-mpi` beside FFTW's MPI and mpi4py-fft, on two ranks.
//!
//! Contestants take turns. Each starts anew in every turn, and times several executions after one that
//! is not timed; the table has the least of all. Outputs are left as they come out, in the same
//! distribution.

use crate::mpi::mpirun_command;
use crate::process::{command, output, root, run, target_folder, work_folder};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// What is transformed: DCT-II in f64.
const SHAPES: [&str; 2] = ["512x512x256", "4096x4096"];

const RANKS: usize = 2;
const TURNS: usize = 3;
const ROUNDS: &str = "5";

/// Seconds of each contestant, in the order of [`NAMES`].
const NAMES: [&str; 3] = ["fourfold", "FFTW's MPI", "mpi4py-fft"];

/// Builds all contestants, times them, and prints a table.
pub(crate) fn run_task() -> Result<()> {
    let folder = work_folder("bench-mpi")?;
    let build = "cargo build --release --locked --manifest-path crates/fourfold-mpi/Cargo.toml --target-dir";
    run(command(build).arg(target_folder()))?;
    let fftw = folder.join("fftw");
    let compile = format!("mpicc -O2 bench/mpi/fftw.c -o {} -lfftw3_mpi -lfftw3 -lm", fftw.display());
    run(&mut command(&compile)).context("install libopenmpi-dev and libfftw3-mpi-dev")?;
    println!(
        "\n| `dct2 f64` | {} | of FFTW | of mpi4py-fft |\n|---|---|---|---|---|---|",
        NAMES.join(", ms | ") + ", ms"
    );
    for shape in SHAPES {
        let mut best = [f64::INFINITY; NAMES.len()];
        for _ in 0..TURNS {
            for (number, best) in best.iter_mut().enumerate() {
                *best = best.min(seconds(number, shape, &fftw)?);
            }
        }
        let [ours, fftw, python] = best.map(|seconds| seconds * 1e3);
        println!("| {shape} | {ours:.1} | {fftw:.1} | {python:.1} | {:.2} | {:.2} |", ours / fftw, ours / python);
    }
    Ok(())
}

/// The seconds of a contestant in one turn. One that is not installed takes for ever.
fn seconds(number: usize, shape: &str, fftw: &PathBuf) -> Result<f64> {
    let mut start = mpirun_command(RANKS);
    let lengths: Vec<_> = shape.split('x').collect();
    match number {
        0 => {
            let program = target_folder().join("release/fourfold-mpi");
            start.arg(program).args(["bench", &format!("dct2 f64 {shape}"), "--rounds", ROUNDS]);
            let answer: serde_json::Value = serde_json::from_str(output(&mut start)?.trim())?;
            return answer["seconds"].as_f64().context("fourfold-mpi prints no seconds");
        }
        1 => start.arg(fftw).args(["transposed", ROUNDS]),
        _ => start.arg("/usr/bin/python3").arg(root().join("bench/mpi/mpi4py_fft_peer.py")).arg(ROUNDS),
    };
    match output(start.args(lengths)) {
        Ok(text) => text.trim().parse().with_context(|| format!("{} prints {text:?}", NAMES[number])),
        Err(error) if number > 1 => {
            eprintln!("without mpi4py-fft (Debian's python3-mpi4py-fft): {error:#}");
            Ok(f64::INFINITY)
        }
        Err(error) => Err(error),
    }
}

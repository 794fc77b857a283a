//! `cargo xtask bench-solvers`: writes `docs/performance/solvers.md`, times of solvers, convolutions
//! and multiplied transforms beside those of SciPy and ducc0 from PyPI.

use crate::machine::origin;
use crate::page;
use crate::process::{command, output, run};
use crate::python::python;
use crate::table::{Table, digits, ratio};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;

const PACKAGES: &str = "scipy==1.17.0 ducc0==0.42.0 numpy==2.4.6";

const TASKS: &[&str] = &[
    "neumann 1024x1024",
    "neumann 4096x4096",
    "convolve 2048x2048 65x65",
    "convolve 1048576 4097",
    "multiplied 8x1048576",
];

/// Small tasks of the same sorts, to try the program.
const QUICK: &[&str] = &["neumann 256x256", "convolve 256x256 9x9", "convolve 16384 65", "multiplied 8x16384"];

/// The names of times in the order of columns: of fourfold's own other way, and of the peers.
const OTHERS: [&str; 5] = ["beside", "SciPy", "ducc0", "fftconvolve", "oaconvolve"];

/// The task. With `--quick`, it times the small tasks in two turns, and prints the table without
/// writing the page.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    let quick = match arguments.join(" ").as_str() {
        "" => false,
        "--quick" => true,
        other => bail!("`{other}`: expected --quick or no argument"),
    };
    let (tasks, turns) = if quick { (QUICK, "2") } else { (TASKS, "15") };
    let build = "cargo build --release --locked --package fourfold --example solver_turns --message-format short";
    run(&mut command(build))?;
    let mut bench = command(&python("python", PACKAGES)?);
    bench.arg("xtask/src/bench_solvers.py").arg(turns).args(tasks);
    let times: Vec<BTreeMap<String, f64>> = serde_json::from_str(&output(&mut bench)?)?;
    let mut table = Table::new(["task", "fourfold", "beside", "SciPy", "ducc0", "fftconvolve", "oaconvolve"]);
    for (task, times) in tasks.iter().zip(times) {
        let ours = *times.get("fourfold").context("no time of fourfold")?;
        let cell = |name: &str| {
            let other = times.get(name);
            other.map_or("–".into(), |time| format!("{} ({})", digits(*time), ratio(ours / time)))
        };
        let [beside, scipy, ducc, fft, overlap] = OTHERS.map(cell);
        table.row([(*task).into(), digits(ours), beside, scipy, ducc, fft, overlap]);
    }
    print!("{table}");
    if quick {
        println!("docs/performance/solvers.md stays as it is");
        return Ok(());
    }
    let texts: [(&str, &dyn Display); 2] = [("measured", &origin()?), ("packages", &PACKAGES)];
    page::write("docs/performance/solvers.md", HEADER, &texts, &table.to_string())
}

pub(crate) const HEADER: &str = "\
# Solvers and convolutions

Warm times in `f64` with one thread each, in milliseconds. In brackets: the time of fourfold divided
by this one. The programs take turns in one run, each in its process; the table has medians over 15
turns.

- `neumann`: a Poisson solve on cells with Neumann's condition everywhere, with the check of the
  right-hand side. *beside* are fourfold's two plans with a separate multiply; SciPy's are `dctn`,
  divide, `idctn` with `workers=1`; ducc0's are its `dct` of types 2 and 3.
- `convolve`: arrays of the first shape with kernels of the second, in the mode `same`. *beside* is a
  copy of the input (memcpy). SciPy's functions transform the kernel in every call.
- `multiplied`: a DCT-II along the last axis whose output is multiplied by one list. *beside* is the
  DCT-II alone.

{measured}; the others are wheels from PyPI (`pip install
{packages}`); by

    cargo xtask bench-solvers

";

//! `cargo xtask bench-ducc`: writes `docs/performance/ducc.md`, times beside those of ducc0 from
//! PyPI.

use crate::machine::{fourfold, origin};
use crate::page;
use crate::process::{command, output, run};
use crate::python::python;
use crate::table::{Table, digits, ratio};
use anyhow::Result;
use std::fmt::Display;

const PACKAGES: &str = "ducc0==0.42.0 numpy==2.4.6";

/// Real type and shape; a DCT-II of all axes of each.
const PROBLEMS: &[&str] = &[
    "f64 512x512",
    "f64 1024x1024",
    "f64 2048x2048",
    "f64 4096x4096",
    "f64 1000x1000",
    "f64 1536x1536",
    "f64 2310x2310",
    "f64 1009x1009",
    "f64 100x10000",
    "f64 10000x100",
    "f64 128x128x128",
    "f32 1024x1024",
    "f32 2048x2048",
    "f32 1000x1000",
];

/// The task.
pub(crate) fn run_task() -> Result<()> {
    let problems: Vec<_> = PROBLEMS.iter().map(|problem| format!("dct2 {problem}")).collect();
    let verify: Vec<_> = std::iter::once("verify").chain(problems.iter().map(String::as_str)).collect();
    print!("{}", fourfold(&verify)?);
    let build = "cargo build --release --locked --package fourfold --example turns --message-format short";
    run(&mut command(build))?;
    let mut bench = command(&python("python", PACKAGES)?);
    bench.arg("xtask/src/bench_ducc.py").args(&problems);
    let times: Vec<Times> = serde_json::from_str(&output(&mut bench)?)?;
    let mut table = Table::new(["problem", "fourfold", "ducc0", "fourfold / ducc0"]);
    for (problem, [ours, theirs]) in problems.iter().zip(times) {
        let cell = |[time, copy]: [f64; 2]| format!("{} ({})", digits(time), ratio(time / copy));
        table.row([problem.clone(), cell(ours), cell(theirs), ratio(ours[0] / theirs[0])]);
    }
    print!("{table}");
    let texts: [(&str, &dyn Display); 2] = [("measured", &origin()?), ("packages", &PACKAGES)];
    page::write("docs/performance/ducc.md", HEADER, &texts, &table.to_string())
}

/// Milliseconds of fourfold and of ducc0, each with those of a copy in the same process.
type Times = [[f64; 2]; 2];

pub(crate) const HEADER: &str = "\
# Beside ducc0

Warm times of a DCT-II over all axes, out of place into an existing array, one thread each, in
milliseconds. The two libraries take turns in one run, each in its process. A turn is one run
untimed, then runs for about 50 ms, then as many copies (memcpy) of the input. The table has medians
over 25 turns, and in brackets the multiple of the copies by the same process. The results are
verified first (`fourfold verify`).

{measured}; ducc0 is the wheel from PyPI (`pip install
{packages}`) with `nthreads=1`; by

    cargo xtask bench-ducc

";

//! `cargo xtask bench-ducc`: writes `docs/performance/ducc.md`, times beside those of ducc0 from
//! PyPI. With `--random SEED`: `docs/performance/random.md`, of random problems.

use crate::machine::{fourfold, origin};
use crate::page;
use crate::process::{command, output, run};
use crate::python::python;
use crate::table::{Table, digits, ratio};
use anyhow::{Result, bail};
use std::env;
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

/// Random problems are so many, of 2^12 to 2^22 elements.
const RANDOM: &str = "100 12 22";

/// The task.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => standard_problems(),
        ["--random", seed] => random_problems(seed.parse()?),
        _ => bail!("usage: cargo xtask bench-ducc [--random SEED]"),
    }
}

fn standard_problems() -> Result<()> {
    let problems: Vec<_> = PROBLEMS.iter().map(|problem| format!("dct2 {problem}")).collect();
    let (table, _) = compare(&problems, 25)?;
    let texts: [(&str, &dyn Display); 2] = [("measured", &origin()?), ("packages", &PACKAGES)];
    page::write("docs/performance/ducc.md", HEADER, &texts, &table)
}

fn random_problems(seed: u64) -> Result<()> {
    let mut generator = command(&python("python", PACKAGES)?);
    generator.arg("xtask/src/random_problems.py").arg(seed.to_string()).args(RANDOM.split(' '));
    let problems: Vec<_> = output(&mut generator)?.lines().map(str::to_owned).collect();
    let (table, ratios) = compare(&problems, 9)?;
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let faster = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
    let summary = format!(
        "Geometric mean of fourfold / ducc0: {}. At most 1: {faster} of {}. Largest: {}.",
        ratio(mean),
        ratios.len(),
        ratio(most)
    );
    println!("{summary}");
    let texts: [(&str, &dyn Display); 5] = [
        ("measured", &origin()?),
        ("packages", &PACKAGES),
        ("seed", &seed),
        ("random", &RANDOM),
        ("summary", &summary),
    ];
    page::write("docs/performance/random.md", RANDOM_HEADER, &texts, &table)
}

/// The table of times over so many turns, and those of fourfold divided by those of ducc0.
fn compare(problems: &[String], turns: usize) -> Result<(String, Vec<f64>)> {
    let verify: Vec<_> = std::iter::once("verify").chain(problems.iter().map(String::as_str)).collect();
    print!("{}", fourfold(&verify)?);
    let build = "cargo build --release --locked --package fourfold --example turns --message-format short";
    run(&mut command(build))?;
    let mut bench = command(&python("python", PACKAGES)?);
    bench.arg("xtask/src/bench_ducc.py").arg(turns.to_string()).args(problems);
    let times: Vec<Times> = serde_json::from_str(&output(&mut bench)?)?;
    let mut table = Table::new(["problem", "fourfold", "ducc0", "fourfold / ducc0"]);
    let ratios: Vec<_> = times.iter().map(|[ours, theirs]| ours[0] / theirs[0]).collect();
    for ((problem, [ours, theirs]), quotient) in problems.iter().zip(times).zip(&ratios) {
        let cell = |[time, copy]: [f64; 2]| format!("{} ({})", digits(time), ratio(time / copy));
        table.row([problem.clone(), cell(ours), cell(theirs), ratio(*quotient)]);
    }
    print!("{table}");
    Ok((table.to_string(), ratios))
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

const RANDOM_HEADER: &str = "\
# Random problems beside ducc0

Problems of `python xtask/src/random_problems.py {seed} {random}`: all kinds, one to three dimensions,
both real types, and for each axis a length that is a product of 2, 3, 5 and 7, a prime, or any. Times
are those of [ducc.md](ducc.md), over nine turns.

{measured}; ducc0 is the wheel from PyPI (`pip install
{packages}`) with `nthreads=1`; by

    cargo xtask bench-ducc --random {seed}

{summary}

";

//! `cargo xtask accuracy`: writes `docs/accuracy.md` from what `fourfold verify` measures.

use crate::cases::problems;
use crate::machine::{fourfold, fourfold_for_this_machine, origin};
use crate::page;
use crate::process::{command, output};
use crate::table::{self, Table};
use anyhow::{Context, Result};
use serde_json::Value;

/// Inputs that each mean is of.
const SEEDS: u64 = 10;

/// The same for axes longer than this, where the oracle takes seconds, and the errors of all
/// outputs differ little between inputs.
const LONG_SEEDS: u64 = 2;
const LONG: usize = 20_000;

pub(crate) const KINDS: [&str; 14] =
    ["dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "dht", "idxst", "fft", "ifft", "rfft", "irfft"];

/// Runs a build of the command `fourfold`.
type Build = fn(&[&str]) -> Result<String>;

/// The mean error of one problem.
struct Figure {
    error: f64,
    bluestein: bool,
}

/// The task.
pub(crate) fn run_task() -> Result<()> {
    let cases = problems("accuracy.txt")?;
    let cases: Vec<_> = cases.iter().map(String::as_str).collect();
    let (origin, mut text) = (origin()?, String::new());
    for real in ["f64", "f32"] {
        text += &format!("\n## One axis, {real}\n\n{}", kinds_and_lengths(real, &cases)?);
    }
    text += &format!("\n## Fast lengths of types I, and several axes\n\n{}", others(&cases)?);
    text += &format!("\n## Instruction sets\n\n{}", instruction_sets()?);
    text += &format!("\n## JPEG's 8×8 blocks\n\n{JPEG}{}", conformance()?);
    page::write("docs/accuracy.md", HEADER, &[("measured", &origin)], &text)
}

/// The length of a case that stands for all kinds: `dct2`, the type, a length.
fn length<'a>(case: &'a str, real: &str) -> Option<&'a str> {
    case.strip_prefix("dct2 ")?.strip_prefix(real)?.strip_prefix(' ').filter(|length| length.parse::<usize>().is_ok())
}

pub(crate) const HEADER: &str = "\
# Accuracy

The tables have relative errors ‖y − exact‖ / ‖exact‖ in the Euclidean norm. Each is the mean over
10 random inputs, or over 2 for axes of more than 20000 elements; every part of the input is uniform
in [−1, 1). `exact` is the definition, summed in double-double arithmetic with the angles reduced in
integers. Of long transforms at least 1000 of the outputs are compared.

Tests hold every single error below 6e-16 (f64) and 3e-7 (f32). Where Bluestein's algorithm is used,
marked B, the bounds are 1.5e-15 and 8e-7. For d axes they are √d times as large.

{measured}, by

    cargo xtask accuracy

`fourfold verify \"dct2 f64 1024\" --seed 1` prints the error of one problem and one input. To save
time, the command is built for this machine's processor (`-C target-cpu=native`), except for the
table of instruction sets; the results of the engine are the same bits.
";

const JPEG: &str = "\
The conformance procedure for inverse DCTs of IEEE Std 1180-1990 and ISO/IEC 23002-1, applied to
`fourfold-jpeg`, with 10,000 blocks a run. Errors are in units of a sample.
`cargo test -p fourfold-jpeg --test ieee1180 -- --nocapture` prints the rows, and holds all
instruction sets to the limits.

| mode | samples | sign | peak | worst mean square | mean square | worst mean | mean |
|---|---|---|---|---|---|---|---|
| *limit* | | | 1 | 0.06 | 0.02 | 0.015 | 0.0015 |
";

/// What the conformance test prints.
fn conformance() -> Result<String> {
    let test = output(&mut command("cargo test --locked -p fourfold-jpeg --test ieee1180 -- --nocapture"))?;
    let rows: Vec<_> = test.lines().filter_map(|line| line.find("| ").map(|at| format!("{}\n", &line[at..]))).collect();
    anyhow::ensure!(rows.len() == 12, "the test printed {} rows, not 12", rows.len());
    Ok(rows.concat())
}

/// Lengths down, kinds across.
fn kinds_and_lengths(real: &str, cases: &[&str]) -> Result<Table> {
    let lengths: Vec<_> = cases.iter().filter_map(|case| length(case, real)).collect();
    let problem = |kind: &str, n: &str| format!("{kind} {real} {n}");
    let problems: Vec<_> = lengths.iter().flat_map(|n| KINDS.map(|kind| problem(kind, n))).collect();
    let figures = measure(fourfold_for_this_machine, &problems, &[])?;
    let rows = lengths.iter().zip(figures.chunks(KINDS.len()));
    Ok(table("length", &KINDS, rows.map(|(n, row)| (n.to_string(), row))))
}

/// The cases that stand for themselves.
fn others(cases: &[&str]) -> Result<Table> {
    let is_length = |case: &str| length(case, "f64").or(length(case, "f32")).is_some();
    let problems: Vec<_> = cases.iter().filter(|case| !is_length(case)).map(|case| case.to_string()).collect();
    let figures = measure(fourfold_for_this_machine, &problems, &[])?;
    Ok(table("problem", &["error"], problems.iter().zip(figures.chunks(1)).map(|(p, row)| (format!("`{p}`"), row))))
}

fn instruction_sets() -> Result<Table> {
    let info: Value = serde_json::from_str(&fourfold(&["info", "--json"])?)?;
    let sets =
        info["engines"][0]["instruction_sets"].as_array().context("`fourfold info` lists no instruction sets")?;
    let sets: Vec<_> = sets.iter().filter_map(Value::as_str).collect();
    let problems = ["dct2 f64 1024", "dct2 f64 4096", "dct2 f32 1024", "dct2 f32 4096"].map(String::from);
    let engines: Vec<_> = sets.iter().map(|set| format!("--engine=cpu:{set}")).collect();
    let rows = engines.iter().map(|engine| measure(fourfold, &problems, &[engine])).collect::<Result<Vec<_>>>()?;
    Ok(table("set", &problems, sets.iter().zip(&rows).map(|(set, row)| (format!("`{set}`"), row.as_slice()))))
}

/// The figures of all problems.
fn measure(build: Build, problems: &[String], options: &[&str]) -> Result<Vec<Figure>> {
    let figure = |problem: &String| Ok(Figure { error: 0.0, bluestein: uses_bluestein(problem)? });
    let mut figures = problems.iter().map(figure).collect::<Result<Vec<_>>>()?;
    for seed in 1..=SEEDS {
        let due: Vec<_> = (0..problems.len()).filter(|&i| seed <= seeds(&problems[i])).collect();
        let due_problems: Vec<_> = due.iter().map(|&i| problems[i].as_str()).collect();
        let errors = errors(build, &due_problems, options, seed)?;
        due.iter().zip(errors).for_each(|(&i, error)| figures[i].error += error / seeds(&problems[i]) as f64);
    }
    Ok(figures)
}

/// How many inputs the mean of a problem's error is of.
fn seeds(problem: &str) -> u64 {
    let numbers = problem.split([' ', 'x']).filter_map(|number| number.parse::<usize>().ok());
    if numbers.max() > Some(LONG) { LONG_SEEDS } else { SEEDS }
}

/// The errors of problems, of which there may be none, for one input each.
fn errors(build: Build, problems: &[&str], options: &[&str], seed: u64) -> Result<Vec<f64>> {
    if problems.is_empty() {
        return Ok(vec![]);
    }
    let seed = seed.to_string();
    let mut arguments = vec!["verify", "--json", "--seed", &seed];
    arguments.extend(options);
    arguments.extend(problems);
    let lines: Vec<Value> = serde_json::from_str(&build(&arguments)?)?;
    lines.iter().map(|line| line["error"].as_f64().with_context(|| format!("no error in {line}"))).collect()
}

fn uses_bluestein(problem: &str) -> Result<bool> {
    let plan: Value = serde_json::from_str(&fourfold(&["plan", "--json", problem])?)?;
    plan["bluestein"].as_bool().with_context(|| format!("`fourfold plan` does not say how it does {problem}"))
}

fn table<'a>(corner: &str, columns: &[impl AsRef<str>], rows: impl Iterator<Item = (String, &'a [Figure])>) -> Table {
    let mut table = Table::new([corner].into_iter().chain(columns.iter().map(AsRef::as_ref)));
    rows.for_each(|(name, row)| table.row([name].into_iter().chain(row.iter().map(Figure::text))));
    table
}

impl Figure {
    fn text(&self) -> String {
        format!("{}{}", table::error(self.error), if self.bluestein { " B" } else { "" })
    }
}

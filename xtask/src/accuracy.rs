//! `cargo xtask accuracy`: writes `docs/accuracy.md` from what `fourfold verify` measures.

use crate::machine::{date_and_machine, fourfold};
use crate::process::root;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;

/// Inputs that each mean is of.
const SEEDS: u64 = 10;

const TYPES: [&str; 2] = ["f64", "f32"];

const KINDS: [&str; 14] =
    ["dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "dht", "idxst", "fft", "ifft", "rfft", "irfft"];

/// Products of small primes, powers of two, and primes.
const LENGTHS: [usize; 8] = [100, 1000, 1009, 1024, 2310, 4096, 4099, 1 << 20];

/// What the table of kinds and lengths does not show: types I at their fast lengths, several axes.
const OTHERS: [(&str, &str); 12] = [
    ("dct1", "1025"),
    ("dct1", "4097"),
    ("dct1", "1048577"),
    ("dst1", "1023"),
    ("dst1", "4095"),
    ("dst1", "1048575"),
    ("dct2", "1024x1024"),
    ("dct3", "1024x1024"),
    ("dct2", "1000x1000"),
    ("dct2", "128x128x128"),
    ("dct2,dst2", "1024x1000"),
    ("rfft", "1024x1024"),
];

/// The mean error of one problem.
struct Figure {
    error: f64,
    bluestein: bool,
}

/// The task.
pub(crate) fn run_task() -> Result<()> {
    let mut text = HEADER.replace("{measured}", &date_and_machine()?);
    for real in TYPES {
        text += &format!("\n## One axis, {real}\n\n{}", kinds_and_lengths(real)?);
    }
    text += &format!("\n## Fast lengths of types I, and several axes\n\n{}", others()?);
    text += &format!("\n## Instruction sets\n\n{}", instruction_sets()?);
    fs::write(root().join("docs/accuracy.md"), text).context("cannot write docs/accuracy.md")
}

const HEADER: &str = "\
# Accuracy

Relative error ‖y − exact‖ / ‖exact‖ in the Euclidean norm, mean of 10 random inputs (each part uniform in [−1, 1)). `exact` is
the definition, summed in double-double arithmetic with the angles reduced in integers. Of long transforms a sample of the
outputs is compared, at least 1000. Bounds of every single error: 6e-16 (f64) and 3e-7 (f32); where Bluestein's algorithm is
used, marked B, 1.5e-15 and 8e-7; √d times that for d axes.

Measured {measured}, by

    cargo xtask accuracy

A line for one problem comes from, for example, `fourfold verify \"dct2 f64 1024\" --seed 1`.
";

fn kinds_and_lengths(real: &str) -> Result<String> {
    let problem = |kind: &str, n: &usize| format!("{kind} {real} {n}");
    let problems: Vec<_> = KINDS.iter().flat_map(|kind| LENGTHS.iter().map(|n| problem(kind, n))).collect();
    let figures = measure(&problems, &[])?;
    let rows = KINDS.iter().zip(figures.chunks(LENGTHS.len())).map(|(kind, row)| (format!("`{kind}`"), row));
    let lengths = LENGTHS.map(|n| if n == 1 << 20 { "2^20".to_owned() } else { n.to_string() });
    Ok(table("kind", &lengths, rows))
}

fn others() -> Result<String> {
    let problem = |(kinds, shape): &(&str, &str), real: &str| format!("{kinds} {real} {shape}");
    let problems: Vec<_> = OTHERS.iter().flat_map(|other| TYPES.map(|real| problem(other, real))).collect();
    let figures = measure(&problems, &[])?;
    let rows = OTHERS.iter().zip(figures.chunks(TYPES.len()));
    Ok(table("problem", &TYPES, rows.map(|((kinds, shape), row)| (format!("`{kinds}` {shape}"), row))))
}

fn instruction_sets() -> Result<String> {
    let info: Value = serde_json::from_str(&fourfold(&["info", "--json"])?)?;
    let sets =
        info["engines"][0]["instruction_sets"].as_array().context("`fourfold info` lists no instruction sets")?;
    let sets: Vec<_> = sets.iter().filter_map(Value::as_str).collect();
    let problems = ["dct2 f64 1024", "dct2 f64 4096", "dct2 f32 1024", "dct2 f32 4096"].map(String::from);
    let engines: Vec<_> = sets.iter().map(|set| format!("--engine=cpu:{set}")).collect();
    let rows = engines.iter().map(|engine| measure(&problems, &[engine])).collect::<Result<Vec<_>>>()?;
    Ok(table("set", &problems, sets.iter().zip(&rows).map(|(set, row)| (format!("`{set}`"), row.as_slice()))))
}

/// The figures of all problems.
fn measure(problems: &[String], options: &[&str]) -> Result<Vec<Figure>> {
    let figure = |problem: &String| Ok(Figure { error: 0.0, bluestein: uses_bluestein(problem)? });
    let mut figures = problems.iter().map(figure).collect::<Result<Vec<_>>>()?;
    for seed in 1..=SEEDS {
        let seed = seed.to_string();
        let mut arguments = vec!["verify", "--json", "--seed", &seed];
        arguments.extend(options);
        arguments.extend(problems.iter().map(String::as_str));
        let lines: Vec<Value> = serde_json::from_str(&fourfold(&arguments)?)?;
        ensure!(lines.len() == problems.len(), "`fourfold verify` answers {} of {}", lines.len(), problems.len());
        for (figure, line) in figures.iter_mut().zip(&lines) {
            figure.error += line["error"].as_f64().with_context(|| format!("no error in {line}"))? / SEEDS as f64;
        }
    }
    Ok(figures)
}

fn uses_bluestein(problem: &str) -> Result<bool> {
    let plan: Value = serde_json::from_str(&fourfold(&["plan", "--json", problem])?)?;
    plan["bluestein"].as_bool().with_context(|| format!("`fourfold plan` does not say how it does {problem}"))
}

fn table<'a>(corner: &str, columns: &[impl AsRef<str>], rows: impl Iterator<Item = (String, &'a [Figure])>) -> String {
    let cells = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let heads = columns.iter().map(|column| column.as_ref().to_owned());
    let mut text = cells(std::iter::once(corner.to_owned()).chain(heads).collect());
    text += &format!("|{}\n", "---|".repeat(columns.len() + 1));
    text.extend(rows.map(|(name, row)| cells(std::iter::once(name).chain(row.iter().map(Figure::text)).collect())));
    text
}

impl Figure {
    fn text(&self) -> String {
        format!("{:.2e}{}", self.error, if self.bluestein { " B" } else { "" })
    }
}

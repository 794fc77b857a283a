//! `cargo xtask test`: all that must hold before a change goes in, each suite with a budget of
//! time.

use crate::process::{command, output, root, run, work_folder};
use crate::python::python;
use crate::{gpu, package, setup};
use anyhow::{Context, Result, ensure};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

struct Suite {
    name: &'static str,
    /// Seconds on two cores, in a clean clone: what it may take before somebody should look why.
    budget: u64,
    run: fn() -> Result<Outcome>,
}

/// What becomes of a suite that does not fail.
pub(crate) enum Outcome {
    Done,
    /// Why it did not run. In CI (where the variable `CI` is set) that is a failure.
    LeftOut(String),
}

/// What is built: with the same features in every suite, since crates with others would be compiled
/// again.
pub(crate) const WHOLE: &str = "--locked --workspace --all-features";

/// In the order in which they run: `tests` is last, so that the output ends with its results.
const SUITES: &[Suite] = &[
    Suite { name: "format", budget: 10, run: format },
    Suite { name: "clippy", budget: 150, run: clippy },
    Suite { name: "docs", budget: 20, run: docs },
    Suite { name: "package", budget: 60, run: || package::suite().map(done) },
    Suite { name: "readme", budget: 220, run: readme },
    Suite { name: "nvrtc", budget: 200, run: gpu::nvrtc },
    Suite { name: "oclgrind", budget: 150, run: gpu::oclgrind },
    Suite { name: "tests", budget: 800, run: tests },
];

/// Runs all suites, or those that the arguments name, up to the first that fails, and prints what
/// each took.
pub(crate) fn run_task() -> Result<()> {
    let suites = chosen(&env::args().skip(2).collect::<Vec<_>>())?;
    setup::run_if_missing()?;
    let (mut times, mut left_out) = (Vec::new(), Vec::new());
    let outcome = suites.iter().try_for_each(|suite| {
        let start = Instant::now();
        let outcome = (suite.run)().and_then(|outcome| settle(suite.name, outcome, &mut left_out));
        times.push(start.elapsed());
        outcome.with_context(|| format!("suite `{}`", suite.name))
    });
    print!("{}", table(&suites, &times));
    left_out.iter().for_each(|line| println!("{line}"));
    outcome
}

fn chosen(names: &[String]) -> Result<Vec<&'static Suite>> {
    if names.is_empty() {
        return Ok(SUITES.iter().collect());
    }
    let known = || SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        let suite = SUITES.iter().find(|suite| suite.name == name);
        suite.with_context(|| format!("there is no suite {name:?}; there are {}", known()))
    };
    names.iter().map(find).collect()
}

/// Notes a suite that was left out; an error where nothing may be.
fn settle(name: &str, outcome: Outcome, left_out: &mut Vec<String>) -> Result<()> {
    if let Outcome::LeftOut(why) = outcome {
        ensure!(env::var_os("CI").is_none(), "{why}");
        left_out.push(format!("LEFT OUT: suite `{name}`: {why}"));
    }
    Ok(())
}

fn done(_: ()) -> Outcome {
    Outcome::Done
}

fn format() -> Result<Outcome> {
    run(&mut command("cargo fmt --all --check"))?;
    run(&mut command("cargo fmt --manifest-path fuzz/Cargo.toml --check"))?;
    run(&mut command("cargo fmt --manifest-path bench/Cargo.toml --check"))?;
    run(&mut command("cargo fmt --manifest-path bench/device/Cargo.toml --check")).map(done)
}

fn clippy() -> Result<Outcome> {
    run(&mut command(&format!("cargo clippy {WHOLE} --all-targets -- -D warnings")))?;
    run(&mut command("cargo check --locked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz"))?;
    run(&mut command("cargo check --locked --manifest-path bench/device/Cargo.toml --target-dir target/fuzz")).map(done)
}

fn docs() -> Result<Outcome> {
    let mut doc = command(&format!("cargo doc {WHOLE} --no-deps"));
    run(doc.env("RUSTDOCFLAGS", "-D warnings")).map(done)
}

/// The first command of the README, word by word, in a folder of its own.
fn readme() -> Result<Outcome> {
    let text = fs::read_to_string(root().join("README.md"))?;
    let line = first_command(&text).context("README.md has no block ```sh")?;
    let folder = work_folder("readme")?;
    let pictures = ["photo.png", "small.png", "spectrum.png"].map(|name| folder.join(name));
    for picture in pictures.iter().filter(|picture| picture.exists()) {
        fs::remove_file(picture)?;
    }
    run(Command::new("sh").args(["-c", line]).current_dir(&folder).stdin(std::process::Stdio::null()))?;
    for picture in pictures {
        let bytes = fs::read(&picture).with_context(|| format!("the command did not write {}", picture.display()))?;
        ensure!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{} is no picture", picture.display());
    }
    Ok(Outcome::Done)
}

/// The first line of the first block of shell commands.
fn first_command(text: &str) -> Option<&str> {
    text.lines().skip_while(|line| *line != "```sh").nth(1)
}

/// Unit, integration and documentation tests of all crates, their kernels kept with what cargo
/// builds, and photographs to decode.
fn tests() -> Result<Outcome> {
    let mut test = command(&format!("cargo test {WHOLE}"));
    match photographs() {
        Ok(folder) => drop(test.env("FOURFOLD_PHOTOGRAPHS", folder)),
        Err(error) if env::var_os("CI").is_none() => eprintln!("no photographs from PyPI: {error:#}"),
        Err(error) => return Err(error.context("no photographs from PyPI")),
    }
    run(test.env("FOURFOLD_CACHE_DIR", work_folder("kernels")?)).map(done)
}

/// A package that has two photographs among its data sets.
const PHOTOGRAPHS: &str = "--no-deps scikit-learn==1.9.1";

/// The folder of the photographs.
fn photographs() -> Result<String> {
    let find = "import sysconfig; print(sysconfig.get_path('platlib') + '/sklearn/datasets/images')";
    let mut script = command(&python("photographs", PHOTOGRAPHS)?);
    Ok(output(script.args(["-c", find]))?.trim().to_owned())
}

/// The suites that ran: time and budget.
fn table(suites: &[&Suite], times: &[Duration]) -> String {
    let row = |name: &str, time: Duration, budget: u64| {
        let over = if time.as_secs() > budget { "  over its budget" } else { "" };
        format!("{name:<8} {:>6} {:>7}{over}\n", clock(time.as_secs()), clock(budget))
    };
    let mut text = String::from("\nsuite      time  budget\n");
    let rows = suites.iter().zip(times).map(|(suite, time)| row(suite.name, *time, suite.budget));
    text.extend(rows);
    text + &row("total", times.iter().sum(), suites.iter().map(|suite| suite.budget).sum())
}

/// Minutes and seconds.
fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_command() {
        assert_eq!(first_command("a\n```rust\nx\n```\n```sh\none && two\nthree\n```\n"), Some("one && two"));
        assert_eq!(first_command("a\n```rust\nx\n```\n"), None);
    }

    #[test]
    fn suites_are_chosen_by_name() {
        let names = |words: &[&str]| {
            let suites = chosen(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
            suites.map(|suites| suites.iter().map(|suite| suite.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), SUITES.len());
        assert_eq!(names(&["docs", "format"]).unwrap(), ["docs", "format"]);
        assert!(names(&["dogs"]).unwrap_err().to_string().contains("docs"));
    }

    #[test]
    fn marks_what_is_over_its_budget() {
        let text = table(&chosen(&[]).unwrap(), &[Duration::from_secs(9), Duration::from_secs(1000)]);
        assert!(text.contains("format     0:09    0:10\n"), "{text}");
        assert!(text.contains("clippy    16:40    2:30  over its budget\n"), "{text}");
        assert_eq!(text.lines().count(), 5, "{text}");
    }

    #[test]
    fn all_budgets_together_leave_room_below_thirty_minutes() {
        assert!(SUITES.iter().map(|suite| suite.budget).sum::<u64>() <= 27 * 60);
    }
}

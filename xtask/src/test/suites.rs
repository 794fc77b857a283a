//! The suites, and those of them that are a few lines.

use super::tier::{ALWAYS, FULL, GATE, QUICK};
use super::{ALL_FEATURES, Outcome, QUICK_SWEEPS, Suite, WHOLE, WHOLE_SWEEPS, python};
use crate::photographs::photographs;
use crate::process::{command, root, run, target_folder, work_folder};
use crate::{arm, fuzz, gpu, memory, mpi, msrv, package};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// In the order in which they run: those of tests are last, so that the output ends with their
/// results.
pub(crate) const SUITES: &[Suite] = &[
    Suite { name: "format", budget: 10, tiers: ALWAYS, run: format },
    Suite { name: "clippy", budget: 60, tiers: GATE, run: clippy },
    Suite { name: "outside", budget: 30, tiers: GATE, run: outside },
    Suite { name: "docs", budget: 15, tiers: GATE, run: docs },
    Suite { name: "package", budget: 15, tiers: GATE, run: || package::suite().map(done) },
    Suite { name: "msrv", budget: 60, tiers: FULL, run: msrv::suite },
    Suite { name: "first-command", budget: 180, tiers: FULL, run: first_command },
    Suite { name: "miri", budget: 600, tiers: FULL, run: memory::miri },
    Suite { name: "asan", budget: 900, tiers: FULL, run: memory::asan },
    Suite { name: "tsan", budget: 900, tiers: FULL, run: memory::tsan },
    Suite { name: "valgrind", budget: 600, tiers: FULL, run: memory::valgrind },
    Suite { name: "fuzz", budget: 1200, tiers: FULL, run: fuzz::suite },
    Suite { name: "bench", budget: 60, tiers: FULL, run: bench },
    Suite { name: "readme", budget: 135, tiers: GATE, run: readme },
    Suite { name: "nvrtc", budget: 75, tiers: GATE, run: || gpu::nvrtc(false) },
    Suite { name: "oclgrind", budget: 45, tiers: GATE, run: || gpu::oclgrind(Some(LONG)) },
    Suite { name: "subgroups", budget: 150, tiers: GATE, run: || gpu::subgroups(LONG) },
    Suite { name: "arm", budget: arm::BUDGET, tiers: GATE, run: arm::suite },
    Suite { name: "python", budget: python::BUDGET, tiers: GATE, run: python::suite },
    Suite { name: "mpi", budget: mpi::BUDGET, tiers: GATE, run: mpi::suite },
    Suite { name: "experiments", budget: 150, tiers: GATE, run: experiments },
    Suite { name: "experiments-in-time", budget: 900, tiers: FULL, run: experiments_in_time },
    Suite { name: "core", budget: 230, tiers: QUICK, run: core },
    Suite { name: "sweeps", budget: 900, tiers: FULL, run: sweeps },
    Suite { name: "tests", budget: 510, tiers: GATE, run: tests },
];

fn done(_: ()) -> Outcome {
    Outcome::Done
}

fn format() -> Result<Outcome> {
    run(&mut command("cargo fmt --all --check"))?;
    for manifest in ["fuzz", "bench", "bench/device", "crates/fourfold-mpi"] {
        run(&mut command(&format!("cargo fmt --manifest-path {manifest}/Cargo.toml --check")))?;
    }
    subjects().map(done)
}

/// The first commit whose subject is checked follows this one.
const SUBJECTS_SINCE: &str = "d9d757b";

/// Three earlier commits have longer subjects.
const LONG_SUBJECTS: [&str; 3] = ["be904f8", "99d4487", "4e0ee32"];

/// Checks that the subjects of commits have at most 72 characters, if git has them here.
fn subjects() -> Result<()> {
    let log = command("git log").arg("--format=%H %s").arg(format!("{SUBJECTS_SINCE}..HEAD")).output();
    let Some(log) = log.ok().filter(|log| log.status.success()) else { return Ok(()) };
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    let long: Vec<_> = long_subjects(&log).collect();
    ensure!(long.is_empty(), "subjects of more than 72 characters:\n{}", long.join("\n"));
    Ok(())
}

/// The lines of a log whose subjects are too long.
fn long_subjects(log: &str) -> impl Iterator<Item = &str> {
    let is_long = |line: &&str| line.split_once(' ').is_some_and(|(_, subject)| subject.chars().count() > 72);
    log.lines().filter(is_long).filter(|line| !LONG_SUBJECTS.iter().any(|known| line.starts_with(known)))
}

fn clippy() -> Result<Outcome> {
    run(&mut command(&format!("cargo clippy {ALL_FEATURES} --all-targets -- -D warnings"))).map(done)
}

/// Crates outside the workspace share with it what they build: `.cargo/config.toml` has one profile
/// for all.
fn outside() -> Result<Outcome> {
    for manifest in ["fuzz", "bench/device"] {
        let check = format!("cargo check --locked --manifest-path {manifest}/Cargo.toml --target-dir");
        run(command(&check).arg(target_folder()))?;
    }
    Ok(Outcome::Done)
}

/// The bench loads the peers' C libraries when it runs, so it compiles without them.
fn bench() -> Result<Outcome> {
    let check = "cargo check --locked --manifest-path bench/Cargo.toml --target-dir";
    run(command(check).arg(target_folder())).map(done)
}

fn docs() -> Result<Outcome> {
    let mut doc = command(&format!("cargo doc {ALL_FEATURES} --no-deps"));
    run(doc.env("RUSTDOCFLAGS", "-D warnings")).map(done)
}

/// The first command of the README, its programs as the tests build them: compiling them for speed
/// would take as long as all tests do.
fn readme() -> Result<Outcome> {
    let text = fs::read_to_string(root().join("README.md"))?;
    let line = first_line(&text).context("README.md has no block ```sh")?;
    let programs = programs(line)?;
    let targets: Vec<_> = programs.iter().flat_map(|program| [program.sort, program.name]).collect();
    run(command(&format!("cargo build {WHOLE}")).args(targets))?;
    let folder = empty_pictures()?;
    for program in programs {
        let mut start = command(&program.path().display().to_string());
        run(start.args(program.arguments.split_whitespace()).current_dir(&folder))?;
    }
    are_pictures(&folder).map(done)
}

/// The first command of the README, word by word.
fn first_command() -> Result<Outcome> {
    let text = fs::read_to_string(root().join("README.md"))?;
    let line = first_line(&text).context("README.md has no block ```sh")?;
    let folder = empty_pictures()?;
    run(Command::new("sh").args(["-c", line]).current_dir(&folder).stdin(Stdio::null()))?;
    are_pictures(&folder).map(done)
}

/// The first line of the first block of shell commands.
fn first_line(text: &str) -> Option<&str> {
    text.lines().skip_while(|line| *line != "```sh").nth(1)
}

/// A program that a command of the README builds and starts.
#[derive(Debug, PartialEq)]
struct Program<'a> {
    /// `--bin` or `--example`.
    sort: &'a str,
    name: &'a str,
    arguments: &'a str,
}

impl Program<'_> {
    /// Where cargo builds it with the profile `dev`.
    fn path(&self) -> PathBuf {
        let folder = if self.sort == "--example" { "debug/examples" } else { "debug" };
        target_folder().join(folder).join(self.name)
    }
}

/// The programs of a line of `cargo run --release -p fourfold-cli --bin NAME -- ARGUMENTS && …`.
fn programs(line: &str) -> Result<Vec<Program<'_>>> {
    let whole = |command| {
        program(command).with_context(|| format!("README.md's first command: `{command}` is not `cargo run …`"))
    };
    line.split(" && ").map(whole).collect()
}

/// The program of one command.
fn program(command: &str) -> Option<Program<'_>> {
    let words = command.strip_prefix("cargo run --release -p fourfold-cli ")?;
    let (target, arguments) = words.split_once(" -- ")?;
    let (sort, name) = target.split_once(' ')?;
    // The arguments are split where there are spaces, as a shell does that has nothing to replace.
    let plain = ["--bin", "--example"].contains(&sort) && !arguments.contains(['"', '\'', '$', '|', '>', '*']);
    plain.then_some(Program { sort, name, arguments })
}

const PICTURES: [&str; 3] = ["photo.png", "small.png", "spectrum.png"];

/// A folder of its own, without the pictures of an earlier run.
fn empty_pictures() -> Result<PathBuf> {
    let folder = work_folder("readme")?;
    for picture in PICTURES.map(|name| folder.join(name)).iter().filter(|picture| picture.exists()) {
        fs::remove_file(picture)?;
    }
    Ok(folder)
}

fn are_pictures(folder: &Path) -> Result<()> {
    for picture in PICTURES.map(|name| folder.join(name)) {
        let bytes = fs::read(&picture).with_context(|| format!("the command did not write {}", picture.display()))?;
        ensure!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{} is no picture", picture.display());
    }
    Ok(())
}

/// Clippy and integration tests of the core crate, with a smaller sample of every sweep, and without
/// the engine that has no vectors: it takes a quarter of the crate's build.
fn core() -> Result<Outcome> {
    run(&mut command("cargo clippy --locked --package fourfold --all-targets -- -D warnings"))?;
    run(command("cargo test --locked --package fourfold --test *").envs([QUICK_SWEEPS])).map(done)
}

/// The tests of the experiments, which every other suite leaves out. Cargo builds them with the
/// features of the whole workspace, so that it compiles no other crate again.
fn experiments() -> Result<Outcome> {
    test(&["--bin", EXPERIMENTS, "--test", "tables", "--test", "circuits"])
}

const EXPERIMENTS: &str = "fourfold-experiments";

/// What the experiments have a time for, compiled for speed: circuits that spread by their forces
/// alone, and the quick tables without a GPU, whose kernels are compiled anew.
fn experiments_in_time() -> Result<Outcome> {
    let folder = work_folder("experiments-in-time")?;
    let build = format!("cargo build --release --locked --package {EXPERIMENTS}");
    run(&mut command(&build))?;
    let start = |arguments: &str| {
        let mut start =
            command(&format!("{} {arguments}", target_folder().join("release").join(EXPERIMENTS).display()));
        start.current_dir(&folder).env("FOURFOLD_CACHE_DIR", folder.join("kernels"));
        start.env("POCL_CACHE_DIR", folder.join("pocl"));
        run(&mut start)
    };
    start("generate adaptec1 --cells 200000 --out circuits")?;
    start("circuit circuits/adaptec1.aux --bins 512x512 --spread --within 60")?;
    for cache in ["kernels", "pocl"].map(|name| folder.join(name)).iter().filter(|cache| cache.exists()) {
        fs::remove_dir_all(cache)?;
    }
    let quick = Instant::now();
    start("--quick --engine cpu,opencl --out quick")?;
    let (took, most) = (quick.elapsed(), Duration::from_secs(600));
    ensure!(took <= most, "the quick tables took {} s, more than {}", took.as_secs(), most.as_secs());
    Ok(Outcome::Done)
}

/// Unit, integration and documentation tests of all other crates.
fn tests() -> Result<Outcome> {
    test(&["--exclude", EXPERIMENTS])
}

/// Tests of crates, their kernels kept with what cargo builds, and photographs to decode.
fn test(which: &[&str]) -> Result<Outcome> {
    let mut test = command(&format!("cargo test {WHOLE}"));
    match photographs() {
        Ok(folder) => drop(test.env("FOURFOLD_PHOTOGRAPHS", folder)),
        Err(error) if env::var_os("CI").is_none() => eprintln!("no photographs from PyPI: {error:#}"),
        Err(error) => return Err(error.context("no photographs from PyPI")),
    }
    run(test.args(which).env("FOURFOLD_CACHE_DIR", work_folder("kernels")?)).map(done)
}

/// Tests that take a sample of their cases.
const SWEEPING: [&str; 9] =
    ["lengths", "cases", "methods", "recipe", "single_line", "problems", "filters", "electrostatics", "blocks"];

/// Elements of the longest signals that the gate has in the simulator of GPUs: three longer ones
/// take two thirds of its time.
const LONG: usize = 20_000;

/// All sweeps whole.
fn sweeps() -> Result<Outcome> {
    for outcome in [gpu::oclgrind(None)?, gpu::nvrtc(true)?] {
        if let Outcome::LeftOut(why) = outcome {
            return Ok(Outcome::LeftOut(why));
        }
    }
    let targets: String = SWEEPING.iter().map(|name| format!(" --test {name}")).collect();
    let mut test = command(&format!("cargo test {ALL_FEATURES}{targets}"));
    run(test.envs([WHOLE_SWEEPS]).env("FOURFOLD_CACHE_DIR", work_folder("kernels")?)).map(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_command() {
        assert_eq!(first_line("a\n```rust\nx\n```\n```sh\none && two\nthree\n```\n"), Some("one && two"));
        assert_eq!(first_line("a\n```rust\nx\n```\n"), None);
    }

    #[test]
    fn the_readme_s_programs_are_found() {
        let run = "cargo run --release -p fourfold-cli";
        let line = format!("{run} --example make -- a.png && {run} --bin fourfold -- compress a.png");
        let [make, compress] = programs(&line).unwrap().try_into().unwrap();
        assert_eq!(make, Program { sort: "--example", name: "make", arguments: "a.png" });
        assert!(make.path().ends_with("debug/examples/make"));
        assert_eq!(compress, Program { sort: "--bin", name: "fourfold", arguments: "compress a.png" });
        assert!(programs("cargo install fourfold-cli").is_err());
        let page = include_str!("../../../README.md");
        assert!(programs(first_line(page).unwrap()).is_ok());
    }

    #[test]
    fn long_subjects_are_found() {
        let long = "x".repeat(73);
        let log = format!("0123 Say it\n4567 {long}\nbe904f8aa {long}\n89ab {}\n", &long[1..]);
        assert_eq!(long_subjects(&log).collect::<Vec<_>>(), [format!("4567 {long}")]);
    }
}

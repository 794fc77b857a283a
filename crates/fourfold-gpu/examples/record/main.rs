//! Records results, kernels and recipes as text files in a folder, so that a change can be shown to
//! leave them as they are: `cargo xtask record FOLDER`. Names of files after the folder restrict the
//! recording to these.
//!
//! - `cpu.txt`: checksums of outputs, for every instruction set with 1, 2 and 3 threads.
//! - `kernels.txt`: checksums of the texts of kernels, with and without comments; the texts
//!   themselves are in the folder `kernels`, named by their checksums.
//! - `recipes.txt`: recipes as they print.
//!
//! Each line is a key, ` | ` and a value; the lines are sorted.

mod api;
mod output;
mod random;
mod subjects;

use api::{Subject, kernels, recipe};
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_64;

/// Elements of the largest array that is transformed: 4096 x 4096 and the like.
const LARGEST: usize = 1 << 24;

/// Elements of the largest array that is transformed by the slow instruction sets too.
const LARGEST_FOR_ALL: usize = 1 << 21;

/// Thread counts that results are recorded for.
const THREADS: [usize; 3] = [1, 2, 3];

/// Devices that kernels are written for.
const TARGETS: [&str; 3] = ["cuda:sm_80", "cuda:sm_90", "opencl"];

/// The value of what has no plan.
const REFUSED: &str = "refused";

type Lines = BTreeSet<String>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, chosen @ ..] = &*arguments else { return Err("usage: record FOLDER [FILE ...]".into()) };
    let folder = Path::new(folder);
    fs::create_dir_all(folder.join("kernels"))?;
    let subjects = subjects::all();
    let files = [
        ("recipes.txt", recipes as fn(&Path, &[Subject]) -> Result<Lines, Box<dyn Error>>),
        ("kernels.txt", all_kernels),
        ("cpu.txt", outputs),
    ];
    for (name, lines_of) in files.into_iter().filter(|(name, _)| chosen.is_empty() || chosen.iter().any(|c| c == name))
    {
        let start = Instant::now();
        let lines = lines_of(folder, &subjects)?;
        fs::write(folder.join(name), lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
        println!("{name}: {} lines, {:.0} s", lines.len(), start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The recipes of all subjects and of random problems, each in one line.
fn recipes(_: &Path, subjects: &[Subject]) -> Result<Lines, Box<dyn Error>> {
    let random = subjects::random();
    let line = |subject: &Subject| {
        let text = recipe(subject).map_or(REFUSED.to_owned(), |recipe| recipe.to_string().replace('\n', "; "));
        format!("{} | {text}", subject.key())
    };
    Ok(subjects.iter().chain(&random).map(line).collect())
}

/// Checksums of all kernels. Writes their texts.
fn all_kernels(folder: &Path, subjects: &[Subject]) -> Result<Lines, Box<dyn Error>> {
    let mut lines = Lines::new();
    for (target, subject) in TARGETS.iter().flat_map(|target| subjects.iter().map(move |subject| (*target, subject))) {
        let key = format!("{target} | {}", subject.key());
        let Ok(planned) = kernels(target, subject) else {
            lines.insert(format!("{key} | {REFUSED}"));
            continue;
        };
        lines.insert(format!("{key} | plan | {}", planned.costs));
        for (i, kernel) in planned.kernels.iter().enumerate() {
            let checksum = xxh3_64(kernel.source.as_bytes());
            let plain = xxh3_64(without_comments(&kernel.source).as_bytes());
            lines.insert(format!("{key} | kernel {i} | {} text {checksum:016x} {plain:016x}", kernel.grid));
            let path = folder.join(format!("kernels/{checksum:016x}.txt"));
            if !path.exists() {
                fs::write(path, &kernel.source)?;
            }
        }
    }
    Ok(lines)
}

/// The text of a kernel without comments, spaces at the ends of lines, and empty lines.
fn without_comments(source: &str) -> String {
    let mut plain = String::new();
    let mut rest = source;
    while let Some(at) = rest.find("/*") {
        plain += &rest[..at];
        rest = rest[at..].split_once("*/").map_or("", |(_, after)| after);
    }
    plain += rest;
    let lines = plain.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

/// Checksums of the outputs of all subjects.
fn outputs(_: &Path, subjects: &[Subject]) -> Result<Lines, Box<dyn Error>> {
    let isas = api::isas();
    let mut lines = Lines::new();
    for subject in subjects.iter().filter(|subject| subject.is_for_processors() && subject.elements() <= LARGEST) {
        let all = subject.elements() <= LARGEST_FOR_ALL;
        for isa in isas.iter().take(if all { isas.len() } else { 1 }) {
            let checksums = THREADS.map(|threads| match output::checksum(subject, isa, threads) {
                Ok(checksum) => format!("{checksum:016x}"),
                Err(_) => REFUSED.to_owned(),
            });
            lines.insert(format!("{} | {isa} | {}", subject.key(), checksums.join(" ")));
        }
    }
    Ok(lines)
}

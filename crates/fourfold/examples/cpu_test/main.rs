//! Tests the CPU engine at length: every kind at every length against the definition, and plans made
//! and dropped at random by many threads. `cargo xtask cpu-test` runs both. The binary needs no
//! other file, so that it can be carried to a machine without Rust:
//!
//! ```sh
//! RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --release -p fourfold --all-features --example cpu_test
//! cpu_test verify                   # every kind and length up to 4096, every instruction set
//! cpu_test verify --part 1/100      # a hundredth of them
//! cpu_test soak                     # 1,000,000 executions by 16 threads
//! ```

#[path = "../../tests/common/mod.rs"]
mod common;
mod soak;
mod verify;

use common::soak::Soak;
use std::process::ExitCode;

const USAGE: &str = "usage: cpu_test verify [--longest 4096] [--part 1/1] [--threads N]
       cpu_test soak [--threads 16] [--problems 200] [--executions 1000000] [--seconds S] [--planners 500]";

/// The numbers of the command line.
struct Arguments {
    task: String,
    longest: usize,
    /// Which part of how many, from 0.
    part: (usize, usize),
    threads: Option<usize>,
    soak: Soak,
}

fn main() -> ExitCode {
    let Some(Arguments { task, longest, part, threads, soak }) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let done = match &*task {
        "verify" => Ok(verify::verify(longest, part, threads.unwrap_or_else(cores))),
        "soak" => soak::soak(Soak { threads: threads.unwrap_or(soak.threads), ..soak }),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cpu_test: {error}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let task = words.next()?;
    let soak = Soak { threads: 16, problems: 200, executions: 1_000_000, seconds: f64::INFINITY, planners: 500 };
    let mut arguments = Arguments { task, longest: 4096, part: (0, 1), threads: None, soak };
    while let Some(word) = words.next() {
        let value = words.next()?;
        let number = || value.parse().ok();
        match &*word {
            "--longest" => arguments.longest = number()?,
            "--part" => arguments.part = part(&value)?,
            "--threads" => arguments.threads = Some(number()?),
            "--problems" => arguments.soak.problems = number()?,
            "--executions" => arguments.soak.executions = number()?,
            "--seconds" => arguments.soak.seconds = number()? as f64,
            "--planners" => arguments.soak.planners = number()?,
            _ => return None,
        }
    }
    Some(arguments)
}

/// `2/3` is the second of three.
fn part(text: &str) -> Option<(usize, usize)> {
    let (i, n) = text.split_once('/')?;
    let (i, n): (usize, usize) = (i.parse().ok()?, n.parse().ok()?);
    (1..=n).contains(&i).then_some((i - 1, n))
}

//! Tests a device: every kind at every small length and at random longer ones against the oracle, a
//! sample of every sort of kernel under compute-sanitizer. `cargo xtask device-test` runs both. The
//! binary needs no other file, so that it can be carried to a machine without Rust:
//!
//! ```sh
//! RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --release -p fourfold-gpu --example device_test
//! device_test verify --device cuda:0 --shard 1/2
//! device_test verify "dct2 f32 8192x70"  # other problems
//! device_test sanitize                  # under memcheck and racecheck
//! device_test soak --threads 16 --executions 1000000 --seconds 120  # plans made and dropped at random
//! ```

#[path = "../../tests/common/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod common;
mod problems;
mod sanitize;
mod soak;
mod verify;

use fourfold_gpu::Device;
use problems::{Group, WHOLE};
use std::error::Error;
use std::process::ExitCode;

/// What goes wrong here is printed, not handled.
type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: device_test verify|sanitize|sample|soak [PROBLEM…] [--device cuda:0] [--shard 1/1] [--longest ELEMENTS] \
     [--threads 16] [--problems 200] [--executions 100000] [--seconds S] [--planners 500]";

/// The command line.
struct Arguments {
    task: String,
    problems: Vec<String>,
    device: String,
    /// Which part of how many, from 0.
    shard: (usize, usize),
    /// Elements of the longest signals of the sample.
    longest: usize,
    soak: common::soak::Soak,
}

impl Arguments {
    /// What a summary is of.
    fn name(&self, test: &str) -> String {
        format!("{test} of {}: part {}/{}", self.device, self.shard.0 + 1, self.shard.1)
    }
}

fn main() -> ExitCode {
    let done = arguments().and_then(|arguments| test(&arguments));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("device_test: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether all is well.
fn test(arguments: &Arguments) -> Outcome<bool> {
    let device = Device::open(&arguments.device)?;
    println!("{}: {}, {}", arguments.device, device.name(), device.info().version);
    let target = device.target();
    match &*arguments.task {
        "verify" if !arguments.problems.is_empty() => {
            let problems = arguments.problems.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>()?;
            let groups = vec![Group { algorithm: None, device: WHOLE, problems }];
            Ok(verify::all("problems", &device, &target, groups))
        }
        "verify" => Ok(verify::all(&arguments.name("device test"), &device, &target, problems::sweep(arguments.shard))),
        "sample" => {
            // compute-sanitizer would instrument the vendor's library too, all of it.
            let target = target.without_vendor_ffts();
            let groups = problems::sample(&target, arguments.shard, arguments.longest);
            Ok(verify::all(&arguments.name("sample"), &device, &target, groups))
        }
        "soak" => soak::soak(&device, arguments.soak),
        "sanitize" => sanitize::sanitize(&arguments.device, arguments.shard),
        _ => Err(USAGE.into()),
    }
}

fn arguments() -> Outcome<Arguments> {
    let mut words = std::env::args().skip(1);
    let task = words.next().ok_or(USAGE)?;
    let device = "cuda:0".into();
    let soak =
        common::soak::Soak { threads: 16, problems: 200, executions: 100_000, seconds: f64::INFINITY, planners: 500 };
    let mut arguments = Arguments { task, problems: vec![], device, shard: (0, 1), longest: usize::MAX, soak };
    while let Some(word) = words.next() {
        match &*word {
            "--device" => arguments.device = words.next().ok_or(USAGE)?,
            "--shard" => arguments.shard = words.next().and_then(|text| shard(&text)).ok_or(USAGE)?,
            "--longest" => arguments.longest = words.next().ok_or(USAGE)?.parse()?,
            "--threads" => arguments.soak.threads = words.next().ok_or(USAGE)?.parse()?,
            "--problems" => arguments.soak.problems = words.next().ok_or(USAGE)?.parse()?,
            "--seconds" => arguments.soak.seconds = words.next().ok_or(USAGE)?.parse()?,
            "--planners" => arguments.soak.planners = words.next().ok_or(USAGE)?.parse()?,
            "--executions" => arguments.soak.executions = words.next().ok_or(USAGE)?.parse()?,
            _ if word.starts_with('-') => return Err(USAGE.into()),
            _ => arguments.problems.push(word),
        }
    }
    Ok(arguments)
}

/// `2/3` is the second of three.
fn shard(text: &str) -> Option<(usize, usize)> {
    let (i, n) = text.split_once('/')?;
    let (i, n): (usize, usize) = (i.parse().ok()?, n.parse().ok()?);
    (1..=n).contains(&i).then_some((i - 1, n))
}

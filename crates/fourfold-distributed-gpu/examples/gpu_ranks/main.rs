//! Verifies and times ranks on GPUs, with exchanges by NCCL or between queues.
//!
//! ```sh
//! cargo build --release -p fourfold-distributed-gpu --example gpu_ranks
//! target/release/examples/gpu_ranks verify --gpus 2 --exchange nccl --seconds 60
//! target/release/examples/gpu_ranks verify --gpus 1 --ranks 4 --exchange queues --seconds 60
//! target/release/examples/gpu_ranks bench --gpus 2 --exchange nccl
//! target/release/examples/gpu_ranks bench --gpus 2 --exchange nccl --grid 2 "dct2 f64 8192x8192"
//! ```
//!
//! `verify` compares every kind in one to four dimensions, on slabs and pencils, of even and uneven
//! sizes, with the definition. `bench` prints a line of JSON for each problem. `--api opencl` takes
//! queues of OpenCL, and `--parts 4` has `verify` cut first exchanges into so many parts. `--in-row 10`
//! has `bench` enqueue so many executions before it waits, and print the time of one.

mod bench;
mod verify;
mod world;

use fourfold::{Error, ErrorKind, Result};
use fourfold_gpu::{Device, GpuPlanner};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use world::World;

/// The command line.
struct Options {
    command: String,
    api: String,
    gpus: usize,
    ranks: usize,
    exchange: String,
    grid: Option<String>,
    parts: Option<usize>,
    in_row: usize,
    limit: Duration,
    problems: Vec<String>,
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

fn options() -> Result<Options> {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let mut all = Options {
        command,
        api: "cuda".into(),
        gpus: 1,
        ranks: 0,
        exchange: "queues".into(),
        grid: None,
        parts: None,
        in_row: 1,
        limit: Duration::from_secs(60),
        problems: vec![],
    };
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            all.problems.push(word);
            continue;
        }
        let value = words.next().ok_or_else(|| wrong(format!("{word} needs a value")))?;
        let number = || value.parse::<usize>().map_err(|_| wrong(format!("{word} {value}: expected a number")));
        match word.as_str() {
            "--api" => all.api = value,
            "--gpus" => all.gpus = number()?,
            "--ranks" => all.ranks = number()?,
            "--exchange" => all.exchange = value,
            "--parts" => all.parts = Some(number()?),
            "--in-row" => all.in_row = number()?.max(1),
            "--grid" => all.grid = Some(value),
            "--seconds" => all.limit = Duration::from_secs(number()? as u64),
            _ => return Err(wrong(format!("unknown option {word}"))),
        }
    }
    Ok(all)
}

fn run() -> Result<bool> {
    let options = options()?;
    let open = |number: usize| Device::open(&format!("{}:{number}", options.api));
    let devices = (0..options.gpus).map(open).collect::<Result<Vec<_>>>()?;
    let planners: Vec<_> = devices.iter().map(|device| Arc::new(GpuPlanner::new(device.clone()))).collect();
    let ranks = if options.ranks == 0 { options.gpus } else { options.ranks };
    let grid = options.grid.clone().unwrap_or(ranks.to_string());
    match (options.command.as_str(), options.exchange.as_str()) {
        ("verify", "nccl") => {
            let world = World { parts: options.parts, ..World::of_nccl(&planners, &devices)? };
            verify::verify(&world, options.limit)
        }
        ("verify", "queues") => {
            let world = World { parts: options.parts, ..World::of_queues(&planners, &devices, ranks)? };
            verify::verify(&world, options.limit)
        }
        ("bench", "nccl") => {
            let mut world = World::of_nccl(&planners, &devices)?;
            bench::bench(&mut world, &planners[0], &grid, options.in_row, &options.problems)
        }
        ("bench", "queues") => {
            let mut world = World::of_queues(&planners, &devices, ranks)?;
            bench::bench(&mut world, &planners[0], &grid, options.in_row, &options.problems)
        }
        (command, exchange) => Err(wrong(format!(
            "{command:?} with --exchange {exchange}: expected verify or bench, with --exchange nccl or queues"
        ))),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

//! The subcommands, one a file.

mod bench;
mod cache;
mod compress;
mod filter;
mod info;
mod jpeg;
mod plan;
mod transform;
mod tune;
mod verify;

use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;

use crate::args::{Args, Command};

/// Carries out what the command line asks for.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Info(args) => info::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Tune(args) => tune::run(args),
        Command::Transform(args) => transform::run(args),
        Command::Compress(args) => compress::run(args),
        Command::Filter(args) => filter::run(args),
        Command::Jpeg(args) => jpeg::run(args),
        Command::Reproduce(args) => args.moved(),
        Command::Cache(args) => cache::run(args),
    }
}

/// Prints JSON for a program to read.
fn print_json(value: &impl Serialize) -> Result<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer_pretty(&mut stdout, value).map_err(io::Error::from)?;
    Ok(writeln!(stdout)?)
}

/// A number of bytes, and the same in a handier unit where there is one.
fn bytes(count: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|&(_, shift)| count >> shift > 0) {
        Some((unit, shift)) => format!("{count} bytes ({:.1} {unit})", count as f64 / (1u64 << shift) as f64),
        None => format!("{count} bytes"),
    }
}

//! The program `fourfold-experiments`: repeats the experiments of the documents that fourfold is
//! built from, on this machine.

mod args;
mod charges;
mod circuit;
mod claims;
mod codec;
mod commands;
mod experiments;
mod heat_map;
mod how;
mod measure;
mod noise;
mod page;
mod photographs;
mod plot;
mod processor;
mod ratios;
mod rounding;
mod run;
mod system;

use std::process::ExitCode;

fn main() -> ExitCode {
    fourfold_cli::program::run_program(run::run)
}

//! The program `fourfold-experiments`: repeats the experiments of the documents that fourfold is
//! built from, on this machine.

mod args;
mod codec;
mod experiments;
mod measure;
mod page;
mod plot;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    fourfold_cli::program::run_program(run::run)
}

//! The commands, one a file.

mod bench;
mod cache;
mod compress;
mod convolve;
mod filter;
mod info;
mod jpeg;
mod plan;
mod poisson;
mod transform;
mod tune;
mod verify;

use anyhow::Result;

use crate::args::{Args, Command};

/// Runs the command that the command line names.
pub(crate) fn run_command(args: &Args) -> Result<()> {
    match &args.command {
        Command::Transform(args) => transform::transform_file(args),
        Command::Compress(args) => compress::compress_image(args),
        Command::Filter(args) => filter::filter_image(args),
        Command::Convolve(args) => convolve::convolve_file(args),
        Command::Poisson(args) => poisson::solve_file(args),
        Command::Jpeg(args) => jpeg::run_command(args),
        Command::Verify(args) => verify::verify_problems(args),
        Command::Bench(args) => bench::time_problems(args),
        Command::Plan(args) => plan::show_plan(args),
        Command::Info(args) => info::show_info(args),
        Command::Tune(args) => tune::tune_problems(args),
        Command::Cache(args) => cache::show_cache(args),
        Command::Reproduce(args) => args.moved(),
    }
}

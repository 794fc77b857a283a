//! The command `fourfold`, as a library for programs that measure as it does: engines and
//! algorithms by name, times, files that appear whole.

pub mod algorithm;
pub mod any_plan;
pub mod array;
pub mod bench_targets;
pub mod block_targets;
pub mod comparison;
mod device_data;
pub mod engine;
pub mod files;
pub mod picture;
pub mod planner;
pub mod print;
pub mod program;
pub mod progress;
pub mod wisdom;

mod args;
mod array_files;
mod commands;
mod image_files;
mod npy;
mod problems;
mod spectrum;
mod threshold;

use std::process::ExitCode;

pub use args::values::threads;

/// Runs the command `fourfold` on the arguments of this process.
pub fn run_fourfold() -> ExitCode {
    program::run_program(commands::run_command)
}

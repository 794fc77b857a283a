//! The command `fourfold`, as a library for programs that measure as it does: engines and methods
//! by name, times, files that appear whole.

pub mod array;
pub mod contest;
pub mod engine;
pub mod method;
pub mod output;
pub mod picture;
pub mod program;
pub mod progress;
pub mod ready;
pub mod wisdom;
pub mod work;

mod args;
mod commands;
mod image_files;
mod literal;
mod npy;
mod problems;
mod sift;
mod spectrum;

use std::process::ExitCode;

pub use args::threads;

/// Runs the command `fourfold` on the arguments of this process.
pub fn run() -> ExitCode {
    program::run(commands::run)
}

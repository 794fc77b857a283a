//! The command `fourfold`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fourfold_cli::run_fourfold()
}

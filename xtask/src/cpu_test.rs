//! `cargo xtask cpu-test verify|soak [OPTION …]`: whether the CPU engine computes everything right,
//! at every length and from many threads. The options are those of the example `cpu_test`.

use crate::process::{command, run, target_folder};
use anyhow::{Result, ensure};
use std::env;

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    let task = arguments.first().map(String::as_str);
    ensure!(matches!(task, Some("verify" | "soak")), "usage: cargo xtask cpu-test verify|soak [OPTION …]");
    let mut build = command("cargo build --release --locked --package fourfold --all-features --example cpu_test");
    // The oracle is three times faster where the compiler may use all instructions of this machine.
    run(build.env("RUSTFLAGS", "-C target-cpu=native"))?;
    let binary = target_folder().join("release/examples/cpu_test");
    run(command(&binary.display().to_string()).args(arguments))
}

//! `cargo xtask device-test [--shard i/n] [--device cuda:0]`: whether a GPU computes everything
//! right.

use crate::process::{command, run, target_folder};
use anyhow::{Result, ensure};
use std::env;

/// The task, with the arguments that follow its name. Every shard has its part of the sweep and of
/// the sample under compute-sanitizer, which takes seconds for each kernel.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let device = value("--device").map_or("cuda:0", String::as_str);
    let shard = value("--shard").map_or("1/1", String::as_str);
    let known = arguments.chunks(2).all(|pair| ["--device", "--shard"].contains(&pair[0].as_str()) && pair.len() == 2);
    ensure!(known, "usage: cargo xtask device-test [--shard 1/5] [--device cuda:0]");
    let mut build = command("cargo build --release --locked --package fourfold-gpu --example device_test");
    // The oracle is three times faster where the compiler may use all instructions of this machine.
    run(build.env("RUSTFLAGS", "-C target-cpu=native"))?;
    let binary = target_folder().join("release/examples/device_test");
    run(command(&binary.display().to_string()).args(["verify", "--device", device, "--shard", shard]))?;
    if device.starts_with("cuda") {
        run(command(&binary.display().to_string()).args(["sanitize", "--device", device, "--shard", shard]))?;
    }
    Ok(())
}

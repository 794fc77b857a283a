//! `cargo xtask asan`: the core crate's tests under AddressSanitizer, which needs a nightly
//! toolchain.

use crate::process::{command, output, run, work_folder};
use anyhow::{Context, Result};

/// The task. With a target named, the flags hold for the crates and not for their build scripts.
pub(crate) fn run_task() -> Result<()> {
    let version = output(&mut command("rustc --version --verbose"))?;
    let target = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let line =
        format!("rustup run nightly cargo test --locked --package fourfold --all-features --tests --target {target}");
    let mut test = command(&line);
    test.env("RUSTFLAGS", "-Zsanitizer=address").env("CARGO_TARGET_DIR", work_folder("asan")?);
    run(&mut test)
}

//! `cargo xtask msrv`: whether the oldest Rust that the manifests promise still builds everything.

use crate::process::{command, run, work_folder};
use anyhow::Result;

/// The task. Installs that Rust if rustup has not done so yet.
pub(crate) fn run_task() -> Result<()> {
    let version = env!("CARGO_PKG_RUST_VERSION");
    run(&mut command(&format!("rustup toolchain install {version} --profile minimal --no-self-update")))?;
    let check = format!("rustup run {version} cargo check --locked --workspace --all-targets --all-features");
    run(command(&check).env("CARGO_TARGET_DIR", work_folder("msrv")?))
}

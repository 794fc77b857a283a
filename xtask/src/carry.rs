//! `cargo xtask carry FOLDER`: makes a folder with the programs of `docs/reliability.md`, which test
//! a machine without Rust. `FOLDER/run` says how.

use crate::fuzz::{self, CARRIED};
use crate::process::{command, output, run, target_folder};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::{env, fs};

const PROGRAMS: &str = "cargo build --release --locked --package fourfold --package fourfold-gpu --all-features \
    --example cpu_test --example device_test";

/// Tests that need a GPU and reach what the library does not export. The features are those of the
/// other programs, so that the core crate is compiled once.
const GPU_TESTS: &str = "cargo test --release --locked --package fourfold-gpu --lib --no-run --message-format json \
    --features fourfold/scalar,fourfold/ndarray";

const SCRIPT: &str = r#"#!/bin/sh
# run TASK [ARGUMENT…]: prints lines for `cargo xtask reliability`.
task=$1
[ $# -gt 0 ] && shift
cd "$(dirname "$0")" || exit 2
case "$task" in
verify) exec ./cpu_test verify "$@" ;;                       # --part 1/2: half of it
soak) exec ./cpu_test soak "$@" ;;
gpu) exec ./device_test verify --shard "${1:-1/2}" ;;        # half of the device test
gpu-soak) exec ./device_test soak --seconds "${1:-300}" ;;
gpu-fault) FOURFOLD_DEVICE=cuda:0 exec ./gpu_tests a_fault --nocapture ;;
fuzz) exec fuzz/run "$@" ;;                                  # PROCESSES PART
*) echo "usage: run verify|soak|gpu|gpu-soak|gpu-fault|fuzz [ARGUMENT…]" >&2 && exit 2 ;;
esac
"#;

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    ensure!(arguments.len() == 1, "usage: cargo xtask carry FOLDER");
    let folder = std::path::absolute(&arguments[0])?;
    fuzz::carry(&folder.join("fuzz"))?;
    run(command(PROGRAMS).env("RUSTFLAGS", CARRIED))?;
    for name in ["cpu_test", "device_test"] {
        fs::copy(target_folder().join("release/examples").join(name), folder.join(name))?;
    }
    fs::copy(gpu_tests()?, folder.join("gpu_tests"))?;
    let script = folder.join("run");
    fs::write(&script, SCRIPT)?;
    run(command("chmod +x").arg(&script))?;
    println!("{}", script.display());
    Ok(())
}

/// Builds the test program of `fourfold-gpu`, and returns its place.
fn gpu_tests() -> Result<PathBuf> {
    let messages = output(command(GPU_TESTS).env("RUSTFLAGS", CARRIED))?;
    executable(&messages).context("cargo names no test program")
}

/// The program that the last of cargo's messages names.
fn executable(messages: &str) -> Option<PathBuf> {
    let (_, rest) = messages.rsplit_once("\"executable\":\"")?;
    Some(PathBuf::from(rest.split_once('"')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_in_cargo_s_messages() {
        let messages = "{\"executable\":null}\n{\"fresh\":true,\"executable\":\"/a/b-1\"}\n{\"success\":true}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("/a/b-1")));
        assert_eq!(executable("{\"executable\":null}"), None);
    }
}

//! Where and when figures were measured.

use crate::process::{command, output, target_folder};
use crate::table::Origin;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;

/// Today, this commit, and `a virtual machine with 2 cores of type …, instruction set avx512, rustc
/// 1.95.0`.
pub(crate) fn origin() -> Result<Origin> {
    let info: Value = serde_json::from_str(&fourfold(&["info", "--json"])?)?;
    let set = info["engines"][0]["instruction_sets"][0].as_str().context("`fourfold info` names no instruction set")?;
    let rustc = output(&mut command("rustc --version"))?;
    let rustc = rustc.split(" (").next().unwrap_or(&rustc);
    Ok(Origin::today(commit()?, format!("{}, instruction set {set}, {}", cpu(), rustc.trim())))
}

/// What Git calls the commit, and whether there are changes since.
pub(crate) fn commit() -> Result<String> {
    Ok(output(&mut command("git describe --always --dirty"))?.trim().to_owned())
}

/// As Linux describes it; elsewhere the architecture alone.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let is_virtual = field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let kind = if is_virtual { "a virtual machine" } else { "a machine" };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let [family, number] = ["cpu family", "model"].map(|name| field(name).unwrap_or_default());
    format!("{kind} with {cores} cores of type {model} (family {family}, model {number})")
}

/// What the command `fourfold`, built for speed, prints.
pub(crate) fn fourfold(arguments: &[&str]) -> Result<String> {
    let mut cargo = command("cargo run --release --quiet --locked --package fourfold-cli --bin fourfold --");
    output(cargo.args(arguments))
}

/// The same built for this very machine, in a folder of its own: with fused products and wide
/// vectors the oracle is several times faster, and its sums are the same bits. The engine chooses
/// its instructions when it runs; only its 128-bit lanes come out otherwise.
pub(crate) fn fourfold_for_this_machine(arguments: &[&str]) -> Result<String> {
    let mut cargo = command("cargo run --release --quiet --locked --package fourfold-cli --bin fourfold --target-dir");
    cargo.arg(target_folder().join("native")).arg("--").args(arguments);
    let given = std::env::var("RUSTFLAGS").unwrap_or_default();
    output(cargo.env("RUSTFLAGS", format!("{given} -C target-cpu=native")))
}

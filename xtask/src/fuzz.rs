//! The suite `fuzz`: every fuzz target for a minute, with the stable compiler and without
//! `cargo-fuzz`, whose flags these are.

use crate::memory::UNSTABLE;
use crate::process::{command, host, root, run, work_folder};
use crate::test::Outcome;
use anyhow::Result;

/// Instruments all crates such that libFuzzer sees which branches an input takes and with which
/// values they compare, and AddressSanitizer which memory.
const FLAGS: &str = "--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Each target with libFuzzer's arguments of its own: words and examples to begin with.
const TARGETS: [(&str, &str); 4] = [
    ("notation", "-dict=fuzz/dictionaries/notation.dict"),
    ("npy", "-dict=fuzz/dictionaries/npy.dict"),
    ("jpeg", "-max_len=4096 crates/fourfold-jpeg/tests/data"),
    ("bookshelf", "-max_len=4096 -dict=fuzz/dictionaries/bookshelf.dict fuzz/seeds/bookshelf"),
];

const SECONDS: u64 = 60;

/// Builds and runs all targets. What is found stays in a folder that the output names.
pub(crate) fn suite() -> Result<Outcome> {
    let folder = work_folder("fuzz")?;
    let host = host()?;
    let build = format!("cargo build --locked --manifest-path fuzz/Cargo.toml --target {host} --target-dir");
    run(command(&build).arg(&folder).env("RUSTFLAGS", FLAGS).envs([UNSTABLE]))?;
    for (name, arguments) in TARGETS {
        let corpus = work_folder(&format!("fuzz/corpus/{name}"))?;
        let found = work_folder(&format!("fuzz/found/{name}"))?;
        let mut fuzz = command(&folder.join(&host).join("debug").join(name).display().to_string());
        // The first folder is for new inputs, further ones are read only.
        fuzz.arg(corpus).args(arguments.split(' '));
        fuzz.arg(format!("-artifact_prefix={}/", found.display()));
        fuzz.args([format!("-max_total_time={SECONDS}"), "-print_final_stats=1".into(), "-verbosity=0".into()]);
        run(fuzz.current_dir(root()))?;
    }
    Ok(Outcome::Done)
}

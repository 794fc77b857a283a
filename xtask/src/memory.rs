//! The suites `miri` and `asan`: whether `unsafe` code keeps to its own memory.

use crate::process::{command, host, run, work_folder};
use crate::test::Outcome;
use anyhow::Result;
use std::process::Stdio;

/// What Miri interprets, a thousand times slower than a processor: small problems.
const MIRI: &str = "rustup run nightly cargo miri test --locked --package fourfold --all-features --test cases -- tiny";

/// What brings it.
const INSTALL: &str = "rustup toolchain install nightly --profile minimal --component miri,rust-src --no-self-update";

/// What runs under AddressSanitizer: no documentation tests, whose compiler has other flags.
const ASAN: &str = "cargo test --locked --package fourfold --package fourfold-jpeg --all-features --tests";

/// Lets the stable compiler take flags of the nightly one.
pub(crate) const UNSTABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

/// Runs the scalar engine in Miri, which finds every wrong access and other undefined behaviour.
pub(crate) fn miri() -> Result<Outcome> {
    let mut probe = command("rustup run nightly cargo miri --version");
    let there = probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !there && let Err(error) = run(&mut command(INSTALL)) {
        return Ok(Outcome::LeftOut(format!(
            "Miri cannot be installed ({error:#}): the suite `asan` covers the same code"
        )));
    }
    // Planning asks how many processors there are.
    run(command(MIRI).env("MIRIFLAGS", "-Zmiri-disable-isolation").env("CARGO_TARGET_DIR", work_folder("miri")?))?;
    Ok(Outcome::Done)
}

/// Runs all engines under AddressSanitizer, which finds accesses outside of what was allocated.
/// With a target named, the flags hold for the crates and not for their build scripts.
pub(crate) fn asan() -> Result<Outcome> {
    let mut test = command(&format!("{ASAN} --target {}", host()?));
    test.env("RUSTFLAGS", "-Zsanitizer=address").env("CARGO_TARGET_DIR", work_folder("asan")?);
    // Tests ask for more memory than there is, to see the error.
    test.env("ASAN_OPTIONS", "allocator_may_return_null=1").envs([UNSTABLE]);
    run(&mut test)?;
    Ok(Outcome::Done)
}

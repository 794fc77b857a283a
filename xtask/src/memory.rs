//! The suites `miri`, `asan`, `tsan` and `valgrind`: whether `unsafe` code keeps to its own memory, and its
//! threads to theirs.

use crate::process::{command, host, run, work_folder};
use crate::test::Outcome;
use anyhow::Result;
use std::process::Stdio;

/// What Miri interprets, a thousand times slower than a processor: small problems.
const MIRI: &str = "rustup run nightly cargo miri test --locked --package fourfold --all-features --test cases -- tiny";

/// Threads, with so many seeds for the order in which they run.
const THREADS: &str = "rustup run nightly cargo miri test --locked --package fourfold --all-features --test threads";
const SEEDS: &str = "-Zmiri-many-seeds=0..16";

/// What brings it.
const INSTALL: &str = "rustup toolchain install nightly --profile minimal --component miri,rust-src --no-self-update";

/// What runs under AddressSanitizer: no documentation tests, whose compiler has other flags.
const ASAN: &str = "cargo test --locked --package fourfold --package fourfold-jpeg --all-features --tests";

/// What runs under ThreadSanitizer: the threads of planners, and a short soak of plans.
const TSAN: &str = "rustup run nightly cargo test --locked --package fourfold --all-features -Zbuild-std \
    --test threads --example cpu_test";

/// What runs in valgrind, which sees what C allocates too: the tests of files, not of photographs.
const VALGRIND: &str =
    "cargo test --locked --package fourfold-jpeg --all-features --test files --test damaged --test metadata";

/// Every error, and every block to which no pointer is left.
const RUNNER: &str =
    "valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite";

/// Lets the stable compiler take flags of the nightly one.
pub(crate) const UNSTABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

/// Runs the scalar engine in Miri, which finds every wrong access and other undefined behaviour; and
/// the threads that it has, which may run in many orders.
pub(crate) fn miri() -> Result<Outcome> {
    if let Err(error) = install_nightly() {
        return Ok(Outcome::LeftOut(format!(
            "Miri cannot be installed ({error:#}): the suite `asan` covers the same code"
        )));
    }
    for (line, flags) in [(MIRI, ""), (THREADS, SEEDS)] {
        // Planning asks how many processors there are.
        let flags = format!("-Zmiri-disable-isolation {flags}");
        run(command(line).env("MIRIFLAGS", flags).env("CARGO_TARGET_DIR", work_folder("miri")?))?;
    }
    Ok(Outcome::Done)
}

/// Installs Miri and the sources of the standard library, if they are not there.
fn install_nightly() -> Result<()> {
    let mut probe = command("rustup run nightly cargo miri --version");
    let there = probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if there { Ok(()) } else { run(&mut command(INSTALL)) }
}

/// Runs threads under ThreadSanitizer, which finds data races as they happen. The standard library
/// is compiled for it, too: otherwise its locks would be unknown.
pub(crate) fn tsan() -> Result<Outcome> {
    if let Err(error) = install_nightly() {
        return Ok(Outcome::LeftOut(format!(
            "the nightly compiler cannot be installed ({error:#}): the suite `miri` runs the threads, too"
        )));
    }
    let mut test = command(&format!("{TSAN} --target {}", host()?));
    test.env("RUSTFLAGS", "-Zsanitizer=thread").env("CARGO_TARGET_DIR", work_folder("tsan")?);
    run(&mut test)?;
    Ok(Outcome::Done)
}

/// Runs the tests of JPEG files in valgrind: libjpeg's C code takes memory that AddressSanitizer does
/// not see. Processors that it emulates have AVX2 at most.
pub(crate) fn valgrind() -> Result<Outcome> {
    let there = command("valgrind --version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !there {
        return Ok(Outcome::LeftOut("there is no valgrind: `apt-get install valgrind`".into()));
    }
    let variable = format!("CARGO_TARGET_{}_RUNNER", host()?.replace('-', "_").to_uppercase());
    run(command(VALGRIND).env(variable, RUNNER))?;
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

//! The suite `arm`: tests of the core and of `fourfold-jpeg` as programs for aarch64, whose vectors
//! of 128 bits are NEON's, in the emulator qemu.

use crate::msrv::version;
use crate::process::{command, host, output, run, work_folder};
use crate::setup::{FOR_ARM, apt_install, installed};
use crate::test::{Outcome, SWEEPS, clock};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const TARGET: &str = "aarch64-unknown-linux-gnu";

const EMULATOR: &str = FOR_ARM[0][0];
const LINKER: &str = FOR_ARM[1][0];

/// Debian's compiler where rustup cannot install the target.
const DEBIAN_RUST: &str = "/usr/bin/rustc";
const DEBIAN_PACKAGES: &str = "rustc-web libstd-rust-web-dev:arm64";

/// Without features, as most users build it: the engine without vectors is not there. And without
/// tests that start programs: in qemu 7.2 a process with several threads may hang when it does.
const TESTS: &str = "cargo test --locked --package fourfold --package fourfold-jpeg \
    --test cases --test electrostatics --test filter --test golden --test identities --test lengths --test methods \
    --test multiplied --test plan --test random --test recipe --test single_line \
    --test blocks --test damaged --test files --test ieee1180";

/// Tests that do not run, by parts of their names. CONTRIBUTING.md has the reasons.
const LEFT_OUT: [&str; 9] = [
    "::long",
    "nested_convolutions",
    "dct2_is_as_accurate_as_documented",
    "lines_may_be_done_in_parts",
    "every_length_prints_and_parses",
    "large_problems_have_plans",
    "planning_is_quick",
    "tiny_problems_are_right_on_the_scalar_engine",
    "pixels_times_scans_have_a_limit",
];

/// Of so many cases of a sweep that other suites run, this one runs one: the oracle is slow here.
const FEWER: usize = 24;

/// Seconds on two cores: what the tests may take, and compiling them in a clean clone.
const RUNNING: u64 = 225;
const COMPILING: u64 = 150;
pub(crate) const BUDGET: u64 = RUNNING + COMPILING;

/// Builds and runs the tests.
pub(crate) fn suite() -> Result<Outcome> {
    if host()?.starts_with("aarch64") {
        println!("This is an ARM processor: all suites test NEON.");
        return Ok(Outcome::Done);
    }
    for [program, package] in FOR_ARM {
        if !installed(program) {
            return Ok(Outcome::LeftOut(format!("no {program}: install Debian's {package}")));
        }
    }
    let compiler = match compiler() {
        Ok(compiler) => compiler,
        Err(error) => return Ok(Outcome::LeftOut(format!("no Rust for {TARGET}: {error:#}"))),
    };
    let compiling = seconds(tests(compiler)?.arg("--no-run"))?;
    let left_out = LEFT_OUT.iter().flat_map(|name| ["--skip", name]);
    let running = seconds(tests(compiler)?.arg("--").args(left_out))?;
    let report = |what, took, most| {
        let over = if took > most { "  over its budget" } else { "" };
        println!("{what}: {} of {}{over}", clock(took), clock(most));
    };
    println!("\nNEON, emulated by {}", emulator()?);
    report("compiling", compiling, COMPILING);
    report("running", running, RUNNING);
    Ok(Outcome::Done)
}

/// The seconds that a command takes.
fn seconds(command: &mut Command) -> Result<u64> {
    let start = Instant::now();
    run(command)?;
    Ok(start.elapsed().as_secs())
}

/// Cargo, which builds the tests for the target and starts them in the emulator. The programs are
/// linked statically: dynamically linked ones hang in qemu 7.2 when they start a thread. They are
/// kept apart from what other suites build, since the compiler may be another one.
fn tests(compiler: Option<&str>) -> Result<Command> {
    let mut test = command(&format!("{TESTS} --target {TARGET}"));
    let variable = |name: &str| format!("CARGO_TARGET_{}_{name}", TARGET.to_uppercase().replace('-', "_"));
    test.env(variable("LINKER"), LINKER).env(variable("RUNNER"), EMULATOR);
    test.env(variable("RUSTFLAGS"), "-C target-feature=+crt-static");
    test.env("CARGO_TARGET_DIR", work_folder("arm")?).envs(compiler.map(|path| ("RUSTC", path)));
    test.env(SWEEPS, FEWER.to_string());
    Ok(test)
}

/// The compiler for the target: cargo's own, after rustup has installed the target's library, or
/// else Debian's.
fn compiler() -> Result<Option<&'static str>> {
    let Err(error) = run(&mut command(&format!("rustup target add {TARGET}"))) else { return Ok(None) };
    println!("rustup cannot install it ({error:#}): Debian's compiler has to do.");
    debian_compiler().with_context(|| format!("rustup cannot install it, and Debian's {DEBIAN_PACKAGES} neither"))
}

fn debian_compiler() -> Result<Option<&'static str>> {
    let library = Path::new("/usr/lib/rustlib").join(TARGET);
    if !library.exists() {
        run(&mut command("dpkg --add-architecture arm64"))?;
        apt_install(DEBIAN_PACKAGES)?;
    }
    let (ours, printed) = (env!("CARGO_PKG_RUST_VERSION"), output(command(DEBIAN_RUST).arg("--version"))?);
    let theirs = printed.split_whitespace().nth(1).with_context(|| format!("{DEBIAN_RUST} is {printed}"))?;
    ensure!(version(theirs) >= version(ours), "{DEBIAN_RUST} is {theirs}, and must be {ours} or newer");
    Ok(Some(DEBIAN_RUST))
}

/// The emulator's name and version.
fn emulator() -> Result<String> {
    let text = output(command(EMULATOR).arg("--version"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::root;
    use std::fs;

    #[test]
    fn what_is_left_out_exists_and_has_a_reason() {
        let read = |path: String| fs::read_to_string(root().join(path)).unwrap();
        let names: Vec<_> = TESTS.split("--test ").skip(1).map(str::trim).collect();
        let places = ["fourfold", "fourfold-jpeg"].map(|package| format!("crates/{package}/tests"));
        let both = |name: &&str| [format!("{name}.rs"), format!("{name}/main.rs")];
        let names: Vec<_> = names.iter().flat_map(both).collect();
        let files = places.iter().flat_map(|place| names.iter().map(move |name| format!("{place}/{name}")));
        let tests: String = files.filter(|path| root().join(path).exists()).map(read).collect();
        let reasons = read("CONTRIBUTING.md".into());
        for name in LEFT_OUT.map(|name| name.trim_start_matches(':')) {
            assert!(tests.contains(&format!("fn {name}()")), "no file has a test {name}");
            assert!(reasons.contains(&format!("`{name}`")), "CONTRIBUTING.md does not say why {name} is left out");
        }
    }
}

//! The suite `python`: the package for Python with the extension module as the other suites build
//! it, beside the SciPy that is pinned here. PyTorch is too large to fetch for every clone:
//! `docs/python.md` says how to test with it.

use super::{Outcome, WHOLE};
use crate::process::{command, root, run};
use crate::python::{package, python};
use anyhow::Result;

/// What is compared with, and what runs the tests. JAX is tested on the CPU.
const PACKAGES: &str = "numpy==2.4.6 scipy==1.17.1 hypothesis==6.170.17 pytest==9.2.0 jax==0.10.2";

/// Seconds on two cores in a clean clone.
pub(super) const BUDGET: u64 = 240;

/// Builds the extension module, puts the package beside it, and runs the tests there.
pub(super) fn suite() -> Result<Outcome> {
    let interpreter = match python("python", PACKAGES) {
        Ok(interpreter) => interpreter,
        Err(error) => return Ok(Outcome::LeftOut(format!("no Python with {PACKAGES}: {error:#}"))),
    };
    // With an example, crates get the features that tests ask of them. Without it, cargo would compile
    // all that depend on one of these again.
    run(&mut command(&format!("cargo build {WHOLE} --lib --example device_test")))?;
    let package = package("debug")?;
    let mut test = command(&interpreter);
    test.args("-m pytest -q -ra -p no:cacheprovider".split(' ')).current_dir(root().join("python"));
    run(test.env("PYTHONPATH", &package).env("PYTHONSAFEPATH", "1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
    Ok(Outcome::Done)
}

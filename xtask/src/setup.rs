//! `cargo xtask setup`: the parts of the toolchain that a minimal installation lacks, OpenCL
//! devices that need no GPU, and libjpeg-turbo.

use crate::process::{command, run};
use anyhow::{Context, Result};
use std::process::Stdio;

/// Cargo's subcommands that `cargo xtask test` uses, and the components that bring them.
const COMPONENTS: &[[&str; 2]] = &[["fmt", "rustfmt"], ["clippy", "clippy"]];

/// Debian's packages of PoCL, on which the kernels of GPUs are tested, and where it tells the
/// OpenCL loader of itself.
const POCL: &str = "pocl-opencl-icd ocl-icd-libopencl1";
const POCL_VENDOR: &str = "/etc/OpenCL/vendors/pocl.icd";

/// Debian's package of the simulator that finds races in kernels.
const OCLGRIND: &str = "oclgrind";

/// Debian's package of libjpeg-turbo's programs, whose pixels are compared with.
const LIBJPEG_TURBO: &str = "libjpeg-turbo-progs";

/// Installs what is missing; silent if nothing is.
pub(crate) fn run_if_missing() -> Result<()> {
    for [subcommand, component] in COMPONENTS {
        let mut probe = command(&format!("cargo {subcommand} --version"));
        let status = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            let mut add = command(&format!("rustup component add {component}"));
            run(&mut add).with_context(|| format!("cargo {subcommand} is missing: install {component}"))?;
        }
    }
    let pocl = std::path::Path::new(POCL_VENDOR).exists();
    let djpeg = std::path::Path::new("/usr/bin/djpeg").exists();
    let missing = [(pocl, POCL), (installed(OCLGRIND), OCLGRIND), (djpeg, LIBJPEG_TURBO)];
    install(&missing.into_iter().filter(|(there, _)| !there).map(|(_, package)| package).collect::<Vec<_>>().join(" "));
    Ok(())
}

/// Whether a program can be started.
pub(crate) fn installed(program: &str) -> bool {
    command(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Installs Debian's packages. Where that is not possible, the tests that need them say that they
/// did not run.
fn install(packages: &str) {
    if packages.is_empty() || !std::path::Path::new("/usr/bin/apt-get").exists() {
        return;
    }
    let install = format!("apt-get install -y --no-install-recommends {packages}");
    let installed = run(&mut command("apt-get update")).and_then(|()| run(&mut command(&install)));
    if let Err(error) = installed {
        eprintln!("install {packages} to test GPU kernels and JPEG files ({error:#})");
    }
}

/// The task.
pub(crate) fn run_task() -> Result<()> {
    run_if_missing()?;
    println!("everything that `cargo xtask test` needs is there");
    Ok(())
}

//! `cargo xtask setup`: the parts of the toolchain that a minimal installation lacks, OpenCL
//! devices that need no GPU, libjpeg-turbo, and an emulator of ARM processors.

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

/// The emulator of ARM processors and the compiler that links for them, with Debian's packages.
pub(crate) const FOR_ARM: [[&str; 2]; 2] =
    [["qemu-aarch64", "qemu-user"], ["aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"]];

/// The compiler and the starter of programs with MPI, and the library by which the binding of MPI is made,
/// with Debian's packages.
pub(crate) const FOR_MPI: [[&str; 2]; 3] =
    [["mpicc", "libopenmpi-dev"], ["mpirun", "openmpi-bin"], ["llvm-config", "libclang-dev llvm"]];

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
    let arm = FOR_ARM.map(|[program, package]| (installed(program), package));
    let missing = missing.into_iter().chain(arm).filter(|(there, _)| !there).map(|(_, package)| package);
    install(&missing.collect::<Vec<_>>().join(" "));
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
    if let Err(error) = apt_install(packages) {
        eprintln!("install {packages} to test GPU kernels, JPEG files and NEON ({error:#})");
    }
}

/// Installs Debian's packages, where this user may.
pub(crate) fn apt_install(packages: &str) -> Result<()> {
    run(&mut command("apt-get update"))?;
    run(&mut command(&format!("apt-get install -y --no-install-recommends {packages}")))
}

/// The task.
pub(crate) fn run_task() -> Result<()> {
    run_if_missing()?;
    println!("everything that `cargo xtask test` needs is there");
    Ok(())
}

//! `cargo xtask setup`: the parts of the toolchain that a minimal installation lacks.

use crate::process::{command, run};
use anyhow::{Context, Result};
use std::process::Stdio;

/// Cargo's subcommands that `cargo xtask test` uses, and the components that bring them.
const COMPONENTS: &[[&str; 2]] = &[["fmt", "rustfmt"], ["clippy", "clippy"]];

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
    Ok(())
}

/// The task.
pub(crate) fn run_task() -> Result<()> {
    run_if_missing()?;
    println!("everything that `cargo xtask test` needs is there");
    Ok(())
}

//! Starting other programs.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Where cargo builds.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A folder that git ignores, for what tasks leave behind.
pub(crate) fn work_folder(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/xtask").join(name);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// A program with arguments that hold no spaces, in the folder of the workspace, without input.
pub(crate) fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a command line begins with a program"));
    command.args(words).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs a command, having said which.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = describe(command);
    println!("\n$ {line}");
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed: {status}");
    Ok(())
}

/// What a command prints on its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = describe(command);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(output.status.success(), "`{line}` failed: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// The platform that the compiler builds for, such as `x86_64-unknown-linux-gnu`.
pub(crate) fn host() -> Result<String> {
    let version = output(&mut command("rustc --version --verbose"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc names no host")
}

/// The command as one would type it, shortened if it is very long.
fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    if line.chars().count() > 300 { line.chars().take(300).chain(" …".chars()).collect() } else { line }
}

//! The sample under NVIDIA's compute-sanitizer, which this program starts on itself.

use crate::Outcome;
use std::process::Command;

/// Whether no tool finds anything in the shard's part of the sample.
pub(crate) fn sanitize(device: &str, (part, parts): (usize, usize)) -> Outcome<bool> {
    if !device.starts_with("cuda") {
        return Err("compute-sanitizer is for CUDA devices".into());
    }
    let mut clean = true;
    for tool in ["memcheck", "racecheck"] {
        println!("\ncompute-sanitizer, {tool}:");
        let mut command = Command::new(sanitizer());
        command.args(["--tool", tool, "--error-exitcode", "1"]).arg(std::env::current_exe()?);
        command.args(["sample", "--device", device, "--shard", &format!("{}/{parts}", part + 1)]);
        let status = command.status();
        clean &=
            status.map_err(|e| format!("compute-sanitizer, which comes with CUDA, cannot be started: {e}"))?.success();
    }
    Ok(clean)
}

/// In the search path or where CUDA is usually installed.
fn sanitizer() -> &'static str {
    let usual = "/usr/local/cuda/bin/compute-sanitizer";
    if std::path::Path::new(usual).exists() { usual } else { "compute-sanitizer" }
}

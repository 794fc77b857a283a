//! What can be tested of GPU kernels without a GPU, beside the tests on PoCL.

use crate::process::{command, host, output, run, target_folder, work_folder};
use crate::python::python;
use crate::setup::installed;
use crate::test::{Outcome, WHOLE_SWEEPS};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

/// NVIDIA's compiler, of the oldest CUDA that is supported.
const NVRTC: &str = "nvidia-cuda-nvrtc==13.0.88";

/// Where Debian's package has the simulator as an OpenCL driver.
const SIMULATOR: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

/// Intel's OpenCL for CPUs, whose work items exchange registers: PoCL's and the simulator's do not.
const SUBGROUPS: &str = "intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0";

/// What a typical device allows.
const LIMITS: &str = "--local-mem-size 49152 --max-wgsize 256";

/// Compiles a kernel of every sort, or a sample of them, for two architectures; prints registers,
/// and fails if a kernel spills them.
pub(crate) fn nvrtc(whole: bool) -> Result<Outcome> {
    let library = match nvrtc_folder() {
        Ok(folder) => folder,
        Err(error) => return Ok(Outcome::LeftOut(format!("no NVRTC from PyPI: {error:#}"))),
    };
    let line = format!("cargo test {} --test nvrtc --test methods -- --ignored --nocapture", crate::test::WHOLE);
    let mut test = command(&line);
    if whole {
        test.envs([WHOLE_SWEEPS]);
    }
    run(test.env("LD_LIBRARY_PATH", library))?;
    Ok(Outcome::Done)
}

/// Runs kernels whose work items exchange registers on Intel's OpenCL for CPUs, and a kernel of every sort, with signals
/// of at most so many elements.
pub(crate) fn subgroups(longest: usize) -> Result<Outcome> {
    if !host()?.starts_with("x86_64") {
        println!("Intel's OpenCL is for x86-64: here no work items exchange registers.");
        return Ok(Outcome::Done);
    }
    let library = match python("subgroups", SUBGROUPS) {
        Ok(interpreter) => Path::new(&interpreter).parent().context("a folder")?.join("../lib"),
        Err(error) => return Ok(Outcome::LeftOut(format!("no {SUBGROUPS} from PyPI: {error:#}"))),
    };
    let folder = work_folder("subgroups-driver")?;
    fs::write(folder.join("intel.icd"), library.join("libintelocl.so").display().to_string())?;
    let on_intel = |mut test: Command| {
        test.env("OCL_ICD_VENDORS", &folder).env("LD_LIBRARY_PATH", &library).env("FOURFOLD_CACHE_DIR", "");
        run(&mut test)
    };
    run(&mut command(&format!("cargo build {} --example device_test", crate::test::WHOLE)))?;
    let mut sample = command(&target_folder().join("debug/examples/device_test").display().to_string());
    sample.args(["sample", "--device", "opencl", "--longest", &longest.to_string()]);
    on_intel(sample)?;
    on_intel(command(&format!("cargo test {} --test subgroups -- --ignored", crate::test::WHOLE)))?;
    // Some kernels of JPEG's ladder exchange registers, too.
    on_intel(command(&format!("cargo test {} --test blocks", crate::test::WHOLE)))?;
    Ok(Outcome::Done)
}

/// The folder of the library, from PyPI.
fn nvrtc_folder() -> Result<String> {
    let find = "import nvidia.cu13, sys; print(list(nvidia.cu13.__path__)[0] + '/lib')";
    let mut script = command(&python("nvrtc", NVRTC)?);
    Ok(output(script.args(["-c", find]))?.trim().to_owned())
}

/// Runs a kernel of every sort in a simulator that finds races and accesses out of bounds, with
/// signals of at most so many elements.
pub(crate) fn oclgrind(longest: Option<usize>) -> Result<Outcome> {
    if !installed("oclgrind") {
        return Ok(Outcome::LeftOut("no oclgrind: install Debian's package of that name".into()));
    }
    run(&mut command(&format!("cargo build {} --example device_test", crate::test::WHOLE)))?;
    let folder = work_folder("oclgrind")?;
    fs::write(folder.join("oclgrind.icd"), SIMULATOR)?;
    let log = folder.join("log");
    // On one processor: its compiler does not bear two threads. As written: of optimised kernels it
    // gets one wrong that PoCL, and it itself without optimising, get right (`dct2 f64 4x6x5` by
    // three stages, version 21.10).
    let checks = "--check-api --data-races --build-options -cl-opt-disable";
    let mut simulate = command(&format!("taskset -c {} oclgrind {checks} {LIMITS} --log", processor()?));
    simulate.arg(&log).arg(target_folder().join("debug/examples/device_test"));
    simulate.args(["sample", "--device", "opencl"]);
    if let Some(longest) = longest {
        simulate.args(["--longest", &longest.to_string()]);
    }
    simulate.env("OCL_ICD_VENDORS", &folder).env("FOURFOLD_CACHE_DIR", "");
    run(&mut simulate)?;
    let found = fs::read_to_string(&log).context("oclgrind has left no log")?;
    ensure!(found.trim().is_empty(), "oclgrind found:\n{}", found.chars().take(5000).collect::<String>());
    Ok(Outcome::Done)
}

/// One that this process may use.
fn processor() -> Result<String> {
    let status = fs::read_to_string("/proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).context("no processors")?;
    Ok(list.trim().split(['-', ',']).next().unwrap_or("0").to_owned())
}

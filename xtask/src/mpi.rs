//! The suite `mpi`: the package `crates/fourfold-mpi`, which needs an MPI library and libclang. Its
//! command verifies transforms under `mpirun` with several numbers of ranks.

use crate::accuracy::KINDS;
use crate::process::{command, run, target_folder, work_folder};
use crate::setup::{FOR_MPI, apt_install, installed};
use crate::test::Outcome;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds on two cores in a clean clone, of which the ranks may take 120.
pub(crate) const BUDGET: u64 = 300;

const MANIFEST: &str = "--locked --manifest-path crates/fourfold-mpi/Cargo.toml --target-dir";

/// What is verified: ranks, grid and distributions, problems.
const CASES: &[(usize, &str, &[&str])] = &[
    (1, "", &["dct2 f64 13x10", "rfft f32 5x6x9", "dht f64 12"]),
    (
        2,
        "",
        &["dct2 f64 64x48", "dct4 f32 5x6x9", "irfft f64 7x10 ortho", "fft f64 65536", "dct2 f64 1x5", "dst1 f64 31"],
    ),
    (3, "--to p,*", &["dct3 f64 13x10", "rfft f64 13x10", "idxst,dct3 f64 2x11", "dct2 f64 6x3", "fft,dct2 f32 16x9"]),
    (4, "--grid 2x2", &["dct1 f64 5x6x9", "dst2,dct3,dht f64 7x9x10", "rfft f32 6x9x10", "idst4 f64 3x5x4x6"]),
    (4, "--grid 2x2 --from p,q,* --to q,*,p", &["dct2 f64 5x6x9", "irfft f64 5x6x9", "fft f32 4x3x8"]),
    (4, "--grid 2x2 --from pq,*", &["dct2 f64 13x10", "ifft f64 12x10"]),
    (6, "--grid 2x3", &["dct2 f64 13x10x7", "ifft f64 12x12x12 axes=0,2", "rfft f64 9x8x10 adjoint"]),
    (2, "", &["dct3 f64 4096 ortho", "dst2 f32 1000"]),
    (3, "", &["dct2 f64 5040", "dst3 f64 600 adjoint", "dht f32 1001"]),
    (8, "", &["dct2 f32 4096", "dht f64 5040", "dst2 f64 1200 ortho", "dct4 f64 4096"]),
    (3, "", &["dst4 f32 600 ortho", "idxst f64 1001", "dct2 f64 1001", "dst3 f64 63 adjoint"]),
    (4, "--grid 2x2", &["dct4 f64 5040", "idxst f64 210 adjoint"]),
    (2, "", &["dct1 f64 1025 ortho", "dst1 f64 1023", "rfft f64 4096", "irfft f64 4095 ortho"]),
    (3, "", &["dct4 f64 1001", "dst4 f32 315 ortho", "dct1 f32 61 adjoint", "irfft f64 600", "rfft f32 1001"]),
    (8, "", &["dst1 f64 4095", "dct4 f64 3969", "rfft f64 5040"]),
    (3, "--parts 3 --to p,*", &["dct2 f64 163x60", "rfft f32 160x60", "dst3 f64 300x7"]),
    (4, "--grid 2x2 --parts 2", &["dct2 f64 23x34x25", "irfft f64 45x34x25", "fft f32 21x34x25"]),
    (2, "--parts tune", &["dct2 f64 160x90"]),
    (6, "", &["fft f64 5040", "dct2 f64 4x50", "dst3 f32 100 ortho"]),
    (8, "--grid 4x2", &["dct2 f64 3x5x9", "rfft f64 8x6x5x4", "dct4 f64 1x1x40"]),
];

/// Lengths for which every kind is verified on slabs and pencils. Some parts are one element wide.
const SHAPES: [&str; 4] = ["13", "7x10", "5x3x9", "3x5x4x2"];
const DIVISIONS: [(usize, &str); 3] = [(3, ""), (4, "--grid 2x2"), (6, "--grid 3x2")];

/// A command line that must fail on all ranks, and what it says.
const FAULTS: &[(usize, &str, &str, &str)] = &[
    (2, "--messages mpi", "dct2 f64 8x8", "--device"),
    (2, "--device opencl:0 --threads 2", "dct2 f64 8x8", "--threads"),
    (2, "--parts 0", "dct2 f64 8x8", "a number from 1 on is needed"),
    (3, "--grid 2x2", "dct2 f64 8x8", "the grid 2x2 has 4 ranks, and the program 3"),
    (2, "--from *,*", "dct2 f64 8x8", "names p 0 times"),
    (2, "", "dct2 f64 8x8 inplace", "leave out inplace"),
    (2, "", "dct2 f64 1000000x1000000", "the arrays of 2 ranks take"),
];

/// Options of two ranks that may not differ. Some of them make one rank fail before it meets the other, which must
/// not wait for it.
const UNLIKE: [(&str, &str, &str); 6] = [
    ("verify", "--grid 2", "--grid 3"),
    ("verify", "--to p,*", ""),
    ("verify", "--device opencl:0", ""),
    ("verify", "--device opencl:0", "--device opencl:0 --messages nccl"),
    ("bench", "--parts 1", "--parts tune"),
    ("plan", "--grid 2x1", "--grid 2"),
];

/// Seconds after which ranks that wait for each other are ended, with the exit status [`HANGS`] of `timeout`.
const PATIENCE: &str = "120";
const HANGS: i32 = 124;

/// What is verified on PoCL, through pinned memory.
const DEVICE_CASES: [&str; 4] = ["dct2 f64 8x12", "rfft f32 7x10", "dst4 f64 4x6x8", "fft f64 2304"];

/// Builds the command, and runs it under `mpirun`.
pub(crate) fn suite() -> Result<Outcome> {
    let missing: Vec<_> =
        FOR_MPI.iter().filter(|[program, _]| !installed(program)).map(|[_, package]| *package).collect();
    if !missing.is_empty()
        && let Err(error) = apt_install(&missing.join(" "))
    {
        return Ok(Outcome::LeftOut(format!("install {} ({error:#})", missing.join(" "))));
    }
    let target = target_folder();
    run(command(&format!("cargo clippy {MANIFEST}")).arg(&target).args(["--all-targets", "--", "-D", "warnings"]))?;
    run(command(&format!("cargo build {MANIFEST}")).arg(&target).args(["--bins", "--examples"]))?;
    for tests in ["--bins", "--doc"] {
        run(command(&format!("cargo test {MANIFEST}")).arg(&target).arg(tests))?;
    }
    for (ranks, division, problems) in CASES {
        let mut verify = mpirun(*ranks, "verify");
        run(verify.args(division.split_whitespace()).args(*problems))?;
    }
    for (ranks, division) in DIVISIONS {
        let problems = SHAPES.iter().flat_map(|shape| KINDS.map(|kind| format!("{kind} f64 {shape}")));
        run(mpirun(ranks, "verify").args(division.split_whitespace()).args(problems))?;
    }
    for (ranks, division, problem, says) in FAULTS {
        fails(mpirun(*ranks, "verify").args(division.split_whitespace()).arg(problem), says)?;
    }
    disagreements()?;
    a_rank_is_killed()?;
    for example in ["wrong_argument", "counts"] {
        run(patient_mpirun(3).arg(target_folder().join("debug/examples").join(example)))?;
    }
    let info = mpirun(2, "info").output()?;
    let answer = String::from_utf8_lossy(&info.stdout).into_owned();
    ensure!(answer.contains("\"ranks_of_node\":2"), "{answer}");
    run(mpirun(2, "verify").args(DEVICE_CASES).args(["--device", "opencl:0"]))?;
    let in_parts = ["dct2 f64 64x64", "fft f32 256x512", "--device", "opencl:0", "--parts", "2", "--to", "p,*"];
    run(mpirun(2, "verify").args(in_parts))?;
    fails(mpirun(2, "verify").args(["dct2 f64 8x8", "--device", "opencl:0", "--messages", "nccl"]), "NCCL")?;
    run(mpirun(2, "bench").args(["dct2 f64 256x200", "--rounds", "2", "--to", "p,*"]))?;
    files()?;
    equations()?;
    Ok(Outcome::Done)
}

/// Runs a command that must fail, and say this.
fn fails(start: &mut Command, says: &str) -> Result<()> {
    let output = start.stderr(Stdio::piped()).output()?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() != Some(HANGS), "{start:?}: the ranks wait for each other");
    ensure!(!output.status.success() && message.contains(says), "{start:?}: expected `{says}`, not\n{message}");
    Ok(())
}

/// A rank that is killed while it executes ends the others, too.
fn a_rank_is_killed() -> Result<()> {
    let arguments = ["bench", "dct2 f64 64x64x32", "--rounds", "10000000", "--to", "p,*,*"];
    let mut start = patient_mpirun(2);
    start.arg(program()).args(arguments).args([":", "-n", "1", "timeout", "-s", "KILL", "3"]);
    fails(start.arg(program()).args(arguments), "")
}

/// Ranks that plan different problems, and a rank that ends, are errors for all.
fn disagreements() -> Result<()> {
    let program = program();
    let other = |arguments: &[&str]| {
        let mut start = mpirun(2, "verify");
        start.args(["dct2 f64 12x10", "--grid", "3", ":", "-n", "1"]).args(arguments).stderr(Stdio::piped());
        start.output()
    };
    let name = program.to_str().context("a path in UTF-8")?;
    let output = other(&[name, "verify", "dct2 f64 12x11", "--grid", "3"])?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success() && message.contains("rank 2 plans another problem"), "{message}");
    let output = other(&["sh", "-c", "exit 3"])?;
    ensure!(!output.status.success(), "a rank that ends is not noticed");
    for (subcommand, options, others) in UNLIKE {
        let mut start = mpirun(1, subcommand);
        start.arg("dct2 f64 8x6").args(options.split_whitespace()).args([":", "-n", "1", name, subcommand]);
        fails(start.arg("dct2 f64 8x6").args(others.split_whitespace()), "another command line")?;
    }
    Ok(())
}

/// Transforms a file with several numbers of ranks, and compares the results with that of one. The type and
/// the grid must be right.
fn files() -> Result<()> {
    let folder = work_folder("mpi")?;
    for (shape, divisions) in [
        ([9, 10], &[(2, ""), (4, "--grid 2x2 --from pq,*")][..]),
        ([163, 40], &[(2, "--parts 1"), (2, "--parts 3 --to p,*"), (3, "--parts 2")]),
    ] {
        let input = folder.join("input.npy");
        write_array(&input, shape)?;
        let one = transformed(&folder, &input, (1, ""))?;
        for division @ (ranks, options) in divisions {
            let same = transformed(&folder, &input, *division)? == one;
            ensure!(same, "{ranks} ranks with `{options}` write another file than one");
        }
        let output = folder.join("wrong.npy");
        let mut single = mpirun(2, "transform");
        single.arg("dct2 f32 auto").arg(&input).arg("-o").arg(&output);
        fails(&mut single, "it is for f32 and the file holds f64 numbers: write f64 instead of f32")?;
    }
    let mut nowhere = mpirun(2, "transform");
    nowhere.arg("dct2 f64 auto").arg(folder.join("input.npy")).arg("-o").arg(folder.join("missing/output.npy"));
    fails(&mut nowhere, "cannot be created beside it")?;
    fails(mpirun(2, "plan").args(["dct2 f64 8x8", "--grid", "2x2"]), "the grid 2x2 has 4 ranks, and the program 2")
}

/// Solves −∇·∇u = 1 with u = 0 at both ends of axis 1, whose solution is known, on several divisions. Where no
/// end has a value, there is no solution.
fn equations() -> Result<()> {
    let folder = work_folder("mpi")?;
    let [input, output] = ["ones.npy", "solution.npy"].map(|name| folder.join(name));
    write_reals(&input, [64, 32], |_| 1.0)?;
    for (ranks, options) in [(1, ""), (2, "--parts 2"), (3, "--to p,*"), (4, "--grid 2x2 --from pq,*")] {
        let mut solve = mpirun(ranks, "poisson");
        solve.args(options.split_whitespace()).args(["--boundary", "neumann,dirichlet", "--spacing", "0.1"]);
        run(solve.arg(&input).arg("-o").arg(&output))?;
        let bytes = std::fs::read(&output)?;
        let start = bytes.len().checked_sub(8 * 64 * 32).context("a short file")?;
        for (i, u) in bytes[start..].as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).enumerate() {
            // 1 = −u″ has the solution x (3.2 − x)/2, and its stencil another h²/8.
            let x = 0.1 * ((i % 32) as f64 + 0.5);
            let exact = x * (3.2 - x) / 2.0 + 0.01 / 8.0;
            ensure!((u - exact).abs() < 1e-13, "{ranks} ranks: element {i} is {u}, not {exact}");
        }
    }
    let mut singular = mpirun(3, "poisson");
    let unsolved = folder.join("unsolved.npy");
    fails(singular.arg(&input).arg("-o").arg(&unsolved).args(["--boundary", "neumann"]), "|Σ f| is 1e0 of Σ |f|")?;
    ensure!(!folder.join("unsolved.npy.unfinished").exists(), "an error leaves an unfinished file");
    let other = |c: &str| ["poisson", "--boundary", "dirichlet", "--c", c, "-o"].map(str::to_owned);
    let mut disagree = patient_mpirun(1);
    disagree.arg(program()).args(other("1")).arg(&output).arg(&input).args([":", "-n", "1"]);
    fails(disagree.arg(program()).args(other("2")).arg(&output).arg(&input), "another command line")
}

/// Writes a `.npy` file of small whole numbers.
fn write_array(path: &Path, shape: [u32; 2]) -> Result<()> {
    write_reals(path, shape, |i| f64::from(i * i % 17) - 8.0)
}

/// Writes a `.npy` file of reals.
fn write_reals(path: &Path, [rows, columns]: [u32; 2], element: impl Fn(u32) -> f64) -> Result<()> {
    let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((dict.len() as u16).to_le_bytes());
    bytes.extend(dict.bytes());
    (0..rows * columns).for_each(|i| bytes.extend(element(i).to_le_bytes()));
    Ok(std::fs::write(path, bytes)?)
}

/// The file that so many ranks write, with these options.
fn transformed(folder: &Path, input: &Path, (ranks, options): (usize, &str)) -> Result<Vec<u8>> {
    let path = folder.join("output.npy");
    let mut transform = mpirun(ranks, "transform");
    run(transform.args(options.split_whitespace()).arg("dct2 f64 auto").arg(input).arg("-o").arg(&path))?;
    std::fs::read(&path).with_context(|| format!("no {}", path.display()))
}

/// A command of `fourfold-mpi` on so many ranks.
fn mpirun(ranks: usize, name: &str) -> Command {
    let mut start = patient_mpirun(ranks);
    start.arg(program()).arg(name);
    start
}

/// A program on so many ranks, which may be more than there are cores. The program is to be added.
pub(crate) fn mpirun_command(ranks: usize) -> Command {
    started("mpirun", ranks)
}

/// The same, which is ended if ranks wait for each other.
fn patient_mpirun(ranks: usize) -> Command {
    started(&format!("timeout {PATIENCE} mpirun"), ranks)
}

fn started(mpirun: &str, ranks: usize) -> Command {
    let mut start = command(&format!("{mpirun} -n {ranks} --oversubscribe --bind-to none"));
    // Open MPI refuses to run as root otherwise. The tests of containers run as root.
    start.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    // Ranks without a core let others run while they wait.
    start.env("OMPI_MCA_mpi_yield_when_idle", "1");
    start
}

fn program() -> PathBuf {
    target_folder().join("debug/fourfold-mpi")
}

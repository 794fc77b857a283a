//! Development tasks: `cargo xtask TASK`.

mod accuracy;
mod arm;
mod bench_cpu;
mod bench_ducc;
mod bench_mpi;
mod bench_python;
mod bench_solvers;
mod carry;
mod cases;
mod compare_speed;
mod cpu_test;
mod device_bench;
mod device_test;
mod experiments;
mod figures;
mod fuzz;
mod gpu;
mod machine;
mod memory;
mod mpi;
mod msrv;
mod notebooks;
mod package;
mod page;
mod photographs;
mod process;
mod python;
mod record;
mod reliability;
mod setup;
/// The core crate's, without the rest of that crate, which takes long to build.
#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/fourfold/src/timing/table.rs"]
mod table;
mod test;

use std::process::ExitCode;

/// What a word after `cargo xtask` does.
struct Task {
    name: &'static str,
    about: &'static str,
    run: fn() -> anyhow::Result<()>,
}

const TASKS: &[Task] = &[
    Task {
        name: "test",
        about: "all that must hold before a change goes in: --quick, --full, SUITE…",
        run: test::run_task,
    },
    Task { name: "setup", about: "install what `test` needs and rustup can give", run: setup::run_task },
    Task { name: "accuracy", about: "write docs/accuracy.md: errors of every kind", run: accuracy::run_task },
    Task {
        name: "bench-solvers",
        about: "write docs/performance/solvers.md: times beside SciPy and ducc0: --quick",
        run: bench_solvers::run_task,
    },
    Task {
        name: "bench-ducc",
        about: "write docs/performance/ducc.md: times beside ducc0: --random SEED",
        run: bench_ducc::run_task,
    },
    Task {
        name: "bench-mpi",
        about: "time fourfold-mpi beside FFTW's MPI and mpi4py-fft, on two ranks",
        run: bench_mpi::run_task,
    },
    Task {
        name: "bench-python",
        about: "time the package for Python beside the engine in Rust, SciPy and ducc0",
        run: bench_python::run_task,
    },
    Task { name: "bench-cpu", about: "write docs/performance/cpu.md: beside all peers", run: bench_cpu::run_task },
    Task {
        name: "experiments",
        about: "repeat the papers' experiments, write docs/experiments.md: FOLDER of another run",
        run: experiments::run_task,
    },
    Task { name: "notebooks", about: "run the notebooks for Python, write docs/notebooks/", run: notebooks::run_task },
    Task { name: "figures", about: "write README.md's figures from docs/: --check", run: figures::run_task },
    Task { name: "fuzz", about: "run fuzz targets: --minutes N, --target T, --carry FOLDER", run: fuzz::run_task },
    Task {
        name: "carry",
        about: "make a folder that runs what docs/reliability.md lists without Rust: FOLDER",
        run: carry::run_task,
    },
    Task {
        name: "cpu-test",
        about: "test the CPU engine at every length, or from many threads: verify, soak",
        run: cpu_test::run_task,
    },
    Task { name: "device-test", about: "test a GPU: --shard 1/5, --device cuda:0", run: device_test::run_task },
    Task {
        name: "device-bench",
        about: "time a GPU beside cuFFT, VkFFT, CuPy and copies: --tune, 2d",
        run: device_bench::run_task,
    },
    Task {
        name: "photographs",
        about: "fetch photographs from PyPI, and say where they are",
        run: photographs::run_task,
    },
    Task {
        name: "record",
        about: "record results, kernels, recipes: FOLDER, or --compare OLD NEW",
        run: record::run_task,
    },
    Task {
        name: "reliability",
        about: "write docs/reliability.md from what its commands printed: LOG…",
        run: reliability::run_task,
    },
    Task {
        name: "compare-speed",
        about: "time two builds of the command in turn: OLD NEW [TURNS]",
        run: compare_speed::run_task,
    },
];

/// The tasks that check their arguments themselves. The others take none.
const TAKES_ARGUMENTS: [&str; 14] = [
    "test",
    "experiments",
    "figures",
    "fuzz",
    "carry",
    "bench-cpu",
    "bench-ducc",
    "bench-solvers",
    "cpu-test",
    "device-test",
    "device-bench",
    "record",
    "reliability",
    "compare-speed",
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().and_then(|name| TASKS.iter().find(|task| task.name == name));
    let fits = |task: &&Task| TAKES_ARGUMENTS.contains(&task.name) || arguments.next().is_none();
    let Some(task) = task.filter(fits) else {
        eprintln!("usage: cargo xtask TASK, where TASK is one of");
        TASKS.iter().for_each(|task| eprintln!("  {:<13} {}", task.name, task.about));
        return ExitCode::from(2);
    };
    match (task.run)() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask {}: {error:#}", task.name);
            ExitCode::FAILURE
        }
    }
}

//! `cargo xtask bench-cpu`: writes `docs/performance/cpu.md`, times beside those of every peer.

use crate::machine::date_and_machine;
use crate::process::{command, root, run, work_folder};
use anyhow::{Context, Result};
use std::path::Path;
use std::{env, fs};

/// With these the peers use one thread; ducc, which is told how many in each call, may have the two
/// that it is told once.
const ONE_THREAD: [(&str, &str); 4] = [
    ("OMP_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("MKL_THREADING_LAYER", "SEQUENTIAL"),
    ("DUCC0_NUM_THREADS", "2"),
];

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    let folder = work_folder("bench-cpu")?;
    run(command("sh bench/peers.sh").arg(&folder))?;
    let mut bench = command("cargo run --release --locked --manifest-path bench/Cargo.toml --target-dir");
    bench.arg(folder.join("cargo")).arg("--").arg(&folder).args(&arguments).envs(ONE_THREAD);
    // MKL and IPP find their own parts there.
    run(bench.env("LD_LIBRARY_PATH", folder.join("python/lib")))?;
    match arguments.join(" ").as_str() {
        "" => write_page(&folder, FULL),
        "--quick" => write_page(&folder, QUICK),
        _ => {
            println!("not all was measured: docs/performance/cpu.md stays as it is");
            Ok(())
        }
    }
}

/// The option, and the pace that it stands for, in words.
const FULL: [&str; 2] = ["", "5 to 11 rounds; a turn is one run untimed, then runs for about 15 ms"];
const QUICK: [&str; 2] = [" --quick", "3 to 5 rounds; a turn is one run untimed, then runs for about 5 ms"];

fn write_page(folder: &Path, [option, pace]: [&str; 2]) -> Result<()> {
    let tables = fs::read_to_string(folder.join("tables.md")).context("the bench has left no tables")?;
    let header = HEADER.replace("{measured}", &date_and_machine()?).replace("{option}", option);
    let text = header.replace("{pace}", pace) + &tables;
    fs::write(root().join("docs/performance/cpu.md"), text).context("cannot write docs/performance/cpu.md")?;
    let mut plot = command("env MPLBACKEND=Agg");
    plot.arg(folder.join("python/bin/python")).arg("bench/plot.py").arg(folder.join("results.json"));
    run(plot.arg("docs/performance/cpu.svg"))
}

const HEADER: &str = "\
# Beside every peer, on the CPU

Warm times of fourfold and of its peers, out of place, one thread each unless a name says otherwise. Measured {measured}; by

    cargo xtask bench-cpu{option}

How: one process holds fourfold, the C libraries and the Rust crates, a Python child SciPy and OpenCV. The contestants of a problem take
turns, {pace} (one run at least). The least of the rounds counts,
since other work on the machine only ever adds. All contestants in the one process share one input and one output array, which begin at a
page and, from 4 MiB on, lie in huge pages (MADV_HUGEPAGE, as NumPy does for its own). The results of each are compared with fourfold's first; OpenCV's with SciPy's.

- Cells: milliseconds, in brackets the multiple of a memcpy of the same array in the same process, then fourfold's time as a fraction of this one's
  (below 1: fourfold is faster).
- *composite M* is no library: even/odd permutation, MKL's real 2D FFT through DFTI, one vectorised pass after it; for a DCT-III backwards. MKL is called through DFTI in C
  everywhere, which mkl-fft is Python's way to: that package is left out. IDCT_IDXST has no peer: no other library on a CPU has it.
- *MKL rfft (an FFT)* does less than is asked: it shows what an FFT of the same array costs. On CPUs that are not Intel's, MKL and IPP choose their code
  differently and may be slower than they could be.
- ducc is built from PyPI's source with its own flags (-O3 -ffast-math) for this CPU, and once for AVX2; FFTW 3.3.10 from Debian's source with AVX2 and AVX-512, planned with
  FFTW_MEASURE; IPP transforms matrices in f32 only; rustdct works on rows, with the crate transpose between; SciPy allocates its result.
- realfft overwrites its input; it is given one of its own, and is not charged for the copy.

![time over copy by size](cpu.svg)

";

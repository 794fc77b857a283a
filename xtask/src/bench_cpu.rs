//! `cargo xtask bench-cpu`: writes `docs/performance/cpu.md`, times beside those of every peer.

use crate::machine::origin;
use crate::page;
use crate::process::{command, run, work_folder};
use anyhow::{Context, Result};
use std::fmt::Display;
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
        "" => write_page(&folder, ""),
        "--quick" => write_page(&folder, " --quick"),
        _ => {
            println!("not all was measured: docs/performance/cpu.md stays as it is");
            Ok(())
        }
    }
}

fn write_page(folder: &Path, option: &str) -> Result<()> {
    let left = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| format!("the bench left no {name}"));
    let (tables, pace) = (left("tables.md")?, left("pace.txt")?);
    let texts: [(&str, &dyn Display); 3] = [("measured", &origin()?), ("option", &option), ("pace", &pace)];
    page::write("docs/performance/cpu.md", HEADER, &texts, &tables)?;
    let mut plot = command("env MPLBACKEND=Agg");
    plot.arg(folder.join("python/bin/python")).arg("bench/plot.py").arg(folder.join("results.json"));
    run(plot.arg("docs/performance/cpu.svg"))
}

pub(crate) const HEADER: &str = "\
# Beside every peer, on the CPU

Warm times of fourfold and of its peers, out of place, one thread each unless a name says otherwise.
{measured}; by

    cargo xtask bench-cpu{option}

One process holds fourfold, the C libraries and the Rust crates; a Python child holds SciPy and
OpenCV. The contestants of a problem take turns: {pace} (at least one). The least of the rounds counts, since other work on the machine only
ever adds time. All contestants in one process share one input and one output array, which begin at
a page and, from 4 MiB on, are in huge pages (MADV_HUGEPAGE, as NumPy does for its arrays). Before
the timing, the results of each are compared with fourfold's, and OpenCV's with SciPy's.

- A cell has milliseconds, in brackets the multiple of a memcpy of the same array in the same
  process, and fourfold's time as a fraction of this contestant's (below 1: fourfold is faster).
- *composite M* is not a library: it is an even/odd permutation, MKL's real 2D FFT through DFTI, and
  one vectorised pass after it; for a DCT-III the reverse. MKL is called through DFTI in C
  everywhere. The Python package mkl-fft does the same, so it is left out.
- IDCT_IDXST has no peer: no other library on a CPU computes it.
- *MKL rfft (an FFT)* does less than the problem asks: it shows what an FFT of the same array costs.
  On CPUs that are not Intel's, MKL and IPP choose their code differently and may be slower than
  they could be.
- ducc is built from PyPI's source with its usual flags (-O3 -ffast-math) for this CPU, and once for
  AVX2. FFTW 3.3.10 is built from Debian's source with AVX2 and AVX-512, and plans with
  FFTW_MEASURE. IPP transforms matrices in f32 only. rustdct works on rows, with the crate transpose
  between. SciPy allocates its result.
- realfft overwrites its input. It is given a copy, and is not charged for the copy.

![time over copy by size](cpu.svg)

";

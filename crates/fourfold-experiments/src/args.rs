//! The command line.

use std::path::PathBuf;

use fourfold_cli::engine::{Engine, available_threads};
use fourfold_cli::threads;

/// Repeat the experiments of the papers that fourfold is built from: tables and plots, with the
/// published figures beside today's
#[derive(clap::Parser)]
#[command(name = "fourfold-experiments", version)]
pub(crate) struct Args {
    /// Which: table-i, table-ii, table-iii, table-iv, table-v, table-v-f32, transposing,
    /// three-dimensions, fig-6, table-vi, eq-19, algorithm-3, table-vii, mobile-ladder,
    /// mobile-convolution, levels, jpeg; all if none is named
    #[arg(value_name = "TABLE")]
    pub(crate) tables: Vec<String>,
    /// Engines: cpu, opencl, cuda and so on; if none is named the processor and the first devices
    /// of OpenCL and of CUDA
    #[arg(long, value_name = "E,…", value_delimiter = ',')]
    pub(crate) engine: Vec<Engine>,
    /// The folder for the tables (Markdown and CSV) and the plots (PNG)
    #[arg(long, value_name = "DIR", default_value = "reproduced")]
    pub(crate) out: PathBuf,
    /// Smaller sizes and shorter measurements: minutes instead of an hour
    #[arg(long)]
    pub(crate) quick: bool,
    /// The folder of the photographs (.png, .jpg, .jpeg) that the tables jpeg and algorithm-3 have;
    /// cargo xtask photographs fetches some
    #[arg(long, value_name = "DIR")]
    pub(crate) photos: Option<PathBuf>,
    /// Threads of the processor to use
    #[arg(long, value_name = "N", default_value_t = available_threads(), value_parser = threads)]
    pub(crate) threads: usize,
    /// Only run Table VI's problem once, while the profiler watches
    #[arg(long, hide = true)]
    pub(crate) profiled: bool,
}

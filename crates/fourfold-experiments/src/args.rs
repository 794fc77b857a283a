//! The command line.

use std::path::PathBuf;

use anyhow::{Context, Result};
use fourfold_cli::engine::{Engine, available_threads};
use fourfold_cli::threads;

/// Repeat the experiments of the papers that fourfold is built from: tables and plots, with the
/// published figures beside today's
#[derive(clap::Parser)]
#[command(name = "fourfold-experiments", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Which: table-ii, table-iii, table-iv, table-v, fig-6, table-vi, eq-19, algorithm-3,
    /// table-vii, mobile-ladder, mobile-convolution, levels; all if none is named
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
    /// Threads of the processor to use
    #[arg(long, value_name = "N", default_value_t = available_threads(), value_parser = threads)]
    pub(crate) threads: usize,
    /// Only run Table VI's problem once, while the profiler watches
    #[arg(long, hide = true)]
    pub(crate) profiled: bool,
}

/// What is done instead of experiments.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Generate(GenerateArgs),
}

/// Write a synthetic circuit with the figures of an ISPD 2005 benchmark, in the Bookshelf format
#[derive(clap::Args)]
pub(crate) struct GenerateArgs {
    /// The benchmark: adaptec1 to adaptec4, bigblue1 to bigblue4
    pub(crate) name: String,
    /// The folder for its files
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Movable cells; the counts of macros, terminals, nets and pins are in proportion [default: as
    /// many as the benchmark has]
    #[arg(long, value_name = "N", value_parser = cells)]
    pub(crate) cells: Option<usize>,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The fewest and the most cells of a circuit that is generated.
const CELLS: [usize; 2] = [100, 10_000_000];

fn cells(text: &str) -> Result<usize> {
    let [least, most] = CELLS;
    let cells = text.parse().ok().filter(|cells| (least..=most).contains(cells));
    cells.with_context(|| format!("a whole number from {least} to {most} is needed"))
}

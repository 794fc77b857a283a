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
    /// Which: table-i, table-ii, table-iii, table-iv, table-v, table-v-f32, transposing,
    /// three-dimensions, fig-6, table-vi, eq-19, algorithm-3, table-vii, mobile-ladder,
    /// mobile-convolution, levels, jpeg, noise; all if none is named
    #[arg(value_name = "TABLE")]
    pub(crate) tables: Vec<String>,
    /// Engines: cpu, opencl, cuda and so on; if none is named the processor and the first devices
    /// of OpenCL and of CUDA
    #[arg(long, value_name = "E,…", value_delimiter = ',')]
    pub(crate) engine: Vec<Engine>,
    /// The folder for the tables (Markdown and CSV) and the plots (SVG)
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

/// What is done instead of experiments.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Circuit(CircuitArgs),
    Generate(GenerateArgs),
}

/// Read a placed circuit in the Bookshelf format, and print overflow, energy and the largest force
#[derive(clap::Args)]
pub(crate) struct CircuitArgs {
    /// The file that names the circuit's other files
    #[arg(value_name = "FILE.aux")]
    pub(crate) file: PathBuf,
    /// Bins along x and y [default: the least power of two from 16 to 4096 that is at least the root
    /// of the number of movable nodes, as in ePlace]
    #[arg(long, value_name = "MxN", value_parser = bins)]
    pub(crate) bins: Option<[usize; 2]>,
    /// The density that overflow is measured against, more than 0 and at most 1. Less than the
    /// utilisation, which is the movable nodes' area divided by the free area, is raised to that,
    /// with a warning
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    pub(crate) target_density: f64,
    /// Leave out the fillers, which take the area that the target density leaves free. They begin
    /// evenly over the region, as in DREAMPlace
    #[arg(long)]
    pub(crate) no_fillers: bool,
    /// The engine: cpu, opencl, cuda and so on
    #[arg(long, value_name = "E", default_value = "cpu")]
    pub(crate) engine: Engine,
    /// Threads of the processor to use
    #[arg(long, value_name = "N", default_value_t = available_threads(), value_parser = threads)]
    pub(crate) threads: usize,
    /// Gather all movable nodes at the centre first, and let the forces spread them until the
    /// overflow is below 10 %
    #[arg(long)]
    pub(crate) spread: bool,
    /// Fail if that takes longer than so many seconds
    #[arg(long, value_name = "S", requires = "spread", value_parser = seconds)]
    pub(crate) within: Option<f64>,
    /// The folder for pictures of density, potential and field (PNG)
    #[arg(long, value_name = "DIR")]
    pub(crate) plot: Option<PathBuf>,
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
const CELLS: [usize; 2] = [1000, 10_000_000];

fn cells(text: &str) -> Result<usize> {
    let [least, most] = CELLS;
    let cells = text.parse().ok().filter(|cells| (least..=most).contains(cells));
    cells.with_context(|| format!("a whole number from {least} to {most} is needed"))
}

fn seconds(text: &str) -> Result<f64> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.context("a number of seconds above 0 is needed")
}

/// The fewest and the most bins along an axis.
const BINS: [usize; 2] = [2, 1 << 16];

fn bins(text: &str) -> Result<[usize; 2]> {
    let [least, most] = BINS;
    let count = |text: &str| text.parse().ok().filter(|count| (least..=most).contains(count));
    let bins = text.split_once('x').and_then(|(m, n)| Some([count(m)?, count(n)?]));
    bins.with_context(|| format!("two whole numbers from {least} to {most}, such as 512x512, are needed"))
}

//! What the command takes.

use clap::{Args, Parser, Subcommand, ValueEnum};
use fourfold::Problem;
use fourfold::poisson::{Ends, Position};
use fourfold_distributed::{Distribution, Grid};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  mpirun -n 4 fourfold-mpi verify \"dct2 f64 64x48x40\" --grid 2x2
  mpirun -n 4 fourfold-mpi bench \"dct2 f64 4096x4096\" --from 'p,*' --to 'p,*'
  mpirun -n 2 fourfold-mpi bench \"dct2 f64 16384x16384\" --device cuda --messages nccl
  mpirun -n 4 fourfold-mpi transform \"dct2 f64 512x512x256 ortho\" in.npy -o out.npy

Distributions say, for each axis, which dimension of the grid divides it: p is the first one, q the
second one, and * is none. Slabs of a 3D array are p,*,* and pencils p,q,*.";

/// Fourier-related transforms of arrays that are divided among the ranks of mpirun
#[derive(Debug, Parser)]
#[command(name = "fourfold-mpi", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare transforms of random arrays with the definition
    Verify(Verify),
    /// Time a transform, its exchanges, and its passes
    Bench(Bench),
    /// Transform the array in a .npy file, of which each rank reads and writes its part
    Transform(Transform),
    /// Solve a Poisson or Helmholtz equation, or do a step of the heat equation, for the right-hand side in
    /// a .npy file
    Poisson(Poisson),
    /// Print the recipe: passes and exchanges
    Plan(Plan),
    /// Print the MPI library, the devices, and how their memory is sent
    Info,
}

/// How arrays are divided.
#[derive(Clone, Debug, Args)]
pub(crate) struct Division {
    /// The grid of ranks [default: all in one dimension]
    #[arg(long)]
    pub(crate) grid: Option<Grid>,
    /// The distribution of the input [default: p,*,… or p,q,*,…, and pq,* of two axes]
    #[arg(long)]
    pub(crate) from: Option<Distribution>,
    /// The distribution of the output [default: as it comes out]
    #[arg(long)]
    pub(crate) to: Option<Distribution>,
    /// Threads of each rank [default: 1]
    #[arg(long, conflicts_with = "device")]
    pub(crate) threads: Option<usize>,
    /// Compute on devices: `cuda` or `opencl` for one device a rank, in turn; `cuda:0` for this one
    #[arg(long)]
    pub(crate) device: Option<String>,
    /// What exchanges parts on devices [default: mpi]
    #[arg(long, value_enum, requires = "device")]
    pub(crate) messages: Option<Messages>,
    /// Cut exchanges into so many parts where they can be, or measure it: `tune` [default: estimated]
    #[arg(long, value_parser = parts)]
    pub(crate) parts: Option<Parts>,
}

/// Into how many parts exchanges are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parts {
    Given(usize),
    /// As many as are fastest.
    Tuned,
}

fn parts(text: &str) -> Result<Parts, String> {
    match text.parse() {
        _ if text == "tune" => Ok(Parts::Tuned),
        Ok(count @ 1..) => Ok(Parts::Given(count)),
        _ => Err("a number from 1 on is needed, or tune".to_owned()),
    }
}

/// What sends messages between devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Messages {
    /// MPI, from the memory of devices if the library says that it can, else through pinned memory
    Mpi,
    /// MPI, from the memory of devices whatever the library says: the UCX below it may know how
    MpiDirect,
    /// MPI, through pinned memory
    MpiPinned,
    /// NCCL, with a GPU for each rank
    Nccl,
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// The problem, such as "dct2 f64 64x48x40 ortho"
    pub(crate) problem: Problem,
    #[command(flatten)]
    pub(crate) division: Division,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The problems. All are divided alike
    #[arg(required = true)]
    pub(crate) problems: Vec<Problem>,
    #[command(flatten)]
    pub(crate) division: Division,
    /// The seed of the random arrays
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The problem, such as "dct2 f64 4096x4096"
    pub(crate) problem: Problem,
    #[command(flatten)]
    pub(crate) division: Division,
    /// The number of rounds. Each times one execution, its exchanges alone, and its passes alone
    #[arg(long, default_value_t = 10)]
    pub(crate) rounds: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Transform {
    /// The problem. Its shape is that of the file, or `auto`
    pub(crate) problem: String,
    /// The .npy file to read: floats of the problem's type, in C order
    pub(crate) input: PathBuf,
    /// The .npy file to write
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) division: Division,
}

/// Lists have a comma between axes, and one entry is for all axes, as for the command `fourfold poisson`.
#[derive(Debug, Args)]
pub(crate) struct Poisson {
    /// The right-hand side f: a .npy file of real numbers with 1 to 4 axes, in C order
    pub(crate) input: PathBuf,
    /// The .npy file to write u to
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// Boundary conditions: periodic, dirichlet or neumann, or two of them as LOW:HIGH
    #[arg(long, value_name = "B,…", value_delimiter = ',', required = true)]
    pub(crate) boundary: Vec<Ends>,
    /// Positions of the unknowns: cells or nodes
    #[arg(long = "at", value_name = "P,…", value_delimiter = ',', default_value = "cells")]
    pub(crate) positions: Vec<Position>,
    /// Distances of neighbouring unknowns
    #[arg(long, value_name = "H,…", value_delimiter = ',', default_value = "1", allow_hyphen_values = true)]
    pub(crate) spacing: Vec<f64>,
    /// The factor c; negative ones make a Helmholtz equation
    #[arg(long, value_name = "C", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) c: f64,
    /// Differentiate the series of sines or cosines exactly, instead of by the stencil
    #[arg(long)]
    pub(crate) spectral: bool,
    /// Do one implicit step of this time of the heat equation instead; f is u before it
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) heat_step: Option<f64>,
    /// The largest |Σ f| that a singular equation may have, as a part of Σ |f|
    /// [default: 1e-8 in f64, 1e-4 in f32]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    #[command(flatten)]
    pub(crate) division: Division,
}

//! The command line: what `fourfold` and each of its commands take.
//!
//! Commands stand in the order in which `fourfold help` lists them.

pub(crate) mod common;
pub(crate) mod convolve;
pub(crate) mod jpeg;
pub(crate) mod poisson;
pub(crate) mod values;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgGroup, Parser, Subcommand};
use fourfold::Precision;
use fourfold::convolve::Rolloff;

use crate::args::common::{Limit, OneEngine, Problems, SeveralEngines};
use crate::args::convolve::Convolve;
use crate::args::jpeg::Jpeg;
use crate::args::poisson::Poisson;
use crate::args::values::{band, frequency, percent, precision, seconds, threshold};

/// The notation of problems, after the command's text.
macro_rules! problem_help {
    ($before:literal) => {
        concat!(
            $before,
            "\
A problem is one argument, in quotes: kinds type shape option…

  kinds   dct1…dct4 dst1…dst4 dht idxst fft rfft and their inverses idct2, ifft, …;
          one for all axes, or one for each: dct2,dst2; idct_idxst, idxst_idct
  type    f32 or f64, or on GPUs f16 or bf16, the real type
  shape   1024x1024, of the real array (for fft of the complex one)
  option  axes=0,2   ortho   forward   backward   orthogonalize=yes|no   scale=0.5   adjoint
          inplace   in=s0,s1   out=s0,s1 (strides in elements)

for example \"dct2 f64 1024x1024 ortho\". The names and the scaling are those of SciPy."
        )
    };
}

const EXAMPLES: &str = "\
Examples:
  fourfold transform \"dct2 f64 auto ortho\" signal.npy -o spectrum.npy
  fourfold compress photo.png -o small.png --keep 5
  fourfold convolve photo.png -o blurred.png --gaussian 3 --boundary reflect
  fourfold poisson f.npy -o u.npy --boundary neumann,dirichlet:neumann --spacing 0.1
  fourfold jpeg decode photo.jpg -o photo.png
  fourfold bench \"dct2 f64 1000x1024\" --engine cpu,cuda

`fourfold help COMMAND` describes the options of a command.";

const VERIFY_HELP: &str = problem_help!(
    "\
The definition is summed in double-double arithmetic: for all outputs, or for a sample if there
are many. The command fails if an error exceeds its bound.

"
);

const BENCH_HELP: &str = problem_help!(
    "\
Prints the median time of warm runs, the least and the greatest, and the ratio of the median to
the time of a copy of the same array. On the engine cpu as many threads copy as transform. On a
device, runs take turns through 320 MiB of arrays, so that none finds its input in a cache.

"
);

const TUNE_HELP: &str = problem_help!(
    "\
The fastest way is written to the tuning file. Only the algorithm fused can be tuned.

On devices a filter, or a transform with a multiply before or after it, may stand for a problem:
\"dct2 f32 512x512 | multiply table | idct2 f32 512x512\". The kinds of multiply are table,
complex-table, separable, complex-separable and reciprocal-sum.

"
);

const PLAN_HELP: &str = problem_help!(
    "\
A filter, or a transform with a multiply before or after it, may stand for the problem:
\"dct2 f64 512x512 | multiply table | idct2 f64 512x512\". `fourfold help tune` lists the kinds of
multiply.

The engine may also be an NVIDIA architecture, such as cuda:sm_80, or one of opencl:mi300x,
opencl:arc-a770 and opencl:mali-g710, without such a device.

"
);

const CACHE_HELP: &str = "\
Environment:
  FOURFOLD_CACHE_DIR    the folder; if it is set to nothing, no kernels are kept
  FOURFOLD_CACHE_LIMIT  the most bytes that the folder may hold, such as 1000000 or 512M";

/// Fourier-related transforms of arrays of any size and dimension.
#[derive(Parser)]
#[command(name = "fourfold", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Transform(Transform),
    Compress(Compress),
    Filter(Filter),
    Convolve(Convolve),
    Poisson(Poisson),
    Jpeg(Jpeg),
    Verify(Verify),
    Bench(Bench),
    Plan(Plan),
    Info(Info),
    Tune(Tune),
    Cache(Cache),
    Reproduce(Reproduce),
}

/// Transform the array in a .npy file
#[derive(clap::Args)]
#[command(after_help = problem_help!(""))]
pub(crate) struct Transform {
    /// The problem, such as "dct2 f64 auto ortho"; auto is the shape of the file's array
    pub(crate) problem: String,
    /// The .npy file to read: float32, float64, complex64, complex128, integers or booleans,
    /// in C or Fortran order
    #[arg(verbatim_doc_comment)]
    pub(crate) input: PathBuf,
    /// The .npy file to write
    #[arg(short, long, value_name = "NPY")]
    pub(crate) output: PathBuf,
    /// Print JSON: the problem with its shape, and the type and shape of the output
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: OneEngine,
}

/// Compress an image: drop small coefficients of its DCT, and transform back
#[derive(clap::Args)]
#[command(group = ArgGroup::new("rule").required(true))]
pub(crate) struct Compress {
    /// The image to read, PNG or JPEG
    pub(crate) image: PathBuf,
    /// The PNG file to write, with the channels and the bit depth of the image
    #[arg(short, long, value_name = "PNG")]
    pub(crate) output: PathBuf,
    /// Keep this percentage of each channel's coefficients, the largest ones; from 0 to 100
    #[arg(long, value_name = "PERCENT", group = "rule", value_parser = percent)]
    pub(crate) keep: Option<f64>,
    /// Keep coefficients whose magnitude is at least EPS, a number from 0 on;
    /// the DCT is orthonormal, of samples from 0 to 255
    #[arg(long, verbatim_doc_comment, value_name = "EPS", group = "rule", value_parser = threshold)]
    pub(crate) threshold: Option<f64>,
    /// Also draw the logarithms of the coefficients' magnitudes, before any is dropped
    #[arg(long, value_name = "PNG")]
    pub(crate) spectrum: Option<PathBuf>,
    /// The type to compute with: f32 or f64
    #[arg(long = "type", value_name = "TYPE", default_value = "f64", value_parser = precision)]
    pub(crate) precision: Precision,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: OneEngine,
}

/// Filter an image: drop or weaken frequencies of its FFT, and transform back
#[derive(clap::Args)]
#[command(group = ArgGroup::new("band").required(true))]
pub(crate) struct Filter {
    /// The image to read, PNG or JPEG
    pub(crate) image: PathBuf,
    /// The PNG file to write, with the channels and the bit depth of the image
    #[arg(short, long, value_name = "PNG")]
    pub(crate) output: PathBuf,
    /// Keep frequencies from F on, so that edges remain; the output has magnitudes.
    /// F is in units of the Nyquist frequency: 1 is half a cycle a pixel, √2 the highest
    #[arg(long, verbatim_doc_comment, value_name = "F", group = "band", value_parser = frequency)]
    pub(crate) high_pass: Option<f64>,
    /// Keep frequencies up to F, in the same units; 0 keeps only the mean
    #[arg(long, value_name = "F", group = "band", value_parser = frequency)]
    pub(crate) low_pass: Option<f64>,
    /// Keep frequencies from LOW to HIGH, in the same units; the output has magnitudes
    #[arg(long, value_name = "LOW,HIGH", group = "band", value_parser = band)]
    pub(crate) band_pass: Option<(f64, f64)>,
    /// The response at F: ideal, gaussian or butterworth:ORDER
    #[arg(long, value_name = "R", default_value = "ideal")]
    pub(crate) rolloff: Rolloff,
    /// Also draw the logarithms of the magnitudes that are kept, with frequency 0
    /// in the centre; --high-pass 0 keeps all
    #[arg(long, verbatim_doc_comment, value_name = "PNG")]
    pub(crate) spectrum: Option<PathBuf>,
    /// The type to compute with: f32 or f64
    #[arg(long = "type", value_name = "TYPE", default_value = "f64", value_parser = precision)]
    pub(crate) precision: Precision,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: OneEngine,
}

/// Compare results for random input with the definition
#[derive(clap::Args)]
#[command(after_help = VERIFY_HELP)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) problems: Problems,
    /// Seed of the random input, a whole number
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engines: SeveralEngines,
}

/// Time problems, beside a copy of the same array
#[derive(clap::Args)]
#[command(after_help = BENCH_HELP)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) problems: Problems,
    /// Seconds to measure each problem, engine and algorithm, from 0 to 3600;
    /// each is measured at least 5 times
    #[arg(long, verbatim_doc_comment, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Measure each exactly N times instead
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engines: SeveralEngines,
}

/// Show how a problem is computed: passes, radices, kernels, bytes moved, scratch
#[derive(clap::Args)]
#[command(after_help = PLAN_HELP)]
pub(crate) struct Plan {
    /// The problem, such as "dct2 f64 1024x1024 ortho"
    pub(crate) problem: String,
    /// Also print the source of the kernels, for the engines cuda and opencl;
    /// without a CUDA device it is that for sm_90
    #[arg(long, verbatim_doc_comment)]
    pub(crate) source: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: OneEngine,
}

/// Show what this machine offers: engines, instruction sets, threads, devices, algorithms
#[derive(clap::Args)]
pub(crate) struct Info {
    /// Show only this engine: cpu, cuda, opencl, or a device such as cuda:0
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measure ways to compute problems; the other commands then use the fastest
#[derive(clap::Args)]
#[command(after_help = TUNE_HELP)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) problems: Problems,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engines: SeveralEngines,
}

/// Show or clear the compiled GPU kernels that are kept on disk
#[derive(clap::Args)]
#[command(after_help = CACHE_HELP)]
pub(crate) struct Cache {
    /// Remove all kernels
    #[arg(long)]
    pub(crate) clear: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Repeat the experiments of the papers: now a separate program
#[derive(clap::Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct Reproduce {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Reproduce {
    /// Says how the experiments are run now.
    pub(crate) fn moved(&self) -> Result<()> {
        let words = ["cargo run --release -p fourfold-experiments --"].into_iter();
        let command = words.chain(self.arguments.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        bail!("the experiments are a separate program: in a clone of fourfold, run `{command}`")
    }
}

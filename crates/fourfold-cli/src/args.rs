//! The command line.

mod jpeg;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::{ArgGroup, Parser, Subcommand};
use fourfold::Precision;

pub(crate) use jpeg::*;

use crate::engine::{Engine, available_threads};
use crate::method::{MethodName, MethodNames, one_method};

const MOST_THREADS: usize = 1024;

const PROBLEM_HELP: &str = "\
A problem is one argument, in quotes: kinds type shape option…

  kinds   dct1…dct4 dst1…dst4 dht idxst fft rfft and their inverses idct2, ifft, …;
          one for all axes, or one for each: dct2,dst2; idct_idxst, idxst_idct
  type    f32 or f64, the real type
  shape   1024x1024, of the real array (for fft of the complex one)
  option  axes=0,2   ortho   forward   backward   orthogonalize=yes|no   scale=0.5   adjoint
          inplace   in=s0,s1   out=s0,s1 (strides in elements)

for example \"dct2 f64 1024x1024 ortho\". The names and the scaling are those of SciPy.";

/// Fourier-related transforms of arrays of any size and dimension.
#[derive(Parser)]
#[command(name = "fourfold", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Info(Info),
    Plan(Plan),
    Verify(Verify),
    Bench(Bench),
    Tune(Tune),
    Transform(Transform),
    Compress(Compress),
    Filter(Filter),
    Jpeg(Jpeg),
    Reproduce(Reproduce),
    Cache(Cache),
}

/// Say what this machine and this version offer: engines, instruction sets, threads, devices,
/// methods
#[derive(clap::Args)]
pub(crate) struct Info {
    /// Of this engine alone: cpu, cuda, opencl, or a device such as cuda:0
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show how a problem is computed: passes, radices, kernels, bytes moved, scratch
#[derive(clap::Args)]
#[command(after_help = PROBLEM_HELP)]
pub(crate) struct Plan {
    /// The problem, such as "dct2 f64 1024x1024 ortho"
    pub(crate) problem: String,
    #[command(flatten)]
    pub(crate) how: How,
    /// Also print the text of the kernels, of cuda or opencl. Without such a device: for sm_90, or
    /// what cuda:sm_80 names
    #[arg(long)]
    pub(crate) source: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Compare results for random input with the definition, summed in double-double arithmetic
#[derive(clap::Args)]
#[command(after_help = PROBLEM_HELP)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) problems: Problems,
    #[command(flatten)]
    pub(crate) contenders: Contenders,
    /// Seed of the random input
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Time problems: warm medians, spread, and the ratio to a copy of the same array (cpu: by one
/// thread) in the same run; runs on a device go through 320 MiB of arrays in turn, so that none
/// finds its own in a cache
#[derive(clap::Args)]
#[command(after_help = PROBLEM_HELP)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) problems: Problems,
    #[command(flatten)]
    pub(crate) contenders: Contenders,
    /// How long to measure each problem, engine and method; at least five times
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Measure exactly N times instead
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measure ways to compute problems, and keep the fastest, which the other commands then follow
#[derive(clap::Args)]
#[command(after_help = PROBLEM_HELP)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) problems: Problems,
    #[command(flatten)]
    pub(crate) contenders: Contenders,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Transform an array in a .npy file
#[derive(clap::Args)]
#[command(after_help = PROBLEM_HELP)]
pub(crate) struct Transform {
    /// The problem, such as "dct2 f64 auto ortho"; `auto` takes the shape of the file
    pub(crate) problem: String,
    /// The .npy file to read: C or Fortran order, float32, float64, complex64, complex128, integers
    /// or booleans
    pub(crate) input: PathBuf,
    /// The .npy file to write
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) how: How,
    /// Print JSON: the problem as it was understood, and the type and shape of the output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Compress an image: DCT of each whole channel, drop small coefficients, transform back
#[derive(clap::Args)]
#[command(group = ArgGroup::new("rule").required(true))]
pub(crate) struct Compress {
    /// The image to read, PNG or JPEG
    pub(crate) image: PathBuf,
    /// The PNG to write, with the channels and depth of the image
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// Keep this percentage of the coefficients of each channel, the largest ones
    #[arg(long, value_name = "PERCENT", group = "rule", allow_negative_numbers = true, value_parser = percent)]
    pub(crate) keep: Option<f64>,
    /// Keep coefficients (orthonormal, of samples from 0 to 255) whose magnitude is at least EPS
    #[arg(long, value_name = "EPS", group = "rule", allow_negative_numbers = true, value_parser = threshold)]
    pub(crate) threshold: Option<f64>,
    /// Also draw the logarithms of the coefficients' magnitudes, before any is dropped
    #[arg(long, value_name = "PNG")]
    pub(crate) spectrum: Option<PathBuf>,
    /// The type to compute with: f32 or f64
    #[arg(long = "type", value_name = "TYPE", default_value = "f64", value_parser = precision)]
    pub(crate) precision: Precision,
    #[command(flatten)]
    pub(crate) how: How,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Filter an image: FFT of each whole channel, drop low or high frequencies, transform back
#[derive(clap::Args)]
#[command(group = ArgGroup::new("band").required(true))]
pub(crate) struct Filter {
    /// The image to read, PNG or JPEG
    pub(crate) image: PathBuf,
    /// The PNG to write, with the channels and depth of the image
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// Keep frequencies from F on, so that edges remain; samples are then magnitudes. F is in units
    /// of the Nyquist frequency: 1 is half a cycle a pixel, and √2 the highest, a checkerboard's
    #[arg(long, value_name = "F", group = "band", allow_negative_numbers = true, value_parser = threshold)]
    pub(crate) high_pass: Option<f64>,
    /// Keep frequencies up to F, in the same unit; 0 is the mean alone
    #[arg(long, value_name = "F", group = "band", allow_negative_numbers = true, value_parser = threshold)]
    pub(crate) low_pass: Option<f64>,
    /// Also draw the logarithms of the magnitudes of what is kept, frequency 0 in the centre;
    /// --high-pass 0 keeps all
    #[arg(long, value_name = "PNG")]
    pub(crate) spectrum: Option<PathBuf>,
    /// The type to compute with: f32 or f64
    #[arg(long = "type", value_name = "TYPE", default_value = "f64", value_parser = precision)]
    pub(crate) precision: Precision,
    #[command(flatten)]
    pub(crate) how: How,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Repeat the experiments of the papers: now a program of its own
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
        bail!("the experiments are a program of their own: in a clone of fourfold, run `{command}`")
    }
}

/// Show or clear the compiled kernels that are kept on disk
///
/// FOURFOLD_CACHE_DIR names the folder, empty for none; FOURFOLD_CACHE_LIMIT the bytes that it may
/// hold, such as 1000000 or 512M.
#[derive(clap::Args)]
pub(crate) struct Cache {
    /// Remove them all
    #[arg(long)]
    pub(crate) clear: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Problems by name or from a file.
#[derive(clap::Args)]
pub(crate) struct Problems {
    /// Problems, such as "dct2 f64 1024x1024 ortho"
    #[arg(value_name = "PROBLEM", required_unless_present = "cases")]
    pub(crate) texts: Vec<String>,
    /// Also take problems from a file, one a line; # begins a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Option<PathBuf>,
}

/// Engines and methods to compare.
#[derive(clap::Args)]
pub(crate) struct Contenders {
    /// Engines: cpu, or cpu:ISA for an instruction set of your choice; cuda or cuda:1, opencl or
    /// opencl:1
    #[arg(long, value_name = "E,…", value_delimiter = ',', default_value = "cpu")]
    pub(crate) engine: Vec<Engine>,
    /// Methods, or all; what a method does not have is left out where there are several
    #[arg(long, value_name = "M,…", value_delimiter = ',', default_value = MethodName::FUSED.name())]
    pub(crate) method: Vec<MethodNames>,
    /// Threads of the processor to use
    #[arg(long, value_name = "N", default_value_t = available_threads(), value_parser = threads)]
    pub(crate) threads: usize,
    #[command(flatten)]
    pub(crate) wisdom: WisdomFile,
}

/// What was measured before.
#[derive(clap::Args)]
pub(crate) struct WisdomFile {
    /// The file of what tune has measured, if not the one that FOURFOLD_WISDOM names, or `wisdom`
    /// in the cache's folder
    #[arg(long = "wisdom", value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
}

/// One engine and method.
#[derive(clap::Args)]
pub(crate) struct How {
    /// The engine: cpu, or cpu:ISA for an instruction set of your choice; cuda or cuda:1, opencl or
    /// opencl:1; to plan only, also an architecture of NVIDIA's: cuda:sm_80
    #[arg(long, value_name = "E", default_value = "cpu")]
    pub(crate) engine: Engine,
    /// The method
    #[arg(long, value_name = "M", default_value = MethodName::FUSED.name(), value_parser = one_method)]
    pub(crate) method: MethodName,
    /// Threads of the processor to use
    #[arg(long, value_name = "N", default_value_t = available_threads(), value_parser = threads)]
    pub(crate) threads: usize,
    #[command(flatten)]
    pub(crate) wisdom: WisdomFile,
}

fn precision(text: &str) -> Result<Precision> {
    let found = [Precision::F32, Precision::F64].into_iter().find(|precision| precision.name() == text);
    found.context("f32 or f64 is needed")
}

/// A number of threads on a command line.
pub fn threads(text: &str) -> Result<usize> {
    let threads = text.parse().unwrap_or(0);
    ensure!((1..=MOST_THREADS).contains(&threads), "a whole number from 1 to {MOST_THREADS} is needed");
    Ok(threads)
}

fn percent(text: &str) -> Result<f64> {
    let percent = text.parse().unwrap_or(f64::NAN);
    ensure!((0.0..=100.0).contains(&percent), "a percentage from 0 to 100 is needed");
    Ok(percent)
}

fn threshold(text: &str) -> Result<f64> {
    let threshold = text.parse().unwrap_or(f64::NAN);
    ensure!((0.0..f64::INFINITY).contains(&threshold), "a finite number, at least 0, is needed");
    Ok(threshold)
}

fn seconds(text: &str) -> Result<f64> {
    let seconds = text.parse().unwrap_or(f64::NAN);
    ensure!((0.0..=3600.0).contains(&seconds), "a number of seconds from 0 to 3600 is needed");
    Ok(seconds)
}

//! The command line of `convolve`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::ArgGroup;
use fourfold::Precision;
use fourfold::convolve::{Boundary, Mode};

use crate::args::common::Limit;
use crate::args::values::{precision, threads};
use crate::engine::available_threads;

const HELP: &str = "\
Direct sums or transforms compute it, whichever is estimated to be faster. The engine is cpu.

Modes: full has all N + K - 1 elements along an axis, same the N in the middle, valid the
N - K + 1 that need nothing beyond the ends. Images take same only.";

/// Convolve an image or an array with a kernel
#[derive(clap::Args)]
#[command(group = ArgGroup::new("weights").required(true), after_help = HELP)]
pub(crate) struct Convolve {
    /// An image, PNG or JPEG, or a .npy file of real numbers
    pub(crate) input: PathBuf,
    /// The file to write: PNG for an image, .npy for an array
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The kernel: a .npy file of real numbers. Its axes are the last ones of the array
    #[arg(long, value_name = "NPY", group = "weights")]
    pub(crate) kernel: Option<PathBuf>,
    /// A Gaussian kernel of this standard deviation in elements, along all axes;
    /// it ends at the distance 4 SIGMA, rounded up, and has the sum 1
    #[arg(long, verbatim_doc_comment, value_name = "SIGMA", group = "weights", value_parser = sigma)]
    pub(crate) gaussian: Option<f64>,
    /// The mean of N elements along each axis
    #[arg(long = "box", value_name = "N", group = "weights", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) side: Option<u16>,
    /// The part that is computed: full, same or valid
    #[arg(long, value_name = "MODE", default_value_t = Mode::Same)]
    pub(crate) mode: Mode,
    /// What lies beyond the ends: zero, periodic or reflect
    #[arg(long, value_name = "B", default_value_t = Boundary::Zero)]
    pub(crate) boundary: Boundary,
    /// Correlate instead: reverse the kernel
    #[arg(long)]
    pub(crate) correlate: bool,
    /// The type to compute with, f32 or f64 [default: that of the file, or f64]
    #[arg(long = "type", value_name = "TYPE", value_parser = precision)]
    pub(crate) precision: Option<Precision>,
    /// Also draw the result of an array; of more than two axes, the middle of the first ones
    #[arg(long, value_name = "PNG")]
    pub(crate) plot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Threads, from 1 to 1024 [default: all cores]
    #[arg(long, value_name = "N", default_value_t = available_threads(), hide_default_value = true, value_parser = threads)]
    pub(crate) threads: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The largest standard deviation, whose kernel has 8 times as many elements along an axis.
const MOST_SIGMA: f64 = 4096.0;

fn sigma(text: &str) -> Result<f64> {
    let sigma = text.parse().unwrap_or(f64::NAN);
    ensure!(sigma > 0.0 && sigma <= MOST_SIGMA, "a number above 0 and at most {MOST_SIGMA} is needed");
    Ok(sigma)
}

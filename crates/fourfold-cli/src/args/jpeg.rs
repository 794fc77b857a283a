//! The command line of `fourfold jpeg`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::args::common::{ENGINE_HEADING, Limit};
use crate::args::values::{seconds, threads};
use crate::engine::{Engine, available_threads};

const DECODE_HELP: &str = "\
Pixels are those of libjpeg-turbo, with its upsampling and colours. Where libjpeg warns, such as of
missing data, the command warns on stderr. Progressive files that lack scans are not smoothed
between blocks, as libjpeg does. The orientation in EXIF data is not applied.";

const COEFFICIENTS_HELP: &str = "\
The coefficients are quantised. numpy.load reads the file. Its arrays, with a number for each
component:
  coefficients_0, …  int16, blocks down x blocks across x 8 x 8, by vertical and horizontal frequency
  quantisation_0, …  uint16, 8 x 8
  size               uint16, height and width
  sampling           uint16, the sampling factors of each component, down and across";

const BENCH_HELP: &str = "\
Prints a table in Markdown.
  GiB/s      of coefficients, as GPUDCT counts them
  of moving  the time of moving the same bytes without arithmetic, divided by this time
  PSNR, dB   of each component, against the definition. For the forward transform the error is that
             of the samples that the coefficients stand for";

/// Decode, encode, inspect and time JPEG files
#[derive(clap::Args)]
pub(crate) struct Jpeg {
    #[command(subcommand)]
    pub(crate) command: JpegCommand,
}

#[derive(Subcommand)]
pub(crate) enum JpegCommand {
    Decode(Decode),
    Encode(Encode),
    Coefficients(Coefficients),
    Bench(JpegBench),
}

/// Decode JPEG files to PNG or PNM
#[derive(clap::Args)]
#[command(after_help = DECODE_HELP)]
pub(crate) struct Decode {
    /// The JPEG files to read
    #[arg(required = true, value_name = "JPG")]
    pub(crate) input: Vec<PathBuf>,
    /// The file to write: .png, .ppm or .pgm. For several inputs, or with a / at the end,
    /// a folder: it gets a .png file for each input, and is made if it does not exist
    #[arg(short, long, verbatim_doc_comment, value_name = "PATH")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: JpegTransform,
}

/// Encode an image as a baseline JPEG file, with libjpeg's tables
#[derive(clap::Args)]
pub(crate) struct Encode {
    /// The image to read, PNG or JPEG, grey or in colour; 16-bit samples are rounded to 8 bits
    pub(crate) input: PathBuf,
    /// The JPEG file to write
    #[arg(short, long, value_name = "JPG")]
    pub(crate) output: PathBuf,
    /// Quality, from 1 to 100
    #[arg(long, value_name = "Q", default_value_t = 75, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) quality: u8,
    /// Resolution of colour: 4:4:4 is full, 4:2:2 half across,
    /// 4:2:0 half across and down
    #[arg(long, verbatim_doc_comment, value_name = "S", value_enum, hide_possible_values = true, default_value_t = Sampling::Quarter)]
    pub(crate) sampling: Sampling,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) how: JpegTransform,
}

/// Write the coefficients and quantisation tables of a JPEG file as NumPy arrays
#[derive(clap::Args)]
#[command(after_help = COEFFICIENTS_HELP)]
pub(crate) struct Coefficients {
    /// The JPEG file to read
    pub(crate) input: PathBuf,
    /// The .npz file to write
    #[arg(short, long, value_name = "NPZ")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) limit: Limit,
}

/// Time the transforms of 8x8 blocks, and measure their errors
#[derive(clap::Args)]
#[command(after_help = BENCH_HELP)]
pub(crate) struct JpegBench {
    /// A JPEG file to take the coefficients from, whose decoding is timed too;
    /// without it, coefficients are random
    #[arg(verbatim_doc_comment)]
    pub(crate) input: Option<PathBuf>,
    /// Random coefficients, in MiB, from 1 to 65536
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) size: u32,
    /// Seconds to measure each algorithm, from 0 to 3600;
    /// each is measured at least 5 times
    #[arg(long, verbatim_doc_comment, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Engines, with commas between them: cpu, cuda or opencl; cuda:1 is the second
    /// device, and cpu:ISA an instruction set that info lists
    #[arg(long, verbatim_doc_comment, help_heading = ENGINE_HEADING, value_name = "E,…", value_delimiter = ',', default_value = "cpu")]
    pub(crate) engine: Vec<Engine>,
    /// Threads of the engine cpu, from 1 to 1024, or several such numbers with commas
    #[arg(long, help_heading = ENGINE_HEADING, value_name = "N,…", value_delimiter = ',', default_value = "1", value_parser = threads)]
    pub(crate) threads: Vec<usize>,
    /// Algorithms, with commas between them: fast, exact; on devices GPUDCT's naive,
    /// lut, separable, decomposed, no-shared, next, next16, then gpujpeg, and for the
    /// forward transform roomy, direct, convert [default: all]
    #[arg(long, verbatim_doc_comment, help_heading = ENGINE_HEADING, alias = "method", value_name = "A,…", value_delimiter = ',')]
    pub(crate) algorithm: Vec<String>,
}

/// How blocks are transformed.
#[derive(clap::Args)]
pub(crate) struct JpegTransform {
    /// Arithmetic: exact gives libjpeg-turbo's results bit for bit;
    /// fast computes in single precision and rounds once
    #[arg(long, verbatim_doc_comment, value_name = "M", value_enum, hide_possible_values = true, default_value_t = Mode::Exact)]
    pub(crate) mode: Mode,
    /// Threads to use, from 1 to 1024 [default: all cores]
    #[arg(long, value_name = "N", default_value_t = available_threads(), hide_default_value = true, value_parser = threads)]
    pub(crate) threads: usize,
}

/// The arithmetic of a transform of blocks.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Mode {
    Exact,
    Fast,
}

/// The resolution of colour.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Sampling {
    #[value(name = "4:4:4")]
    Full,
    #[value(name = "4:2:2")]
    Half,
    #[value(name = "4:2:0")]
    Quarter,
}

//! The command line of `fourfold jpeg`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Subcommand, ValueEnum};

use super::{seconds, threads};
use crate::engine::{Engine, available_threads};

/// Decode, encode and look into JPEG files
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

/// Decode JPEG files to PNG or PNM, with libjpeg's upsampling and colours
///
/// What libjpeg warns of, such as missing data, is a warning. Progressive files that lack scans are
/// decoded as they are, not smoothed between blocks as libjpeg does. Orientation in EXIF data is
/// not applied.
#[derive(clap::Args)]
pub(crate) struct Decode {
    /// The JPEG files
    #[arg(required = true, value_name = "JPG")]
    pub(crate) input: Vec<PathBuf>,
    /// The file to write: .png, .ppm or .pgm; of several inputs, or with a / at its end, the
    /// folder, for files named as they are, .png; it is made if it is not there
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) how: JpegHow,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Encode an image as a baseline JPEG file, with libjpeg's tables
#[derive(clap::Args)]
pub(crate) struct Encode {
    /// The image to read, PNG or JPEG, grey or in colour; 16-bit samples are rounded to 8
    pub(crate) input: PathBuf,
    /// The JPEG file to write
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// From 1 to 100
    #[arg(long, value_name = "Q", default_value_t = 75, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) quality: u8,
    /// How many pixels share colour: none, two across, or two by two
    #[arg(long, value_name = "S", value_enum, default_value_t = Sampling::Quarter)]
    pub(crate) sampling: Sampling,
    #[command(flatten)]
    pub(crate) how: JpegHow,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a JPEG file's quantised coefficients and quantisation tables as NumPy arrays
///
/// coefficients_0, …: int16, blocks down x blocks across x 8 x 8, by vertical and horizontal
/// frequency; quantisation_0, …: uint16, 8x8; size: height and width; sampling: the factors of each
/// component, down and across. numpy.load reads it.
#[derive(clap::Args)]
pub(crate) struct Coefficients {
    /// The JPEG file
    pub(crate) input: PathBuf,
    /// The .npz file to write
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) limit: Limit,
}

/// Time blocks from coefficients to samples and back, beside moving the same bytes, and measure
/// errors against the definition
///
/// Prints a table in Markdown. GiB/s are of coefficients, as GPUDCT counts; "of moving" is the time
/// of a kernel that moves as many bytes with no arithmetic in the time of the method; PSNR is of
/// each component, of the forward transform that of the samples for which coefficients stand.
#[derive(clap::Args)]
pub(crate) struct JpegBench {
    /// A JPEG file whose coefficients are taken, and which is decoded; else random coefficients
    pub(crate) input: Option<PathBuf>,
    /// MiB of random coefficients
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) size: u32,
    /// Engines: cpu, or cpu:ISA; cuda or cuda:1, opencl or opencl:1, which have the blocks in their
    /// memory
    #[arg(long, value_name = "E,…", value_delimiter = ',', default_value = "cpu")]
    pub(crate) engine: Vec<Engine>,
    /// Methods, beside moving the bytes: fast (the default), exact; on devices also the ladder of
    /// GPUDCT, naive, lut, separable, decomposed, no-shared, next, next16, then gpujpeg; forward
    /// also roomy, direct, convert. All if none is named
    #[arg(long, value_name = "M,…", value_delimiter = ',')]
    pub(crate) method: Vec<String>,
    /// Threads of the processor to use, one number after the other
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1", value_parser = threads)]
    pub(crate) threads: Vec<usize>,
    /// How long to measure each method; at least five times
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    #[command(flatten)]
    pub(crate) limit: Limit,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How blocks are transformed.
#[derive(clap::Args)]
pub(crate) struct JpegHow {
    /// exact: bit for bit as libjpeg-turbo; fast: in single precision, rounded once
    #[arg(long, value_name = "M", value_enum, default_value_t = Mode::Exact)]
    pub(crate) mode: Mode,
    /// Threads of the processor to use
    #[arg(long, value_name = "N", default_value_t = available_threads(), value_parser = threads)]
    pub(crate) threads: usize,
}

/// What a file may ask for.
#[derive(clap::Args)]
pub(crate) struct Limit {
    /// The largest image that is read
    #[arg(long, value_name = "PIXELS", default_value_t = 1 << 28, value_parser = pixels)]
    pub(crate) max_pixels: u64,
}

/// How a transform computes.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Mode {
    Exact,
    Fast,
}

/// How many pixels share colour.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Sampling {
    #[value(name = "4:4:4")]
    Full,
    #[value(name = "4:2:2")]
    Half,
    #[value(name = "4:2:0")]
    Quarter,
}

fn pixels(text: &str) -> Result<u64> {
    let pixels = text.parse().unwrap_or(0);
    ensure!(pixels > 0, "a whole number of pixels, at least 1, is needed");
    Ok(pixels)
}

//! Options that several commands take.

use std::path::PathBuf;

use fourfold_jpeg::Limits;

use crate::algorithm::{AlgorithmName, AlgorithmNames, one_algorithm};
use crate::args::values::{pixels, threads};
use crate::engine::{Engine, available_threads};

/// Help shows these options after those of the command.
pub(crate) const ENGINE_HEADING: &str = "Engine and algorithm";

/// Problems on the command line or in a file.
#[derive(clap::Args)]
pub(crate) struct Problems {
    /// Problems, such as "dct2 f64 1024x1024 ortho"
    #[arg(value_name = "PROBLEM", required_unless_present = "cases")]
    pub(crate) texts: Vec<String>,
    /// Also read problems from a file, one a line; # begins a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Option<PathBuf>,
}

/// Engines and algorithms to compare.
#[derive(clap::Args)]
#[command(next_help_heading = ENGINE_HEADING)]
pub(crate) struct SeveralEngines {
    /// Engines, with commas between them: cpu, cuda or opencl; cuda:1 is the second
    /// device, and cpu:ISA an instruction set that info lists
    #[arg(long, verbatim_doc_comment, value_name = "E,…", value_delimiter = ',', default_value = "cpu")]
    pub(crate) engine: Vec<Engine>,
    /// Threads of the engine cpu, from 1 to 1024 [default: all cores]
    #[arg(long, value_name = "N", default_value_t = available_threads(), hide_default_value = true, value_parser = threads)]
    pub(crate) threads: usize,
    /// Algorithms that info lists, with commas between them, or all;
    /// with several, problems that one does not support are skipped
    #[arg(long, verbatim_doc_comment, alias = "method", value_name = "A,…", value_delimiter = ',', default_value = AlgorithmName::FUSED.name())]
    pub(crate) algorithm: Vec<AlgorithmNames>,
    #[command(flatten)]
    pub(crate) wisdom: WisdomFile,
}

/// One engine and algorithm.
#[derive(clap::Args)]
#[command(next_help_heading = ENGINE_HEADING)]
pub(crate) struct OneEngine {
    /// Engine: cpu, cuda or opencl; cuda:1 is the second device,
    /// and cpu:ISA an instruction set that info lists
    #[arg(long, verbatim_doc_comment, value_name = "E", default_value = "cpu")]
    pub(crate) engine: Engine,
    /// Threads of the engine cpu, from 1 to 1024 [default: all cores]
    #[arg(long, value_name = "N", default_value_t = available_threads(), hide_default_value = true, value_parser = threads)]
    pub(crate) threads: usize,
    /// Algorithm, one of those that info lists
    #[arg(long, alias = "method", value_name = "A", default_value = AlgorithmName::FUSED.name(), value_parser = one_algorithm)]
    pub(crate) algorithm: AlgorithmName,
    #[command(flatten)]
    pub(crate) wisdom: WisdomFile,
}

/// The file that `tune` writes and the other commands read.
#[derive(clap::Args)]
pub(crate) struct WisdomFile {
    /// Tuning file [env: FOURFOLD_WISDOM] [default: the file wisdom in the cache's folder]
    #[arg(long = "wisdom", value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
}

/// The largest images that a command reads.
#[derive(clap::Args)]
pub(crate) struct Limit {
    /// The largest image that is read, in pixels, which bounds the memory
    #[arg(long, value_name = "PIXELS", default_value_t = Limits::default().pixels, value_parser = pixels)]
    pub(crate) max_pixels: u64,
    /// The most pixels times scans of a JPEG file, which bounds the time
    #[arg(long, value_name = "PIXELS", default_value_t = Limits::default().work, value_parser = pixels)]
    pub(crate) max_work: u64,
}

impl Limit {
    /// The same for the library.
    pub(crate) fn limits(&self) -> Limits {
        Limits { pixels: self.max_pixels, work: self.max_work }
    }
}

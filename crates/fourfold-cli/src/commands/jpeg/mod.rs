//! `fourfold jpeg`: JPEG files and their blocks.

mod bench;
mod coefficients;
mod decode;
mod encode;
mod files;

use anyhow::Result;

use crate::args::jpeg::{Jpeg, JpegCommand};

/// Runs the subcommand that the command line names.
pub(super) fn run_command(args: &Jpeg) -> Result<()> {
    match &args.command {
        JpegCommand::Decode(args) => decode::decode_files(args),
        JpegCommand::Encode(args) => encode::encode_image(args),
        JpegCommand::Coefficients(args) => coefficients::write_coefficients(args),
        JpegCommand::Bench(args) => bench::time_blocks(args),
    }
}

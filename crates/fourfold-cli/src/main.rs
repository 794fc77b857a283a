//! The command `fourfold`.

mod args;
mod array;
mod commands;
mod contest;
mod engine;
mod image_files;
mod literal;
mod method;
mod npy;
mod output;
mod picture;
mod problems;
mod progress;
mod ready;
mod sift;
mod spectrum;
mod wisdom;
mod work;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Error;
use clap::Parser;
use clap::error::ErrorKind::{DisplayHelpOnMissingArgumentOrSubcommand, UnknownArgument};
use clap::error::{ContextKind, ContextValue};

const FAILURE: u8 = 1;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(help) if !help.use_stderr() || help.kind() == DisplayHelpOnMissingArgumentOrSubcommand => help.exit(),
        Err(error) => return complain(USAGE, &one_line(&error)),
    };
    match commands::run(args.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::from(FAILURE),
        Err(error) => complain(FAILURE, &format!("{error:#}")),
    }
}

/// One line on stderr; several where a compiler's log is part of the message.
fn complain(code: u8, message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "fourfold: {}", message.trim_end()); // if stderr is closed, the exit code must do
    ExitCode::from(code)
}

/// What clap says, without the paragraphs on usage and help.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let paragraphs = text.trim_start_matches("error: ").split("\n\n").map(str::trim);
    let useful = paragraphs.filter(|text| !text.starts_with("Usage:") && !text.starts_with("For more information"));
    let stray_word =
        matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(word)) if !word.starts_with('-'));
    let hint = (error.kind() == UnknownArgument && stray_word).then_some("a problem is one argument, in quotes");
    let joined = useful.chain(hint).collect::<Vec<_>>().join("; ");
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the reader of our output has gone, as `head` does: nobody is there to be told.
fn is_closed_pipe(error: &Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

//! Runs a program: reads its command line, and reports a failure on stderr.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Error, Result};
use clap::Parser;
use clap::error::ErrorKind::{DisplayHelpOnMissingArgumentOrSubcommand, UnknownArgument};
use clap::error::{ContextKind, ContextValue};

use crate::print::printable;

const FAILURE: u8 = 1;
const USAGE: u8 = 2;

/// Carries out what the command line asks for; a message begins with the program's name.
pub fn run_program<A: Parser>(carry_out: impl FnOnce(&A) -> Result<()>) -> ExitCode {
    let args = match A::try_parse() {
        Ok(args) => args,
        Err(help) if !help.use_stderr() || help.kind() == DisplayHelpOnMissingArgumentOrSubcommand => help.exit(),
        Err(error) => return complain::<A>(USAGE, &one_line(&error)),
    };
    match carry_out(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::from(FAILURE),
        Err(error) => complain::<A>(FAILURE, &format!("{error:#}")),
    }
}

/// Prints an error on stderr: one line, or several if a compiler's log is part of the message.
fn complain<A: Parser>(code: u8, message: &str) -> ExitCode {
    // If stderr is closed, only the exit code tells of the error.
    let _ = writeln!(io::stderr(), "{}: {}", A::command().get_name(), printable(message.trim_end()));
    ExitCode::from(code)
}

/// clap's error in one line, without its paragraphs on usage and help.
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

/// Whether the program that reads our output has ended, as `head` does. That is not reported.
fn is_closed_pipe(error: &Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Prints a decoder's warnings about a file on stderr.
pub(crate) fn warn(path: &Path, warnings: &[String]) {
    for warning in warnings {
        let warning = printable(&format!("fourfold: warning: {}: {warning}", path.display()));
        let _ = writeln!(io::stderr(), "{warning}");
    }
}

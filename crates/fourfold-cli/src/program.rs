//! Runs a program: reads its command line, and reports a failure on stderr.

use std::any::TypeId;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Once;

use anyhow::{Error, Result};
use clap::builder::ValueParser;
use clap::error::ErrorKind::{DisplayHelpOnMissingArgumentOrSubcommand, UnknownArgument};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Parser};
use fourfold_gpu::cache::Cache;

use crate::print::{message, printable, told};

const FAILURE: u8 = 1;
const USAGE: u8 = 2;

/// Carries out what the command line asks for; a message begins with the program's name.
pub fn run_program<A: Parser>(carry_out: impl FnOnce(&A) -> Result<()>) -> ExitCode {
    let matches = with_negative_numbers(A::command()).try_get_matches();
    let args = match matches.and_then(|matches| A::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(help) if !help.use_stderr() || help.kind() == DisplayHelpOnMissingArgumentOrSubcommand => {
            return ended::<A>(help.print().map_err(Error::from), help.exit_code());
        }
        Err(error) => return complain::<A>(USAGE, &one_line(&error)),
    };
    ended::<A>(carry_out(&args), 0)
}

/// The command with options whose values may be negative numbers: the options' own messages then
/// say which numbers are expected. Otherwise clap takes `-1` for another option. It knows neither
/// `-.5` nor `-1e-3` as numbers, so options of numbers take whatever begins with a hyphen.
fn with_negative_numbers(command: Command) -> Command {
    let has_values = |option: &Arg| !option.is_positional() && option.get_action().takes_values();
    let with = |option: Arg| match has_values(&option) {
        true if is_number(option.get_value_parser()) => option.allow_hyphen_values(true),
        true => option.allow_negative_numbers(true),
        false => option,
    };
    command.mut_args(with).mut_subcommands(with_negative_numbers)
}

fn is_number(parser: &ValueParser) -> bool {
    [TypeId::of::<f64>(), TypeId::of::<(f64, f64)>()].iter().any(|number| parser.type_id() == *number)
}

/// The exit code of what has been done: `success`, or that of an error, which is reported.
fn ended<A: Parser>(result: Result<()>, success: i32) -> ExitCode {
    match result {
        Ok(()) => ExitCode::from(u8::try_from(success).unwrap_or(FAILURE)),
        Err(error) if is_closed_pipe(&error) => ExitCode::from(FAILURE),
        Err(error) => complain::<A>(FAILURE, &told(error.chain())),
    }
}

/// Prints an error on stderr: one line, or several if a compiler's log is part of the message.
fn complain<A: Parser>(code: u8, text: &str) -> ExitCode {
    // If stderr is closed, only the exit code tells of the error.
    let _ = writeln!(io::stderr(), "{}: {}", A::command().get_name(), message(text.trim_end()));
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

/// The most warnings about a file that are printed, and the most characters of one.
const WARNINGS: [usize; 2] = [20, 500];

/// Prints warnings about a file on stderr.
pub(crate) fn warn(path: &Path, warnings: &[String]) {
    let [most, characters] = WARNINGS;
    let more = warnings.len().saturating_sub(most);
    let shown = warnings.iter().take(most).map(|warning| match warning.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &warning[..end]),
        None => warning.clone(),
    });
    for warning in shown.chain((more > 0).then(|| format!("{more} more warnings"))) {
        let warning = message(&format!("fourfold: warning: {}: {warning}", path.display()));
        let _ = writeln!(io::stderr(), "{warning}");
    }
}

/// Says once on stderr why kernels are not kept on disk, if their folder is refused. Everything goes
/// on without it.
pub(crate) fn warn_of_cache() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        if let Some(refusal) = Cache::standard().ok().flatten().and_then(|cache| cache.check().err()) {
            let _ = writeln!(io::stderr(), "{}", printable(&format!("fourfold: warning: {refusal}")));
        }
    });
}

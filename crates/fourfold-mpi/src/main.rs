//! The command `fourfold-mpi`. Every rank runs it. Rank 0 prints.

mod any_plan;
mod args;
mod commands;
mod data;
mod files;
mod session;

use crate::args::{Arguments, Command};
use crate::session::Session;
use anyhow::{Context, Result};
use clap::Parser;
use fourfold_distributed::Exchange;
use fourfold_mpi::MpiRank;
use mpi::environment::{Threading, initialize_with_threading};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    run(&arguments).unwrap_or_else(|error| {
        eprintln!("fourfold-mpi: {error:#}");
        ExitCode::FAILURE
    })
}

/// Starts MPI, and does what the command line asks for. All ranks come to the end before MPI ends, so that
/// the messages of none are lost.
fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (universe, _) = initialize_with_threading(Threading::Funneled).context("MPI is already running")?;
    let rank = MpiRank::new(&universe.world())?;
    let outcome = match &arguments.command {
        Command::Verify(args) => commands::verify::verify(&rank, args),
        Command::Bench(args) => commands::bench::bench(&rank, args),
        Command::Transform(args) => commands::transform::transform(&rank, args),
        Command::Info => commands::info::info(&rank),
        Command::Plan(args) => Session::new(&rank, &args.division)
            .and_then(|session| session.say(|| session.recipe(&args.problem).map(|recipe| recipe.to_string()))),
    };
    let message = outcome.err().map(|error| format!("fourfold-mpi: {error:#}"));
    let mine = message.as_ref().map_or(0, |message| hash(message));
    let all = rank.all_gather(mine)?;
    // Of several ranks with the same error, the first one tells.
    if let Some(message) = message.filter(|_| all.iter().position(|other| *other == mine) == Some(rank.rank())) {
        eprintln!("{message}");
    }
    Ok(if all.iter().all(|error| *error == 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A number that tells messages from one another.
fn hash(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.hash(&mut hasher);
    hasher.finish() | 1
}

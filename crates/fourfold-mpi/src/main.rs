//! The command `fourfold-mpi`. Every rank runs it. Rank 0 prints.

mod any_plan;
mod args;
mod commands;
mod data;
mod files;
mod session;

use crate::args::{Arguments, Command, Poisson};
use crate::session::Session;
use anyhow::{Context, Result, bail};
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
    let outcome = agreed(&rank, &arguments.command).and_then(|()| match &arguments.command {
        Command::Verify(args) => commands::verify::verify(&rank, args),
        Command::Bench(args) => commands::bench::bench(&rank, args),
        Command::Transform(args) => commands::transform::transform(&rank, args),
        Command::Poisson(args) => commands::poisson::poisson(&rank, args),
        Command::Info => commands::info::info(&rank),
        Command::Plan(args) => Session::new(&rank, &args.division)
            .and_then(|session| session.say(|| session.recipe(&args.problem).map(|recipe| recipe.to_string()))),
    });
    let message = outcome.err().map(|error| format!("fourfold-mpi: {error:#}"));
    let mine = message.as_ref().map_or(0, |message| hash(message));
    let all = rank.all_gather(mine)?;
    // Of several ranks with the same error, the first one tells.
    if let Some(message) = message.filter(|_| all.iter().position(|other| *other == mine) == Some(rank.rank())) {
        eprintln!("{message}");
    }
    Ok(if all.iter().all(|error| *error == 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// An error on all ranks if one does something else, or not as often: it would wait for the others, and
/// they for it.
fn agreed(rank: &MpiRank, command: &Command) -> Result<()> {
    let steps = match command {
        Command::Verify(args) => format!("verify {} {}", args.problems.len(), args.seed),
        Command::Bench(args) => format!("bench {}", args.rounds),
        Command::Transform(_) => "transform".into(),
        // Ranks do not compare the factors of filters.
        Command::Poisson(args) => {
            let Poisson { boundary, positions, spacing, c, spectral, heat_step, tolerance, .. } = args;
            format!("poisson {boundary:?} {positions:?} {spacing:?} {c:?} {spectral} {heat_step:?} {tolerance:?}")
        }
        Command::Plan(_) => "plan".into(),
        Command::Info => "info".into(),
    };
    let all = rank.all_gather(hash(&steps))?;
    if let Some(other) = all.iter().position(|other| *other != all[0]) {
        bail!(
            "rank {other} has another command than rank 0, or another equation, number of problems, of rounds, or seed"
        );
    }
    Ok(())
}

/// A number that tells messages from one another.
fn hash(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.hash(&mut hasher);
    hasher.finish() | 1
}

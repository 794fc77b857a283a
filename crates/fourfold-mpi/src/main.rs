//! The command `fourfold-mpi`. Every rank runs it. Rank 0 prints.

mod any_plan;
mod args;
mod commands;
mod data;
mod files;
mod session;

use crate::args::{Arguments, Command, Division, Poisson};
use crate::session::Session;
use anyhow::{Context, Result, bail};
use clap::Parser;
use fourfold_distributed::Exchange;
use fourfold_mpi::MpiRank;
use mpi::environment::{Threading, initialize_with_threading};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
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
        // In one piece, since several ranks may write. If it cannot be written, the exit status tells.
        let _ = std::io::stderr().write_all(format!("{message}\n").as_bytes());
    }
    Ok(if all.iter().all(|error| *error == 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// An error on all ranks if one has another command line: it would wait for the others, and they for it, or
/// get other results. Files, problems, threads, and the number of a device may differ here: ranks may have
/// their own, or compare them when they plan.
fn agreed(rank: &MpiRank, command: &Command) -> Result<()> {
    let (division, steps) = match command {
        Command::Verify(args) => (Some(&args.division), format!("verify {} {}", args.problems.len(), args.seed)),
        Command::Bench(args) => (Some(&args.division), format!("bench {}", args.rounds)),
        Command::Transform(args) => (Some(&args.division), "transform".into()),
        // Ranks do not compare the factors of filters.
        Command::Poisson(args) => {
            let Poisson { boundary, positions, spacing, c, spectral, heat_step, tolerance, division, .. } = args;
            let of_axes = format!("{boundary:?} {positions:?} {spacing:?}");
            (Some(division), format!("poisson {of_axes} {c:?} {spectral} {heat_step:?} {tolerance:?}"))
        }
        Command::Plan(args) => (Some(&args.division), format!("plan {}", args.problem)),
        Command::Info => (None, "info".into()),
    };
    let division = division.map(|Division { grid, from, to, threads: _, device, messages, parts }| {
        (grid, from, to, device.as_ref().map(|name| name.split(':').next().map(str::to_owned)), messages, parts)
    });
    let all = rank.all_gather(hash(&format!("{steps} {division:?}")))?;
    if let Some(other) = all.iter().position(|other| *other != all[0]) {
        bail!(
            "rank {other} has another command line than rank 0: expected the same command, equation, grid, \
             distributions, parts, kind of device, messages, seed, and number of problems and rounds"
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

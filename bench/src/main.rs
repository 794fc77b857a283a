//! fourfold beside its peers, in turns, in one run: `cargo xtask bench-cpu` builds this and says
//! where the peers are.

mod arrays;
mod case;
mod contestant;
mod groups;
mod peers;
mod report;
mod turns;

use anyhow::{Context, Result, bail, ensure};
use fourfold::timing::Pace;
use groups::Group;
use peers::Peers;
use serde_json::json;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use turns::{Measured, measure};

/// The least time of a batch, and the pace.
const FULL: (Duration, Pace) = pace(15, 5..=11, 3000);
const QUICK: (Duration, Pace) = pace(5, 3..=5, 500);

/// Of milliseconds for a batch and for a problem.
const fn pace(batch: u64, rounds: RangeInclusive<usize>, problem: u64) -> (Duration, Pace) {
    (Duration::from_millis(batch), Pace { rounds, time: Duration::from_millis(problem), warm_up: true })
}

/// What the command line says.
struct Options {
    /// Where `peers.sh` has put the peers, and where results go.
    folder: PathBuf,
    pace: (Duration, Pace),
    only: String,
}

fn options() -> Result<Options> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().context("usage: fourfold-bench FOLDER [--quick] [--only PATTERN]")?.into();
    let mut options = Options { folder, pace: FULL, only: String::new() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.pace = QUICK,
            "--only" => options.only = arguments.next().context("--only needs a part of a problem or of a title")?,
            _ => bail!("unknown argument {argument}: expected --quick or --only PATTERN"),
        }
    }
    Ok(options)
}

fn main() -> Result<()> {
    let (options, start) = (options()?, Instant::now());
    let peers = Peers::open(&options.folder);
    peers.missing.iter().for_each(|missing| eprintln!("missing: {missing}"));
    let mut results = Vec::new();
    for mut group in groups::all() {
        let title = group.title;
        group.problems.retain(|problem| problem.contains(&options.only) || title.contains(&options.only));
        if !group.problems.is_empty() {
            let measured = measure_group(&group, &peers, &options.pace)?;
            results.push((group, measured));
        }
    }
    ensure!(!results.is_empty(), "no problem and no title contains `{}`", options.only);
    peers.save()?;
    let missing = if peers.missing.is_empty() { "none".to_owned() } else { peers.missing.join("; ") };
    let (targets, tables) = (report::targets(&results), report::tables(&results));
    let text = format!("Peers missing: {missing}.\n\n## Targets\n\n{targets}{tables}");
    println!("{text}");
    fs::write(options.folder.join("tables.md"), text)?;
    fs::write(options.folder.join("pace.txt"), in_words(&options.pace))?;
    fs::write(options.folder.join("results.json"), serde_json::to_string_pretty(&figures(&results))?)?;
    eprintln!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The pace, as `cpu.md` says it.
fn in_words((batch, pace): &(Duration, Pace)) -> String {
    let (least, most) = (pace.rounds.start(), pace.rounds.end());
    format!("{least} to {most} rounds; a turn is one run untimed, then runs for about {} ms", batch.as_millis())
}

fn measure_group(group: &Group, peers: &Peers, (batch, pace): &(Duration, Pace)) -> Result<Vec<Measured>> {
    let one = |problem: &String| {
        let measured = measure(problem, group.extra, peers, *batch, pace).with_context(|| problem.clone())?;
        eprintln!("{problem}: {} contestants, {} rounds", measured.entries.len(), measured.rounds);
        Ok(measured)
    };
    group.problems.iter().map(one).collect()
}

/// For the plot.
fn figures(results: &[(Group, Vec<Measured>)]) -> serde_json::Value {
    let entry = |e: &turns::Entry| json!({"name": e.name, "ms": e.milliseconds, "copy": e.copy});
    let problem =
        |m: &Measured| json!({"problem": m.problem, "entries": m.entries.iter().map(entry).collect::<Vec<_>>()});
    let group = |(group, measured): &(Group, Vec<Measured>)| json!({"title": group.title, "problems": measured.iter().map(problem).collect::<Vec<_>>()});
    results.iter().map(group).collect()
}

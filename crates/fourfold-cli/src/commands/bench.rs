//! `fourfold bench`: warm medians, next to a copy of the same array.

use std::time::Duration;

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::{Pace, Summary, table};
use serde::Serialize;

use super::print_json;
use crate::args::Bench;
use crate::contest::Contest;
use crate::engine::{Contender, Engine};
use crate::progress::Progress;

#[derive(Serialize)]
struct Line {
    problem: String,
    engine: String,
    method: &'static str,
    /// Of the processor.
    threads: Option<usize>,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    copy_ratio: f64,
}

/// Times every problem with every engine and method.
pub(super) fn run(args: &Bench) -> Result<()> {
    let problems = args.problems.parse()?;
    let contenders = args.contenders.all()?;
    let progress = Progress::new(problems.len());
    let mut lines = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        let able = able(problem, &contenders)?;
        for line in bench(problem, &able, args)? {
            if !args.json {
                progress.print(&text(&line))?;
            }
            lines.push(line);
        }
        progress.step();
    }
    drop(progress);
    if args.json { print_json(&lines) } else { Ok(()) }
}

/// The contenders whose methods have the problem; an error if none has.
fn able<'a>(problem: &Problem, contenders: &'a [Contender]) -> Result<Vec<&'a Contender>> {
    let lacks: Vec<_> = contenders.iter().map(|contender| contender.lacks(problem)).collect();
    if let Some(first) = lacks.iter().flatten().next().filter(|_| lacks.iter().all(Option::is_some)) {
        return Err(first.clone().into());
    }
    Ok(contenders.iter().zip(lacks).filter(|(_, lacks)| lacks.is_none()).map(|(contender, _)| contender).collect())
}

/// Measures all contenders and copies in turn, so that all meet the same weather.
fn bench(problem: &Problem, contenders: &[&Contender], args: &Bench) -> Result<Vec<Line>> {
    let mut contest = Contest::new(problem)?;
    contenders.iter().try_for_each(|contender| contest.enter(&contender.engine, contender.plan(problem)?))?;
    let times = contest.measure(&pace(args, contenders.len()))?;
    let lines = contenders.iter().zip(times).map(|(contender, (Summary { median, min, max, .. }, copy))| Line {
        problem: problem.to_string(),
        engine: contender.engine.to_string(),
        method: contender.method.name(),
        threads: matches!(contender.engine, Engine::Cpu(_)).then_some(args.contenders.threads),
        median_ms: median,
        min_ms: min,
        max_ms: max,
        copy_ratio: median / copy.median,
    });
    Ok(lines.collect())
}

fn pace(args: &Bench, contenders: usize) -> Pace {
    match args.repeat {
        Some(repeat) => Pace::rounds(repeat as usize),
        None => Pace::lasting(Duration::from_secs_f64(args.seconds * contenders as f64)),
    }
}

fn text(line: &Line) -> String {
    let Line { problem, engine, method, threads, median_ms, min_ms, max_ms, copy_ratio } = line;
    let [median, min, max] = [median_ms, min_ms, max_ms].map(|&ms| table::digits(ms));
    let threads = match threads {
        None => String::new(),
        Some(1) => ", 1 thread".into(),
        Some(threads) => format!(", {threads} threads"),
    };
    format!("{problem}: {engine} {method}{threads}: {median} ms ({min} to {max}), {} × copy", table::ratio(*copy_ratio))
}

//! `fourfold bench`: times of problems, beside a copy of the same array.

use std::time::Duration;

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::{Pace, Summary, table};
use serde::Serialize;

use crate::args::Bench;
use crate::comparison::Comparison;
use crate::engine::Engine;
use crate::planner::EnginePlanner;
use crate::print::print_json;
use crate::progress::Progress;

#[derive(Serialize)]
struct Measurement {
    problem: String,
    engine: String,
    /// Programs read the older key.
    #[serde(rename = "method")]
    algorithm: &'static str,
    /// Only of the engine `cpu`.
    threads: Option<usize>,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    copy_ratio: f64,
}

/// Times every problem with every engine and algorithm.
pub(super) fn time_problems(args: &Bench) -> Result<()> {
    let problems = args.problems.parse()?;
    let planners = args.engines.planners()?;
    let progress = Progress::new(problems.len());
    let mut measurements = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        let planners = supporting(problem, &planners)?;
        for measurement in measure(problem, &planners, args)? {
            if !args.json {
                progress.print(&text(&measurement))?;
            }
            measurements.push(measurement);
        }
        progress.step();
    }
    drop(progress);
    if args.json { print_json(&measurements) } else { Ok(()) }
}

/// The planners that support the problem; an error if none does.
fn supporting<'a>(problem: &Problem, planners: &'a [EnginePlanner]) -> Result<Vec<&'a EnginePlanner>> {
    let lacks: Vec<_> = planners.iter().map(|planner| planner.lacks(problem)).collect();
    if let Some(first) = lacks.iter().flatten().next().filter(|_| lacks.iter().all(Option::is_some)) {
        return Err(first.clone().into());
    }
    Ok(planners.iter().zip(lacks).filter(|(_, lacks)| lacks.is_none()).map(|(planner, _)| planner).collect())
}

/// Measures all plans and copies in turn, so that other work on the machine slows all of them
/// alike.
fn measure(problem: &Problem, planners: &[&EnginePlanner], args: &Bench) -> Result<Vec<Measurement>> {
    let mut comparison = Comparison::new(problem)?;
    planners.iter().try_for_each(|planner| comparison.add_plan(&planner.engine, planner.plan(problem)?))?;
    let times = comparison.measure(&pace(args, planners.len()))?;
    let results = planners.iter().zip(times);
    let measurements = results.map(|(planner, (Summary { median, min, max, .. }, copy))| Measurement {
        problem: problem.to_string(),
        engine: planner.engine.to_string(),
        algorithm: planner.algorithm.name(),
        threads: matches!(planner.engine, Engine::Cpu(_)).then_some(args.engines.threads),
        median_ms: median,
        min_ms: min,
        max_ms: max,
        copy_ratio: median / copy.median,
    });
    Ok(measurements.collect())
}

fn pace(args: &Bench, planners: usize) -> Pace {
    match args.repeat {
        Some(repeat) => Pace::rounds(repeat as usize),
        None => Pace::lasting(Duration::from_secs_f64(args.seconds * planners as f64)),
    }
}

fn text(measurement: &Measurement) -> String {
    let Measurement { problem, engine, algorithm, threads, median_ms, min_ms, max_ms, copy_ratio } = measurement;
    let [median, min, max] = [median_ms, min_ms, max_ms].map(|&ms| table::digits(ms));
    let threads = match threads {
        None => String::new(),
        Some(1) => ", 1 thread".into(),
        Some(threads) => format!(", {threads} threads"),
    };
    format!(
        "{problem}: {engine} {algorithm}{threads}: {median} ms ({min} to {max}), {} × copy",
        table::ratio(*copy_ratio)
    )
}

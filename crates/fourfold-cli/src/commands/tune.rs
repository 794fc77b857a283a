//! `fourfold tune`: measures ways to compute problems, and writes the fastest to the tuning file.

use anyhow::{Result, bail};
use serde::Serialize;

use crate::algorithm::AlgorithmName;
use crate::args::Tune;
use crate::array::{array_bytes, check_memory};
use crate::engine::Engine;
use crate::print::print_json;
use crate::progress::Progress;
use crate::wisdom;

#[derive(Serialize)]
struct Tuned {
    problem: String,
    engine: String,
    /// The fastest way, pass by pass.
    passes: Vec<String>,
    /// The tuning file.
    wisdom: String,
}

/// Tunes every problem on every engine, and writes each result at once.
pub(super) fn tune_problems(args: &Tune) -> Result<()> {
    let file = &args.engines.wisdom;
    let problems = args.problems.pipelines()?;
    let fused = AlgorithmName::FUSED;
    if let Some(other) = args.engines.algorithm.iter().flat_map(|names| &names.0).find(|other| **other != fused) {
        bail!("only the algorithm {fused} can be tuned, not {other}");
    }
    let multiplied = problems.iter().find(|pipeline| pipeline.as_problem().is_none());
    if let Some(pipeline) =
        multiplied.filter(|_| args.engines.engine.iter().any(|engine| matches!(engine, Engine::Cpu(_))))
    {
        bail!("only devices are tuned for `{pipeline}`: name one with --engine");
    }
    let planners = args.engines.planners_with(&wisdom::load_to_add(file)?)?;
    let progress = Progress::new(problems.len() * planners.len());
    let mut results = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        for planner in &planners {
            check_memory(problem.problems().map(array_bytes).fold(0, usize::saturating_add))?;
            let (text, known) = planner.tune(&problem.example()?)?;
            let tuned = Tuned {
                problem: problem.to_string(),
                engine: planner.engine.to_string(),
                passes: text.lines().map(str::to_owned).collect(),
                wisdom: wisdom::add(file, known)?.display().to_string(),
            };
            if !args.json {
                progress.print(&text_of(&tuned))?;
            }
            results.push(tuned);
            progress.step();
        }
    }
    drop(progress);
    if args.json { print_json(&results) } else { Ok(()) }
}

fn text_of(tuned: &Tuned) -> String {
    let Tuned { problem, engine, passes, wisdom } = tuned;
    format!("{problem}  {engine}\n  {}\n  kept in {wisdom}", passes.join("\n  "))
}

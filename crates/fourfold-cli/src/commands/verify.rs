//! `fourfold verify`: results for random input against the oracle.

use anyhow::{Result, bail};
use fourfold::Problem;
use serde::Serialize;

use super::print_json;
use crate::args::Verify;
use crate::engine::Contender;
use crate::progress::Progress;

#[derive(Serialize)]
struct Line {
    problem: String,
    engine: String,
    method: &'static str,
    error: f64,
    bound: f64,
    ok: bool,
    /// Outputs that were compared, if not all.
    sampled: Option<usize>,
    outputs: usize,
}

/// Checks every problem with every engine and method; fails if one misses its bound.
pub(super) fn run(args: &Verify) -> Result<()> {
    let problems = args.problems.parse()?;
    let contenders = args.contenders.all()?;
    let progress = Progress::new(problems.len() * contenders.len());
    let mut lines = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        for contender in &contenders {
            let line = verify(problem, contender, args.seed)?;
            if !args.json {
                progress.print(&text(&line))?;
            }
            lines.push(line);
            progress.step();
        }
    }
    drop(progress);
    if args.json {
        print_json(&lines)?;
    }
    match lines.iter().filter(|line| !line.ok).count() {
        0 => Ok(()),
        failed => bail!("{failed} of {} results miss their bound", lines.len()),
    }
}

fn verify(problem: &Problem, contender: &Contender, seed: u64) -> Result<Line> {
    let plan = contender.plan(problem)?;
    let bluestein = plan.recipe().uses_bluestein();
    let verdict = fourfold::verify::check(problem, bluestein, seed, &plan)?;
    Ok(Line {
        problem: problem.to_string(),
        engine: contender.engine.to_string(),
        method: contender.method.name,
        error: verdict.error,
        bound: verdict.bound,
        ok: verdict.error <= verdict.bound,
        sampled: verdict.sampled,
        outputs: problem.output().elements(),
    })
}

fn text(line: &Line) -> String {
    let Line { problem, engine, method, error, bound, ok, sampled, outputs } = line;
    let word = if *ok { "ok    " } else { "FAILED" };
    let sampled = sampled.map_or(String::new(), |count| format!(" ({count} of {outputs} outputs)"));
    format!("{word} {problem}: {engine} {method}, error {error:.2e}, bound {bound:.2e}{sampled}")
}

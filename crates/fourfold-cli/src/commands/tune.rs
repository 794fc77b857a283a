//! `fourfold tune`: measures ways to compute problems, and keeps the fastest.

use anyhow::{Result, ensure};
use serde::Serialize;

use super::print_json;
use crate::args::Tune;
use crate::progress::Progress;
use crate::wisdom;

#[derive(Serialize)]
struct Line {
    problem: String,
    engine: String,
    /// What was found fastest, pass by pass.
    passes: Vec<String>,
    /// Where it is kept.
    wisdom: String,
}

/// Tunes every problem on every engine; what is measured is kept at once.
pub(super) fn run(args: &Tune) -> Result<()> {
    let file = &args.contenders.wisdom;
    ensure!(wisdom::path(file)?.is_some(), wisdom::NOWHERE);
    let problems = args.problems.parse()?;
    let contenders = args.contenders.all_with(&wisdom::read(file)?.unwrap_or_default())?;
    let progress = Progress::new(problems.len() * contenders.len());
    let mut lines = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        for contender in &contenders {
            let (text, known) = contender.tune(problem)?;
            let line = Line {
                problem: problem.to_string(),
                engine: contender.engine.to_string(),
                passes: text.lines().map(str::to_owned).collect(),
                wisdom: wisdom::add(file, known)?.display().to_string(),
            };
            if !args.json {
                progress.print(&text_of(&line))?;
            }
            lines.push(line);
            progress.step();
        }
    }
    drop(progress);
    if args.json { print_json(&lines) } else { Ok(()) }
}

fn text_of(line: &Line) -> String {
    let Line { problem, engine, passes, wisdom } = line;
    format!("{problem}  {engine}\n  {}\n  kept in {wisdom}", passes.join("\n  "))
}

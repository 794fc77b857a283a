//! `fourfold plan`: the recipe of a problem, and what it costs.

use std::io::{self, Write};

use anyhow::Result;
use fourfold::Recipe;
use serde::Serialize;

use super::print_json;
use crate::args::Plan;
use crate::problems;

#[derive(Serialize)]
struct Answer {
    problem: String,
    engine: String,
    method: &'static str,
    threads: usize,
    passes: Vec<String>,
    bluestein: bool,
    bytes_moved: u64,
    scratch_bytes: u64,
}

/// Plans and prints.
pub(super) fn run(args: &Plan) -> Result<()> {
    let problem = problems::parse(&args.problem)?;
    let contender = args.how.contender()?;
    let plan = contender.plan(&problem)?;
    let answer = Answer {
        problem: problem.to_string(),
        engine: contender.engine.to_string(),
        method: contender.method.name,
        threads: args.how.threads,
        passes: passes(plan.recipe()),
        bluestein: plan.recipe().uses_bluestein(),
        bytes_moved: plan.bytes_moved() as u64,
        scratch_bytes: plan.scratch_bytes() as u64,
    };
    if args.json { print_json(&answer) } else { Ok(io::stdout().write_all(text(&answer).as_bytes())?) }
}

fn text(answer: &Answer) -> String {
    let Answer { problem, engine, method, passes, bytes_moved, scratch_bytes, .. } = answer;
    format!(
        "problem  {problem}\nengine   {engine}\nmethod   {method}\npasses   {}\nmoved    {}\nscratch  {}\n",
        passes.join("\n         "),
        bytes(*bytes_moved),
        bytes(*scratch_bytes),
    )
}

/// The lines of the recipe after its first, which names the problem.
fn passes(recipe: &Recipe) -> Vec<String> {
    recipe.to_string().lines().skip(1).map(str::to_owned).collect()
}

/// A number of bytes, and the same in a handier unit where there is one.
fn bytes(count: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|&(_, shift)| count >> shift > 0) {
        Some((unit, shift)) => format!("{count} bytes ({:.1} {unit})", count as f64 / (1u64 << shift) as f64),
        None => format!("{count} bytes"),
    }
}

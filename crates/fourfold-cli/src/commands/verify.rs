//! `fourfold verify`: results for random input against the oracle.

use anyhow::{Result, bail, ensure};
use fourfold::Problem;
use fourfold::oracle::verify::{Data, Verdict, check};
use serde::Serialize;

use super::print_json;
use crate::args::Verify;
use crate::array::{check_memory, with_elements};
use crate::engine::Contender;
use crate::progress::Progress;

/// What comparing takes at least: the data, and their parts in double-double.
const BYTES_AN_ELEMENT: usize = 40;

/// What became of a problem with an engine and a method.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Checked(Line),
    /// The method does not have the problem, or the device not what the method needs.
    LeftOut {
        problem: String,
        engine: String,
        method: &'static str,
        left_out: String,
    },
}

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
    /// Places between the outputs that were written.
    strays: usize,
}

/// Checks every problem with every engine and method; fails if one misses its bound. What a method
/// does not have is left out, unless it is all that was asked for.
pub(super) fn run(args: &Verify) -> Result<()> {
    let problems = args.problems.parse()?;
    let contenders = args.contenders.all()?;
    let progress = Progress::new(problems.len() * contenders.len());
    let several = problems.len() * contenders.len() > 1;
    let mut answers = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        for contender in &contenders {
            let answer = match contender.lacks(problem) {
                Some(why) if several => left_out(problem, contender, why.to_string()),
                _ => Answer::Checked(verify(problem, contender, args.seed)?),
            };
            if !args.json {
                progress.print(&answer.text())?;
            }
            answers.push(answer);
            progress.step();
        }
    }
    drop(progress);
    if args.json {
        print_json(&answers)?;
    }
    outcome(&answers)
}

fn left_out(problem: &Problem, contender: &Contender, left_out: String) -> Answer {
    let (engine, method) = (contender.engine.to_string(), contender.method.name());
    Answer::LeftOut { problem: problem.to_string(), engine, method, left_out }
}

/// An error unless all hold that were checked, and some were.
fn outcome(answers: &[Answer]) -> Result<()> {
    let checked =
        || answers.iter().filter_map(|answer| if let Answer::Checked(line) = answer { Some(line) } else { None });
    ensure!(checked().next().is_some(), "none of the methods has any of the problems");
    match checked().filter(|line| !line.ok).count() {
        0 => Ok(()),
        failed => bail!("{failed} of {} results are wrong", checked().count()),
    }
}

impl Answer {
    fn text(&self) -> String {
        match self {
            Answer::Checked(line) => text(line),
            Answer::LeftOut { problem, engine, method, left_out } => {
                format!("left   {problem}: {engine} {method}: {left_out}")
            }
        }
    }
}

fn verify(problem: &Problem, contender: &Contender, seed: u64) -> Result<Line> {
    let plan = contender.plan(problem)?;
    let elements = problem.input().len.saturating_add(problem.output().len);
    check_memory(elements.saturating_mul(BYTES_AN_ELEMENT))?;
    let run = |input: &Data, output: &mut Data| match problem.in_place() {
        true => with_elements!(output, x => plan.execute_in_place(x)),
        false => plan.execute(input, output),
    };
    let verdict = check(problem, plan.uses_bluestein(), seed, run)?;
    Ok(line(problem, contender, verdict))
}

fn line(problem: &Problem, contender: &Contender, verdict: Verdict) -> Line {
    Line {
        problem: problem.to_string(),
        engine: contender.engine.to_string(),
        method: contender.method.name(),
        error: verdict.error,
        bound: verdict.bound,
        ok: verdict.holds(),
        sampled: verdict.sampled,
        outputs: problem.output().elements(),
        strays: verdict.strays,
    }
}

fn text(line: &Line) -> String {
    let Line { problem, engine, method, error, bound, ok, sampled, outputs, strays } = line;
    let word = if *ok { "ok    " } else { "FAILED" };
    let mut text = format!("{word} {problem}: {engine} {method}, error {error:.2e}, bound {bound:.2e}");
    if let Some(count) = sampled {
        text += &format!(" ({count} of {outputs} outputs sampled)");
    }
    if *strays > 0 {
        text += &format!(", {strays} places between the outputs written");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::method::MethodName;
    use crate::wisdom::Kept;

    #[test]
    fn what_is_wrong_is_named_and_is_a_failure() {
        let contender = Contender::new(Engine::Cpu(None), MethodName::FUSED, 1, &Kept::default()).unwrap();
        let problem = "dct2 f64 8".parse().unwrap();
        let line = |error, strays| line(&problem, &contender, Verdict { error, bound: 6e-16, sampled: None, strays });
        let good = || line(1e-16, 0);
        assert!(text(&good()).starts_with("ok     dct2 f64 8: cpu fused, error 1.00e-16, bound 6.00e-16"));
        let outcome = |lines: Vec<Line>| outcome(&lines.into_iter().map(Answer::Checked).collect::<Vec<_>>());
        assert!(outcome(vec![good(), good()]).is_ok());
        assert!(outcome(vec![]).is_err());
        for bad in [line(7e-16, 0), line(f64::NAN, 0), line(1e-16, 2)] {
            assert!(text(&bad).starts_with("FAILED dct2 f64 8"));
            assert_eq!(outcome(vec![good(), bad]).unwrap_err().to_string(), "1 of 2 results are wrong");
        }
        assert!(text(&line(0.0, 2)).ends_with("2 places between the outputs written"));
    }
}

//! `fourfold verify`: compares results for random input with the oracle.

use anyhow::{Result, bail, ensure};
use fourfold::Problem;
use fourfold::oracle::verify::{Data, Verdict, check};
use serde::Serialize;

use crate::args::Verify;
use crate::array::check_memory;
use crate::planner::EnginePlanner;
use crate::print::print_json;
use crate::progress::Progress;

/// The most memory that a comparison takes, for each element of the input and of the output. When
/// the oracle has summed a complex transform, an element of the array takes 16 bytes, and its copy
/// 16. The oracle's planes before and after the last axis take 32 each, and the result 32. That is
/// 128 for a pair of elements, or 64 each. The rest is for tables.
const BYTES_AN_ELEMENT: usize = 80;

/// The answer for a problem with an engine and an algorithm.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Checked(Check),
    /// The algorithm does not support the problem, or the device not the algorithm.
    Skipped(Skip),
}

#[derive(Serialize)]
struct Skip {
    problem: String,
    engine: String,
    /// Programs read the older key.
    #[serde(rename = "method")]
    algorithm: &'static str,
    /// The reason.
    left_out: String,
}

#[derive(Serialize)]
struct Check {
    problem: String,
    engine: String,
    /// Programs read the older key.
    #[serde(rename = "method")]
    algorithm: &'static str,
    error: f64,
    bound: f64,
    ok: bool,
    /// The number of outputs that were compared, if not all were.
    sampled: Option<usize>,
    outputs: usize,
    /// The number of places between the outputs that were written.
    strays: usize,
}

/// Checks every problem with every engine and algorithm; fails if an error exceeds its bound.
/// Problems that an algorithm does not support are skipped, unless there is only one problem and
/// one algorithm.
pub(super) fn verify_problems(args: &Verify) -> Result<()> {
    let problems = args.problems.parse()?;
    let planners = args.engines.planners()?;
    let progress = Progress::new(problems.len() * planners.len());
    let several = problems.len() * planners.len() > 1;
    let mut answers = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        for planner in &planners {
            let answer = match planner.lacks(problem) {
                Some(why) if several => Answer::Skipped(skip(problem, planner, why.to_string())),
                _ => Answer::Checked(verify(problem, planner, args.seed)?),
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

fn skip(problem: &Problem, planner: &EnginePlanner, left_out: String) -> Skip {
    let (engine, algorithm) = (planner.engine.to_string(), planner.algorithm.name());
    Skip { problem: problem.to_string(), engine, algorithm, left_out }
}

/// An error unless at least one result was checked, and all that were hold.
fn outcome(answers: &[Answer]) -> Result<()> {
    let checked =
        || answers.iter().filter_map(|answer| if let Answer::Checked(check) = answer { Some(check) } else { None });
    ensure!(checked().next().is_some(), "none of the algorithms computes any of the problems");
    match checked().filter(|check| !check.ok).count() {
        0 => Ok(()),
        failed => bail!("{failed} of {} results are wrong", checked().count()),
    }
}

impl Answer {
    fn text(&self) -> String {
        match self {
            Answer::Checked(check) => text(check),
            Answer::Skipped(Skip { problem, engine, algorithm, left_out }) => {
                format!("skip   {problem}: {engine} {algorithm}: {left_out}")
            }
        }
    }
}

fn verify(problem: &Problem, planner: &EnginePlanner, seed: u64) -> Result<Check> {
    let plan = planner.plan(problem)?;
    let elements = problem.input().len.saturating_add(problem.output().len);
    check_memory(elements.saturating_mul(BYTES_AN_ELEMENT))?;
    let execute = |input: &Data, output: &mut Data| match problem.in_place() {
        true => plan.execute_data_in_place(output),
        false => plan.execute(input, output),
    };
    let verdict = check(problem, plan.uses_bluestein(), seed, execute)?;
    Ok(checked(problem, planner, verdict))
}

fn checked(problem: &Problem, planner: &EnginePlanner, verdict: Verdict) -> Check {
    Check {
        problem: problem.to_string(),
        engine: planner.engine.to_string(),
        algorithm: planner.algorithm.name(),
        error: verdict.error,
        bound: verdict.bound,
        ok: verdict.holds(),
        sampled: verdict.sampled,
        outputs: problem.output().elements(),
        strays: verdict.strays,
    }
}

fn text(check: &Check) -> String {
    let Check { problem, engine, algorithm, error, bound, ok, sampled, outputs, strays } = check;
    let word = if *ok { "ok    " } else { "FAILED" };
    let mut text = format!("{word} {problem}: {engine} {algorithm}, error {error:.2e}, bound {bound:.2e}");
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
    use crate::algorithm::AlgorithmName;
    use crate::engine::Engine;
    use crate::wisdom::Tuning;

    #[test]
    fn what_is_wrong_is_named_and_is_a_failure() {
        let planner = EnginePlanner::new(Engine::Cpu(None), AlgorithmName::FUSED, 1, &Tuning::default()).unwrap();
        let problem = "dct2 f64 8".parse().unwrap();
        let check = |error, strays| checked(&problem, &planner, Verdict { error, bound: 6e-16, sampled: None, strays });
        let good = || check(1e-16, 0);
        assert!(text(&good()).starts_with("ok     dct2 f64 8: cpu fused, error 1.00e-16, bound 6.00e-16"));
        let outcome = |checks: Vec<Check>| outcome(&checks.into_iter().map(Answer::Checked).collect::<Vec<_>>());
        assert!(outcome(vec![good(), good()]).is_ok());
        assert!(outcome(vec![]).is_err());
        for bad in [check(7e-16, 0), check(f64::NAN, 0), check(1e-16, 2)] {
            assert!(text(&bad).starts_with("FAILED dct2 f64 8"));
            assert_eq!(outcome(vec![good(), bad]).unwrap_err().to_string(), "1 of 2 results are wrong");
        }
        assert!(text(&check(0.0, 2)).ends_with("2 places between the outputs written"));
    }
}

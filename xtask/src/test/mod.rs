//! `cargo xtask test`: all that must hold before a change goes in, each suite with a budget of
//! time. `--quick` runs what a change needs before a commit, `--full` also what takes long.

mod python;
mod suites;
mod tier;

use crate::setup;
use anyhow::{Context, Result, ensure};
use std::env;
use std::time::{Duration, Instant};
use suites::SUITES;
use tier::Tier;

/// A part of the tests.
struct Suite {
    name: &'static str,
    /// Seconds on two cores, in a clean clone: what it may take before somebody should look why.
    budget: u64,
    tiers: &'static [Tier],
    run: fn() -> Result<Outcome>,
}

/// What becomes of a suite that does not fail.
pub(crate) enum Outcome {
    Done,
    /// Why it did not run. In CI (where the variable `CI` is set) that is a failure.
    LeftOut(String),
}

/// What the gate builds: with the same features in every suite, since crates with others would be
/// compiled again. Without the feature `scalar`, which is a third copy of the engine in every build;
/// the suites `sweeps` and `miri` execute it.
pub(crate) const WHOLE: &str = "--locked --workspace --features fourfold/ndarray";

/// All code that there is, for suites that only read it, and for those beyond the gate.
pub(crate) const ALL_FEATURES: &str = "--locked --workspace --all-features";

/// The variable that tells tests how many cases of their sweeps to take.
pub(crate) const SWEEPS: &str = "FOURFOLD_SWEEPS";

/// Tells them to take all cases, not a sample.
pub(crate) const WHOLE_SWEEPS: (&str, &str) = (SWEEPS, "whole");

/// Tells them to take one case in 32 of the usual sample.
pub(crate) const QUICK_SWEEPS: (&str, &str) = (SWEEPS, "32");

/// Runs the suites of a tier, or those that the arguments name, up to the first that fails, and
/// prints what each took.
pub(crate) fn run_task() -> Result<()> {
    let (tier, suites) = chosen(&env::args().skip(2).collect::<Vec<_>>())?;
    setup::run_if_missing()?;
    let (mut times, mut left_out) = (Vec::new(), Vec::new());
    let outcome = suites.iter().try_for_each(|suite| {
        let start = Instant::now();
        let outcome = (suite.run)().and_then(|outcome| settle(suite.name, outcome, &mut left_out));
        times.push(start.elapsed());
        outcome.with_context(|| format!("suite `{}`", suite.name))
    });
    print!("{}", table(&suites, &times));
    left_out.iter().for_each(|line| println!("{line}"));
    if let Some(tier) = tier {
        print!("{}", tier.leaves_out());
    }
    outcome
}

/// The suites that the arguments ask for, and the tier if it is one.
fn chosen(arguments: &[String]) -> Result<(Option<Tier>, Vec<&'static Suite>)> {
    if let Some(tier) = tier::of(arguments) {
        return Ok((Some(tier), SUITES.iter().filter(|suite| suite.tiers.contains(&tier)).collect()));
    }
    let known = || SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        let suite = SUITES.iter().find(|suite| suite.name == name);
        suite.with_context(|| format!("there is no suite {name:?}; there are {}, --quick and --full", known()))
    };
    Ok((None, arguments.iter().map(find).collect::<Result<_>>()?))
}

/// Notes a suite that was left out; an error where nothing may be.
fn settle(name: &str, outcome: Outcome, left_out: &mut Vec<String>) -> Result<()> {
    if let Outcome::LeftOut(why) = outcome {
        ensure!(env::var_os("CI").is_none(), "{why}");
        left_out.push(format!("LEFT OUT: suite `{name}`: {why}"));
    }
    Ok(())
}

/// The suites that ran: time and budget.
fn table(suites: &[&Suite], times: &[Duration]) -> String {
    let row = |name: &str, time: Duration, budget: u64| {
        let over = if time.as_secs() > budget { "  over its budget" } else { "" };
        format!("{name:<14} {:>6} {:>7}{over}\n", clock(time.as_secs()), clock(budget))
    };
    let mut text = String::from("\nsuite            time  budget\n");
    let rows = suites.iter().zip(times).map(|(suite, time)| row(suite.name, *time, suite.budget));
    text.extend(rows);
    text + &row("total", times.iter().sum(), suites.iter().map(|suite| suite.budget).sum())
}

/// Minutes and seconds.
pub(crate) fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Result<Vec<&'static str>> {
        let words: Vec<_> = words.iter().map(|word| word.to_string()).collect();
        Ok(chosen(&words)?.1.iter().map(|suite| suite.name).collect())
    }

    #[test]
    fn suites_are_chosen_by_name_or_tier() {
        assert_eq!(names(&["docs", "format"]).unwrap(), ["docs", "format"]);
        let error = names(&["dogs"]).unwrap_err().to_string();
        assert!(error.contains("docs") && error.contains("--full"), "{error}");
        let (quick, gate, full) = (names(&["--quick"]).unwrap(), names(&[]).unwrap(), names(&["--full"]).unwrap());
        assert!(quick.len() < gate.len() && gate.len() < full.len());
        assert!(gate.iter().all(|name| full.contains(name)), "the full tier has the gate in it");
        assert!(names(&["--quick", "docs"]).is_err());
    }

    #[test]
    fn output_ends_with_the_results_of_tests() {
        assert_eq!(names(&[]).unwrap().last(), Some(&"tests"));
        assert_eq!(names(&["--quick"]).unwrap().last(), Some(&"core"));
    }

    #[test]
    fn marks_what_is_over_its_budget() {
        let text = table(&chosen(&[]).unwrap().1, &[Duration::from_secs(9), Duration::from_secs(1000)]);
        assert!(text.contains("format           0:09    0:10\n"), "{text}");
        assert!(text.contains("clippy          16:40    1:00  over its budget\n"), "{text}");
        assert_eq!(text.lines().count(), 5, "{text}");
    }

    /// Suites that came after the limit of 15 minutes for all others.
    const LATER: [&str; 5] = ["subgroups", "arm", "python", "mpi", "experiments"];

    #[test]
    fn budgets_keep_to_their_limits() {
        let minutes = |chosen: &dyn Fn(&Suite) -> bool| {
            SUITES.iter().filter(|suite| chosen(suite)).map(|suite| suite.budget).sum::<u64>() as f64 / 60.0
        };
        let is_gate = |suite: &Suite| suite.tiers.contains(&Tier::Gate);
        let quick = minutes(&|suite| suite.tiers.contains(&Tier::Quick));
        let first = minutes(&|suite| is_gate(suite) && !LATER.contains(&suite.name));
        let all = minutes(&is_gate);
        assert!(quick <= 4.0 && first <= 15.0 && all <= 45.0, "{quick}, {first}, {all}");
    }
}

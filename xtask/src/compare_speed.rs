//! `cargo xtask compare-speed OLD NEW [TURNS]`: times two builds of the command `fourfold`, given as
//! paths, over `cases/speed.txt` with one thread. It fails if one problem takes more than 3 % longer
//! with the new build, or all together more than 1 %.
//!
//! The builds take turns, so that other work on the machine slows both: OLD NEW, NEW OLD, OLD NEW.
//! Of each start the least time counts, since other work only ever adds time. Of all starts the
//! median counts: where the pages of a process lie in memory changes its times by some per cent, so
//! that the least of a few starts is luck. Problems above 3 % get three times as many turns more,
//! after all others.

use crate::cases::problems;
use crate::process::output;
use crate::table::{Table, digits};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::env;
use std::process::Command;

/// How often each build is started for a problem.
const TURNS: usize = 7;

/// For problems above the limit: so many times the turns, again.
const AGAIN: usize = 3;

/// Seconds of measuring, each time. Five rounds are measured at least.
const SECONDS: &str = "0.5";

/// The largest quotient of new and old time of a problem, and of the geometric means.
const MOST: [f64; 2] = [1.03, 1.01];

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(2).collect();
    match &*arguments {
        [old, new] => compare([old, new], TURNS),
        [old, new, turns] => compare([old, new], turns.parse().context("TURNS is a number")?),
        _ => bail!("usage: cargo xtask compare-speed OLD NEW [TURNS]"),
    }
}

fn compare(builds: [&str; 2], turns: usize) -> Result<()> {
    ensure!(turns > 0, "TURNS is at least 1");
    let problems = problems("speed.txt")?;
    let mut starts = vec![[vec![], vec![]]; problems.len()];
    for (problem, starts) in problems.iter().zip(&mut starts) {
        take_turns(builds, problem, turns, starts)?;
    }
    for (problem, starts) in problems.iter().zip(&mut starts).filter(|(_, starts)| quotient(starts) > MOST[0]) {
        take_turns(builds, problem, AGAIN * turns, starts)?;
    }
    let quotients: Vec<_> = problems.iter().map(String::as_str).zip(starts.iter().map(quotient)).collect();
    println!("\n{}\nGeometric mean of new / old: {:.4}", table(&problems, &starts), mean(&quotients));
    check(&quotients)
}

/// The milliseconds of all starts of a problem, with the old build and with the new one.
type Starts = [Vec<f64>; 2];

/// New / old.
fn quotient([old, new]: &Starts) -> f64 {
    median(new) / median(old)
}

/// The median: of an even number, the mean of the middle two.
fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    if times.len() % 2 == 0 { (times[middle - 1] + times[middle]) / 2.0 } else { times[middle] }
}

fn table(problems: &[String], starts: &[Starts]) -> Table {
    let mut table = Table::new(["problem", "starts of each", "old, ms", "new, ms", "new / old"]);
    for (problem, starts) in problems.iter().zip(starts) {
        let [old, new] = [0, 1].map(|build| digits(median(&starts[build])));
        let count = starts[0].len().to_string();
        table.row([problem.clone(), count, old, new, format!("{:.3}", quotient(starts))]);
    }
    table
}

/// Times both builds in so many turns more.
fn take_turns(builds: [&str; 2], problem: &str, turns: usize, starts: &mut Starts) -> Result<()> {
    for turn in 0..turns {
        for place in 0..2 {
            let build = (turn + place) % 2;
            starts[build].push(time(builds[build], problem)?);
        }
    }
    let [old, new] = [0, 1].map(|build| digits(median(&starts[build])));
    println!("{problem}: {old} ms, then {new} ms: {:.3}", quotient(starts));
    Ok(())
}

/// The least milliseconds of one start. No tuning file is read.
fn time(build: &str, problem: &str) -> Result<f64> {
    let mut bench = Command::new(build);
    bench.args(["bench", problem, "--threads", "1", "--seconds", SECONDS, "--json"]);
    let text = output(bench.env_remove("FOURFOLD_WISDOM").env("FOURFOLD_CACHE_DIR", ""))?;
    let results: Value = serde_json::from_str(&text)?;
    results[0]["min_ms"].as_f64().with_context(|| format!("{build} printed no min_ms: {text}"))
}

/// The geometric mean.
fn mean(quotients: &[(&str, f64)]) -> f64 {
    let sum: f64 = quotients.iter().map(|(_, quotient)| quotient.ln()).sum();
    (sum / quotients.len() as f64).exp()
}

/// An error that names the problems that take too long.
fn check(quotients: &[(&str, f64)]) -> Result<()> {
    let slow = quotients.iter().filter(|(_, quotient)| *quotient > MOST[0]);
    let slow: Vec<_> = slow.map(|(problem, quotient)| format!("`{problem}` {quotient:.3}")).collect();
    ensure!(slow.is_empty(), "new / old is above {}: {}", MOST[0], slow.join(", "));
    let mean = mean(quotients);
    ensure!(mean <= MOST[1], "the geometric mean of new / old is {mean:.4}, above {}", MOST[1]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_is_an_error_that_names_it() {
        let error = |quotients: &[(&str, f64)]| check(quotients).unwrap_err().to_string();
        assert!(check(&[("a", 1.029), ("b", 0.98)]).is_ok());
        assert_eq!(error(&[("a", 1.04), ("b", 0.9)]), "new / old is above 1.03: `a` 1.040");
        assert_eq!(error(&[("a", 1.02), ("b", 1.02)]), "the geometric mean of new / old is 1.0200, above 1.01");
    }

    #[test]
    fn one_lucky_start_does_not_count() {
        let starts = [vec![2.0, 1.0, 2.0, 2.0], vec![2.0, 2.2, 1.8, 2.4]];
        assert!((quotient(&starts) - 2.1 / 2.0).abs() < 1e-15);
    }

    #[test]
    fn the_mean_is_geometric() {
        assert!((mean(&[("a", 0.5), ("b", 2.0)]) - 1.0).abs() < 1e-15);
    }
}

//! Contestants of one problem take turns.

use crate::arrays::read;
use crate::case::Case;
use crate::contestant::{Contestant, Factor, Role, Runner};
use crate::groups::{AVX2, DCT2, Extra, OURS, TWO};
use crate::peers::Peers;
use crate::peers::ours::{self, Settings};
use anyhow::{Context, Error, Result};
use fourfold::timing::{Clock, Pace, Timed, Work, take_turns};
use fourfold::{Isa, Problem};
use std::time::Duration;

/// What was measured of one problem.
pub(crate) struct Measured {
    pub(crate) problem: String,
    pub(crate) rounds: usize,
    /// Milliseconds to plan.
    pub(crate) planning: f64,
    pub(crate) entries: Vec<Entry>,
    /// Contestants that gave wrong results, which were not timed.
    pub(crate) wrong: Vec<String>,
}

/// One contestant's least time.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) milliseconds: f64,
    /// The name of the copy in the same process.
    pub(crate) copy: &'static str,
}

impl Measured {
    pub(crate) fn time(&self, name: &str) -> Option<f64> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| entry.milliseconds)
    }
}

/// Times all contestants of a problem.
pub(crate) fn measure(text: &str, extra: Extra, peers: &Peers, batch: Duration, pace: &Pace) -> Result<Measured> {
    let case = Case::new(text)?;
    let mut contestants = contestants(&case, extra, peers)?;
    case.fill();
    let wrong = drop_wrong(&case, &mut contestants)?;
    let timed = |contestant| Timed::new(Turn { contestant, peers, batch });
    let mut timed = contestants.into_iter().map(timed).collect::<Result<Vec<_>>>()?;
    let times = take_turns(&mut timed, pace)?;
    let rounds = times.first().map_or(0, |times| times.rounds);
    let entries = timed.into_iter().zip(times).map(|(timed, times)| {
        let Contestant { name, role, runner, .. } = timed.into_work().contestant;
        let copy = if matches!(runner, Runner::Child(_)) { "memcpy in Python" } else { "memcpy" };
        Entry { name, role, milliseconds: times.in_unit(1e3).min, copy }
    });
    let entries = entries.collect();
    let planning = ours::planning(&case.problem)?;
    Ok(Measured { problem: text.to_owned(), rounds, planning, entries, wrong })
}

fn contestants<'a>(case: &'a Case, extra: Extra, peers: &Peers) -> Result<Vec<Contestant<'a>>> {
    let fourfold = |name, settings| ours::offer(name, case, &case.problem, settings);
    let mut all = vec![ours::copy(case)];
    match extra {
        Extra::None | Extra::Dct2 => {
            all.push(fourfold(OURS, Settings::best())?);
            all.extend(peers.offers(case)?);
        }
        Extra::Avx2 if !Isa::Avx2.is_available() => {}
        Extra::Avx2 => {
            all.push(fourfold(AVX2, Settings { isa: Isa::Avx2, threads: 1 })?);
            all.extend(peers.ducc_avx2(case));
        }
        Extra::Threads => {
            all.push(fourfold(OURS, Settings::best())?);
            all.push(fourfold(TWO, Settings { threads: 2, ..Settings::best() })?);
            all.extend(peers.ducc_threads(case, 1));
            all.extend(peers.ducc_threads(case, 2));
        }
    }
    if extra == Extra::Dct2 {
        let dct2: Problem = case.by_bits("dct2 f32 1024x1024", "dct2 f64 1024x1024").parse()?;
        let contestant = ours::offer(DCT2, case, &dct2, Settings::best())?;
        all.push(Contestant { factor: Factor::Other, ..contestant });
    }
    Ok(all)
}

/// Runs each once, compares its results with fourfold's, and drops who differs.
fn drop_wrong(case: &Case, contestants: &mut Vec<Contestant<'_>>) -> Result<Vec<String>> {
    let plain = reference(case, &case.problem)?;
    let ortho = if contestants.iter().any(|contestant| contestant.factor == Factor::Ortho) {
        reference(case, &format!("{} ortho", case.text).parse()?)?
    } else {
        Vec::new()
    };
    let (mut wrong, limit) = (Vec::new(), case.by_bits(1e-5, 1e-11));
    contestants.retain_mut(|contestant| {
        let (expected, factor) = match contestant.factor {
            Factor::Times(factor) => (&plain, factor),
            Factor::Ortho => (&ortho, 1.0),
            Factor::Other => return true,
        };
        let Runner::Here(run) = &mut contestant.runner else { return true };
        run();
        let error = distance(&read(case.output(), case.results(), case.bits), factor, expected);
        let right = error <= limit;
        if !right {
            wrong.push(format!("{} (relative error {error:.1e})", contestant.name));
        }
        right
    });
    Ok(wrong)
}

fn reference(case: &Case, problem: &Problem) -> Result<Vec<f64>> {
    let contestant = ours::offer(OURS, case, problem, Settings::best())?;
    let Runner::Here(mut run) = contestant.runner else { unreachable!("fourfold runs here") };
    run();
    Ok(read(case.output(), case.results(), case.bits))
}

/// Relative error of `results` times `factor`, in the L2 norm; a NaN is infinitely far.
fn distance(results: &[f64], factor: f64, expected: &[f64]) -> f64 {
    let square = |x: f64| x * x;
    let difference: f64 = results.iter().zip(expected).map(|(x, y)| square(factor * x - y)).sum();
    let size: f64 = expected.iter().copied().map(square).sum();
    let error = (difference / size).sqrt();
    if error.is_nan() { f64::INFINITY } else { error }
}

/// A contestant's turn.
struct Turn<'a> {
    contestant: Contestant<'a>,
    peers: &'a Peers,
    batch: Duration,
}

impl Work for Turn<'_> {
    type Error = Error;

    /// The Python child does its untimed run in each turn.
    fn run(&mut self) -> Result<()> {
        if let Runner::Here(run) = &mut self.contestant.runner {
            run();
        }
        Ok(())
    }

    fn least_batch(&self) -> Duration {
        self.batch
    }

    fn time(&mut self, runs: usize, clock: &dyn Clock) -> Result<Duration> {
        match &mut self.contestant.runner {
            Runner::Child(name) => {
                self.peers.python.as_ref().context("the Python child is missing")?.time_turn(name, runs)
            }
            Runner::Here(run) => {
                let start = clock.now();
                (0..runs).for_each(|_| run());
                Ok(clock.now() - start)
            }
        }
    }
}

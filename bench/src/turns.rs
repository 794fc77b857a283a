//! Contestants of one problem take turns.

use crate::arrays::read;
use crate::case::Case;
use crate::contestant::{Contestant, Factor, Role, Work};
use crate::groups::{AVX2, DCT2, Extra, OURS, TWO};
use crate::peers::Peers;
use crate::peers::ours::{self, Settings};
use anyhow::{Context, Result};
use fourfold::{Isa, Problem};
use std::time::Instant;

/// How long to measure.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Milliseconds of a turn, if one run takes less.
    pub(crate) turn: f64,
    /// Milliseconds of a problem; it has `fewest` rounds all the same.
    pub(crate) problem: f64,
    pub(crate) fewest: usize,
    pub(crate) most: usize,
}

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

/// One contestant's least round.
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
pub(crate) fn measure(text: &str, extra: Extra, peers: &Peers, pace: Pace) -> Result<Measured> {
    let case = Case::new(text)?;
    let mut contestants = contestants(&case, extra, peers)?;
    case.fill();
    let wrong = drop_wrong(&case, &mut contestants)?;
    let (rounds, times) = rounds(&mut contestants, peers, pace)?;
    let entries = contestants.into_iter().zip(times).map(|(contestant, times)| {
        let copy = if matches!(contestant.work, Work::Child(_)) { "memcpy in Python" } else { "memcpy" };
        Entry { name: contestant.name, role: contestant.role, milliseconds: least(&times), copy }
    });
    let planning = ours::planning(&case.problem)?;
    Ok(Measured { problem: text.to_owned(), rounds, planning, entries: entries.collect(), wrong })
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
        let Work::Here(run) = &mut contestant.work else { return true };
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
    let Work::Here(mut run) = contestant.work else { unreachable!("fourfold runs here") };
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

/// Milliseconds of one run in each round, by contestant.
fn rounds(contestants: &mut [Contestant<'_>], peers: &Peers, pace: Pace) -> Result<(usize, Vec<Vec<f64>>)> {
    let mut runs = Vec::new();
    let mut round = 0.0;
    for contestant in &mut *contestants {
        let once = turn(contestant, 1, peers)?;
        let count = (pace.turn / once).clamp(1.0, 1e6) as usize;
        round += (count + 1) as f64 * once;
        runs.push(count);
    }
    let rounds = ((pace.problem / round) as usize).clamp(pace.fewest, pace.most);
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds {
        for ((contestant, runs), times) in contestants.iter_mut().zip(&runs).zip(&mut times) {
            times.push(turn(contestant, *runs, peers)?);
        }
    }
    Ok((rounds, times))
}

/// Milliseconds a run, after one that is not timed.
fn turn(contestant: &mut Contestant<'_>, runs: usize, peers: &Peers) -> Result<f64> {
    match &mut contestant.work {
        Work::Child(name) => peers.python.as_ref().context("the Python child is missing")?.turn(name, runs),
        Work::Here(run) => {
            run();
            let start = Instant::now();
            (0..runs).for_each(|_| run());
            Ok(1e3 * start.elapsed().as_secs_f64() / runs as f64)
        }
    }
}

/// What other work on the machine disturbed least: it only ever adds.
fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

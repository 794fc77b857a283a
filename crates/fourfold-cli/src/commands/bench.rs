//! `fourfold bench`: warm medians, next to a copy of the same array.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use fourfold::Problem;
use serde::Serialize;

use super::print_json;
use crate::args::Bench;
use crate::engine::{Contender, Engine};
use crate::progress::Progress;
use crate::ready::Ready;
use crate::timing::{Spread, Timed};
use crate::work::{Arrays, DeviceCopy, DeviceTransform, Memcpy, Transform};

/// Each is measured so often at least.
const LEAST_ROUNDS: usize = 5;

#[derive(Serialize)]
struct Line {
    problem: String,
    engine: String,
    method: &'static str,
    /// Of the processor.
    threads: Option<usize>,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    copy_ratio: f64,
}

/// Times every problem with every engine and method.
pub(super) fn run(args: &Bench) -> Result<()> {
    let problems = args.problems.parse()?;
    let contenders = args.contenders.all()?;
    let progress = Progress::new(problems.len());
    let mut lines = Vec::new();
    for problem in &problems {
        progress.message(problem.to_string());
        let able = able(problem, &contenders)?;
        for line in bench(problem, &able, args)? {
            if !args.json {
                progress.print(&text(&line))?;
            }
            lines.push(line);
        }
        progress.step();
    }
    drop(progress);
    if args.json { print_json(&lines) } else { Ok(()) }
}

/// The contenders whose methods have the problem; an error if none has.
fn able<'a>(problem: &Problem, contenders: &'a [Contender]) -> Result<Vec<&'a Contender>> {
    let lacks: Vec<_> = contenders.iter().map(|contender| contender.lacks(problem)).collect();
    if let Some(first) = lacks.iter().flatten().next().filter(|_| lacks.iter().all(Option::is_some)) {
        return Err(first.clone().into());
    }
    Ok(contenders.iter().zip(lacks).filter(|(_, lacks)| lacks.is_none()).map(|(contender, _)| contender).collect())
}

/// Measures all contenders and copies in turn, so that all meet the same weather.
fn bench(problem: &Problem, contenders: &[&Contender], args: &Bench) -> Result<Vec<Line>> {
    let mut contest = Contest::new(problem)?;
    contenders.iter().try_for_each(|contender| contest.enter(contender, problem))?;
    let start = Instant::now();
    while !enough(contest.rounds(), start.elapsed(), args, contenders.len()) {
        contest.sample()?;
    }
    let lines = contenders.iter().zip(contest.results()).map(|(contender, (Spread { median, min, max }, copy))| Line {
        problem: problem.to_string(),
        engine: contender.engine.to_string(),
        method: contender.method.name(),
        threads: matches!(contender.engine, Engine::Cpu(_)).then_some(args.contenders.threads),
        median_ms: median,
        min_ms: min,
        max_ms: max,
        copy_ratio: median / copy.median,
    });
    Ok(lines.collect())
}

/// Transforms of one problem, each with its yardstick: a copy where its arrays are.
struct Contest {
    arrays: Rc<RefCell<Arrays>>,
    /// With the number of the yardstick.
    transforms: Vec<(Timed, usize)>,
    copies: Vec<(Engine, Timed)>,
}

impl Contest {
    fn new(problem: &Problem) -> Result<Contest> {
        let arrays = Rc::new(RefCell::new(Arrays::new(problem)?));
        Ok(Contest { arrays, transforms: Vec::new(), copies: Vec::new() })
    }

    fn enter(&mut self, contender: &Contender, problem: &Problem) -> Result<()> {
        let bytes = self.arrays.borrow().bytes();
        match contender.plan(problem)? {
            Ready::Cpu(plan) => {
                let transform = Timed::warm(Transform::new(*plan, Rc::clone(&self.arrays))?)?;
                self.add(transform, Engine::Cpu(None), || Timed::warm(Memcpy::new(bytes)?))
            }
            Ready::Gpu(plan, device) => {
                let transform = Timed::warm(DeviceTransform::new(*plan, device.clone(), &self.arrays.borrow())?)?;
                self.add(transform, contender.engine.clone(), || Timed::warm(DeviceCopy::new(device, bytes)?))
            }
        }
    }

    /// Adds a transform whose arrays are where those of `place` are.
    fn add(&mut self, transform: Timed, place: Engine, copy: impl FnOnce() -> Result<Timed>) -> Result<()> {
        let known = self.copies.iter().position(|(other, _)| *other == place);
        let number = known.unwrap_or(self.copies.len());
        if known.is_none() {
            self.copies.push((place, copy()?));
        }
        self.transforms.push((transform, number));
        Ok(())
    }

    fn sample(&mut self) -> Result<()> {
        self.transforms.iter_mut().try_for_each(|(transform, _)| transform.sample())?;
        self.copies.iter_mut().try_for_each(|(_, copy)| copy.sample())
    }

    fn rounds(&self) -> usize {
        self.copies.iter().map(|(_, copy)| copy.samples()).max().unwrap_or(0)
    }

    /// The times of every transform and of its yardstick.
    fn results(&self) -> impl Iterator<Item = (Spread, Spread)> {
        self.transforms.iter().map(|(transform, number)| (transform.spread(), self.copies[*number].1.spread()))
    }
}

fn enough(rounds: usize, elapsed: Duration, args: &Bench, contenders: usize) -> bool {
    match args.repeat {
        Some(repeat) => rounds >= repeat as usize,
        None => rounds >= LEAST_ROUNDS && elapsed.as_secs_f64() >= args.seconds * contenders as f64,
    }
}

fn text(line: &Line) -> String {
    let Line { problem, engine, method, threads, median_ms, min_ms, max_ms, copy_ratio } = line;
    let times = [median_ms, min_ms, max_ms].map(|&ms| milliseconds(ms));
    let [median, min, max] = times;
    let threads = match threads {
        None => String::new(),
        Some(1) => ", 1 thread".into(),
        Some(threads) => format!(", {threads} threads"),
    };
    format!("{problem}: {engine} {method}{threads}: {median} ms ({min} to {max}), {copy_ratio:.2} × copy")
}

/// Four significant digits.
fn milliseconds(ms: f64) -> String {
    let before_point = ms.max(1e-6).log10().floor() as i32;
    format!("{ms:.*}", (3 - before_point).max(0) as usize)
}

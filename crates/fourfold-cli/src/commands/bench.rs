//! `fourfold bench`: warm medians, next to a memcpy of the same array.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use fourfold::verify::Data;
use fourfold::{Plan, Problem, Scratch};
use serde::Serialize;

use super::print_json;
use crate::args::Bench;
use crate::array::{bytes, copy, random, with_elements, zeros, zeros_of};
use crate::engine::Contender;
use crate::progress::Progress;
use crate::timing::{Spread, batch, measure};

/// Each is measured so often at least.
const LEAST_ROUNDS: usize = 5;

/// Runs in place one after the other, each on the result of the last: few, so that the numbers stay finite.
const LONGEST_BATCH_IN_PLACE: usize = 8;

#[derive(Serialize)]
struct Line {
    problem: String,
    engine: String,
    method: &'static str,
    threads: usize,
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
        for line in bench(problem, &contenders, args)? {
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

/// Measures all contenders and the memcpy in turn, so that all meet the same weather.
fn bench(problem: &Problem, contenders: &[Contender], args: &Bench) -> Result<Vec<Line>> {
    let mut arrays = Arrays::new(problem)?;
    let mut memcpy = Memcpy::new(arrays.bytes())?;
    let mut runners = contenders.iter().map(|contender| Runner::new(contender, problem)).collect::<Result<Vec<_>>>()?;
    runners.iter_mut().try_for_each(|runner| runner.warm_up(&mut arrays))?;
    memcpy.warm_up();
    let start = Instant::now();
    while !enough(memcpy.times.len(), start.elapsed(), args, contenders.len()) {
        runners.iter_mut().try_for_each(|runner| runner.sample(&mut arrays))?;
        memcpy.sample();
    }
    let memcpy = Spread::of(&memcpy.times);
    let lines = contenders.iter().zip(&runners).map(|(contender, runner)| {
        let Spread { median, min, max } = Spread::of(&runner.times);
        Line {
            problem: problem.to_string(),
            engine: contender.engine.to_string(),
            method: contender.method.name,
            threads: args.contenders.threads,
            median_ms: median,
            min_ms: min,
            max_ms: max,
            copy_ratio: median / memcpy.median,
        }
    });
    Ok(lines.collect())
}

fn enough(rounds: usize, elapsed: Duration, args: &Bench, contenders: usize) -> bool {
    match args.repeat {
        Some(repeat) => rounds >= repeat as usize,
        None => rounds >= LEAST_ROUNDS && elapsed.as_secs_f64() >= args.seconds * contenders as f64,
    }
}

/// Random input, and the output; in place, the output begins as a copy of the input, which is restored untimed.
struct Arrays {
    input: Data,
    output: Data,
    in_place: bool,
}

impl Arrays {
    fn new(problem: &Problem) -> Result<Arrays> {
        let precision = problem.precision();
        let input = random(precision, problem.input_domain(), problem.input().len)?;
        let output = zeros_of(precision, problem.output_domain(), problem.output().len)?;
        let mut arrays = Arrays { input, output, in_place: problem.in_place() };
        arrays.restore();
        Ok(arrays)
    }

    fn restore(&mut self) {
        if self.in_place {
            copy(&self.input, &mut self.output);
        }
    }

    /// The larger of input and output.
    fn bytes(&self) -> usize {
        bytes(&self.input).max(bytes(&self.output))
    }
}

/// One plan being timed.
struct Runner {
    plan: Plan,
    scratch: Scratch,
    runs: usize,
    times: Vec<f64>,
}

impl Runner {
    fn new(contender: &Contender, problem: &Problem) -> Result<Runner> {
        let plan = contender.plan(problem)?;
        Ok(Runner { scratch: plan.scratch(), plan, runs: 1, times: Vec::new() })
    }

    /// Runs once to see that it works, then as often as it takes to know how many runs make a measurement.
    fn warm_up(&mut self, arrays: &mut Arrays) -> Result<()> {
        let most = if arrays.in_place { LONGEST_BATCH_IN_PLACE } else { usize::MAX };
        let mut outcome = self.execute(arrays);
        self.runs = batch(most, || outcome = self.execute(arrays));
        outcome
    }

    /// The run before brings everything into the caches that will hold it.
    fn sample(&mut self, arrays: &mut Arrays) -> Result<()> {
        self.execute(arrays)?;
        arrays.restore();
        let mut outcome = Ok(());
        let time = measure(self.runs, || outcome = self.execute(arrays));
        self.times.push(time);
        outcome
    }

    fn execute(&mut self, Arrays { input, output, in_place }: &mut Arrays) -> Result<()> {
        let (plan, scratch) = (&self.plan, &mut self.scratch);
        match in_place {
            true => with_elements!(output, x => plan.execute_in_place_with(black_box(x), scratch)?),
            false => with_elements!(&*input, x => with_elements!(output, y =>
                plan.execute_with(black_box(x), black_box(y), scratch)?)),
        }
        Ok(())
    }
}

/// The yardstick: one thread's memcpy.
struct Memcpy {
    from: Vec<f64>,
    to: Vec<f64>,
    runs: usize,
    times: Vec<f64>,
}

impl Memcpy {
    fn new(bytes: usize) -> Result<Memcpy> {
        let mut from: Vec<f64> = zeros(bytes.div_ceil(size_of::<f64>()))?;
        from.fill(1.0);
        Ok(Memcpy { to: from.clone(), from, runs: 1, times: Vec::new() })
    }

    fn run(&mut self) {
        black_box(&mut self.to).copy_from_slice(black_box(&self.from));
    }

    fn warm_up(&mut self) {
        self.runs = batch(usize::MAX, || self.run());
    }

    fn sample(&mut self) {
        self.run();
        let time = measure(self.runs, || self.run());
        self.times.push(time);
    }
}

fn text(line: &Line) -> String {
    let Line { problem, engine, method, threads, median_ms, min_ms, max_ms, copy_ratio } = line;
    let times = [median_ms, min_ms, max_ms].map(|&ms| milliseconds(ms));
    let [median, min, max] = times;
    let threads = if *threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    format!("{problem}: {engine} {method}, {threads}: {median} ms ({min} to {max}), {copy_ratio:.2} × copy")
}

/// Four significant digits.
fn milliseconds(ms: f64) -> String {
    let before_point = ms.max(1e-6).log10().floor() as i32;
    format!("{ms:.*}", (3 - before_point).max(0) as usize)
}

//! Times problems with several numbers of threads in turn.
//!
//! `scaling SECONDS THREADS PAUSE PROBLEM…` prints one line for each problem and number of threads:
//! the median and the least time of one execution, in microseconds, out of place, and how many
//! times as fast as the first number of threads that is. THREADS is a list such as `1,4,16`. The
//! caller waits PAUSE microseconds before each execution. With `separate`, each thread executes the
//! problem alone, on its arrays. This tells what the cores can do without waiting for each other.

use fourfold::timing::Summary;
use fourfold::{Element, Plan, Planner, Precision, Problem};
use std::error::Error;
use std::hint::{black_box, spin_loop};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The time of a turn.
const TURN: Duration = Duration::from_millis(5);

#[derive(Clone, Copy)]
enum Mode {
    Paused(Duration),
    Separate,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, threads, mode, problems @ ..] = &arguments[..] else {
        return Err("usage: scaling SECONDS THREADS PAUSE|separate PROBLEM…".into());
    };
    let seconds = Duration::from_secs_f64(seconds.parse()?);
    let threads = threads.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let mode = if mode == "separate" { Mode::Separate } else { Mode::Paused(Duration::from_micros(mode.parse()?)) };
    for problem in problems {
        let problem: Problem = problem.parse()?;
        let times = match problem.precision() {
            Precision::F32 => measure(&problem, &threads, mode, seconds, |x| x as f32),
            Precision::F64 => measure(&problem, &threads, mode, seconds, |x| x),
        }?;
        let first = Summary::of(&times[0]).ok_or("nothing measured")?;
        for (threads, times) in threads.iter().zip(&times) {
            let Summary { median, min, .. } = Summary::of(times).ok_or("nothing measured")?;
            println!("{problem}\t{threads}\t{median:.1}\t{min:.1}\t{:.2}", first.median / median);
        }
    }
    Ok(())
}

/// The times of single executions in microseconds, or of turns divided by their executions, for
/// each number of threads.
fn measure<T: Element + Default>(
    problem: &Problem,
    threads: &[usize],
    mode: Mode,
    seconds: Duration,
    real: fn(f64) -> T,
) -> Outcome<Vec<Vec<f64>>> {
    let planner = |threads| Planner::builder().threads(threads).build();
    let plans = threads
        .iter()
        .map(|&threads| planner(if matches!(mode, Mode::Separate) { 1 } else { threads })?.plan(problem))
        .collect::<fourfold::Result<Vec<_>>>()?;
    let mut times = vec![vec![]; threads.len()];
    let (input, mut output) = (array(problem.input().len, real), array(problem.output().len, real));
    let start = Instant::now();
    while times[0].len() < 3 || start.elapsed() < seconds {
        for ((plan, &threads), times) in plans.iter().zip(threads).zip(&mut times) {
            match mode {
                Mode::Paused(pause) => times.push(turn(plan, pause, &input, &mut output)?),
                Mode::Separate => times.push(separate(plan, threads, real)),
            }
        }
    }
    Ok(times)
}

fn array<T: Element + Default>(count: usize, real: fn(f64) -> T) -> Vec<T> {
    (0..count).map(|i| real((i * 7919 % 1009) as f64 / 1009.0 - 0.5)).collect()
}

/// The mean time of the executions of a turn, after one that is not timed. Pauses do not count.
fn turn<T: Element + Default>(plan: &Plan, pause: Duration, input: &[T], output: &mut [T]) -> Outcome<f64> {
    let mut scratch = plan.scratch();
    let mut execute = || plan.execute_with(black_box(input), black_box(&mut *output), &mut scratch);
    execute()?;
    let start = Instant::now();
    execute()?;
    let once = start.elapsed();
    let runs = (TURN.as_secs_f64() / once.as_secs_f64()).min(1e4) as usize;
    if runs < 2 {
        return Ok(1e6 * once.as_secs_f64());
    }
    let mut total = Duration::ZERO;
    let start = Instant::now();
    for _ in 0..runs {
        if pause > Duration::ZERO {
            let begin = Instant::now();
            while begin.elapsed() < pause {
                spin_loop();
            }
            let begin = Instant::now();
            execute()?;
            total += begin.elapsed();
        } else {
            execute()?;
        }
    }
    let total = if pause > Duration::ZERO { total } else { start.elapsed() };
    Ok(1e6 * total.as_secs_f64() / runs as f64)
}

/// The time of one execution on each of `threads` threads at the same time, divided by their
/// number.
fn separate<T: Element + Default>(plan: &Plan, threads: usize, real: fn(f64) -> T) -> f64 {
    let barrier = Barrier::new(threads);
    let work = || {
        let mut scratch = plan.scratch();
        let (input, mut output) = (array(plan.problem().input().len, real), array(plan.problem().output().len, real));
        let mut execute =
            || plan.execute_with(black_box(&input), black_box(&mut output), &mut scratch).expect("arrays fit");
        execute();
        let first = Instant::now();
        execute();
        let runs = (4.0 * TURN.as_secs_f64() / first.elapsed().as_secs_f64()).clamp(1.0, 1e4) as usize;
        barrier.wait();
        let start = Instant::now();
        (0..runs).for_each(|_| execute());
        1e6 * start.elapsed().as_secs_f64() / runs as f64
    };
    let times: Vec<f64> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().map(|handle| handle.join().expect("no thread panics")).collect()
    });
    times.iter().sum::<f64>() / (threads * threads) as f64
}

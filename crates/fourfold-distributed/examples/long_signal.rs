//! Times the recipe of one long signal on threads beside one process.
//!
//! `cargo run --release -p fourfold-distributed --example long_signal -- "dct2 f64 4194304" 2`

use fourfold::{Domain, Element, Error, ErrorKind, Precision, Problem, Result};
use fourfold_distributed::{Exchange, Grid, Only, Plan, Planner, Recipe, ThreadRank};
use num_complex::Complex;
use std::sync::Mutex;
use std::time::Instant;

const ROUNDS: usize = 15;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let problem: Problem = words.next().unwrap_or_else(|| "dct2 f64 4194304".to_owned()).parse()?;
    let ranks = words
        .next()
        .map_or(Ok(2), |word| word.parse().map_err(|_| wrong(format!("{word:?} is no number of ranks"))))?;
    match problem.precision() {
        Precision::F32 => time_in(&problem, ranks, 1.0f32, 0.0f32),
        Precision::F64 => time_in(&problem, ranks, 1.0f64, 0.0f64),
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

/// Times it with reals of this type.
fn time_in<T: Element + Sync>(problem: &Problem, ranks: usize, one: T, zero: T) -> Result<()>
where
    Complex<T>: Element + Sync,
{
    let [unit, origin] = [one, zero].map(|re| Complex { re, im: zero });
    match (problem.input_domain(), problem.output_domain()) {
        (Domain::Real, Domain::Real) => time(problem, ranks, one, zero),
        (Domain::Real, Domain::Complex) => time(problem, ranks, one, origin),
        (Domain::Complex, Domain::Real) => time(problem, ranks, unit, zero),
        (Domain::Complex, Domain::Complex) => time(problem, ranks, unit, origin),
    }
}

fn time<I: Element + Sync, O: Element>(problem: &Problem, ranks: usize, one: I, zero: O) -> Result<()> {
    let recipe = Recipe::signal(problem, &Grid::new([ranks])?, true)?;
    let none = || {
        wrong(format!(
            "`{problem}` is no matrix with rows and columns for each of {ranks} ranks: choose a length with more factors"
        ))
    };
    let recipe = recipe.ok_or_else(none)?;
    println!("{recipe}");
    let plan = fourfold::Planner::new().plan(problem)?;
    let (x, mut y) = (vec![one; problem.input().len], vec![zero; problem.output().len]);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        plan.execute(&x, &mut y)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("one rank: {:.2} ms", best * 1e3);
    let slowest = Mutex::new([f64::INFINITY; 3]);
    std::thread::scope(|scope| {
        for rank in ThreadRank::all(ranks) {
            let planned = recipe.clone();
            let slowest = &slowest;
            scope.spawn(move || {
                let mut plan = Planner::new(fourfold::Planner::new(), rank.clone()).plan(Ok(planned)).unwrap();
                let (x, mut y) = (vec![one; plan.input_len()], vec![zero; plan.output_len()]);
                for _ in 0..ROUNDS {
                    let round = [None, Some(Only::Exchanges), Some(Only::Passes)]
                        .map(|only| seconds(&mut plan, &rank, only, &x, &mut y));
                    let mut slowest = slowest.lock().unwrap();
                    slowest.iter_mut().zip(round).for_each(|(least, most)| *least = least.min(most));
                }
            });
        }
    });
    let [whole, exchanges, passes] = slowest.lock().unwrap().map(|seconds| seconds * 1e3);
    println!("{ranks} ranks: {whole:.2} ms, exchanges {exchanges:.2} ms, passes {passes:.2} ms");
    Ok(())
}

/// The seconds of the slowest rank.
fn seconds<I: Element, O: Element>(
    plan: &mut Plan<ThreadRank>,
    rank: &ThreadRank,
    only: Option<Only>,
    x: &[I],
    y: &mut [O],
) -> f64 {
    rank.all_gather(0).unwrap();
    let start = Instant::now();
    match only {
        None => plan.execute(x, y).unwrap(),
        Some(only) => plan.execute_only(only, x, y).unwrap(),
    }
    let all = rank.all_gather(start.elapsed().as_nanos() as u64).unwrap();
    all.into_iter().max().unwrap() as f64 * 1e-9
}

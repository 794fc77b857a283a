//! Times a problem alternately with another program, which requests each measurement. So a
//! comparison measures all programs under the same load of the machine.
//!
//! `turns "dct2 f64 1024x1024"` reads a number of executions from each line of its standard input.
//! It answers with two times in milliseconds: that of one transform by one thread, out of place,
//! and that of one memcpy of the input. One execution before each is not timed.

use fourfold::timing::{WallClock, Work, from_fn};
use fourfold::{Element, Planner, Precision, Problem};
use std::error::Error;
use std::hint::black_box;
use std::io::stdin;

fn main() -> Result<(), Box<dyn Error>> {
    let problem: Problem = std::env::args().nth(1).ok_or("usage: turns PROBLEM")?.parse()?;
    match problem.precision() {
        Precision::F32 => serve(&problem, |x| x as f32),
        Precision::F64 => serve(&problem, |x| x),
    }
}

fn serve<T: Element + Default>(problem: &Problem, real: fn(f64) -> T) -> Result<(), Box<dyn Error>> {
    let plan = Planner::new().plan(problem)?;
    let mut scratch = plan.scratch();
    let input: Vec<T> = (0..problem.input().len).map(|i| real((i as f64 * i as f64).sin())).collect();
    let mut output = vec![T::default(); problem.output().len];
    plan.execute_with(&input, &mut output, &mut scratch)?;
    for line in stdin().lines() {
        let runs = line?.trim().parse()?;
        let transform = || plan.execute_with(black_box(&input), black_box(&mut output), &mut scratch);
        let transform = milliseconds(runs, from_fn(transform))?;
        let copy = || {
            black_box(&mut output).copy_from_slice(black_box(&input));
            Ok::<_, fourfold::Error>(())
        };
        println!("{transform} {}", milliseconds(runs, from_fn(copy))?);
    }
    Ok(())
}

/// The milliseconds of one execution, after one that is not timed.
fn milliseconds<W: Work>(runs: usize, mut work: W) -> Result<f64, W::Error> {
    work.run()?;
    Ok(1e3 * work.time(runs, &WallClock::new())?.as_secs_f64() / runs as f64)
}

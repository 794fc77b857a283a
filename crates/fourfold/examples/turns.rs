//! Times a problem alternately with another program, which requests each measurement. So a
//! comparison measures all programs under the same load of the machine.
//!
//! `turns "dct2 f64 1024x1024"` reads a number of executions from each line of its standard input.
//! It answers with two times in milliseconds: that of one transform by one thread, out of place,
//! and that of one memcpy of the input. One execution before each is not timed.

use fourfold::{Element, Planner, Precision, Problem};
use std::error::Error;
use std::hint::black_box;
use std::io::stdin;
use std::time::Instant;

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
        let transform = timed(runs, || {
            plan.execute_with(black_box(&input), black_box(&mut output), &mut scratch).expect("it went well before");
        });
        let copy = timed(runs, || black_box(&mut output).copy_from_slice(black_box(&input)));
        println!("{transform} {copy}");
    }
    Ok(())
}

/// The milliseconds of one execution, after one that is not timed.
fn timed(runs: u32, mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    (0..runs).for_each(|_| work());
    1e3 * start.elapsed().as_secs_f64() / f64::from(runs)
}

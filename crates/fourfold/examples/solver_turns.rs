//! Times a solver or a convolution alternately with another program, which requests each
//! measurement, as the example `turns` does for transforms.
//!
//! `solver_turns "neumann 1024x1024"` reads a number of executions from each line of its standard
//! input. It answers with two times in milliseconds, of one thread in `f64`:
//!
//! - `neumann SHAPE`: a solve, and two plans with a separate multiply between them.
//! - `convolve SHAPE KERNEL`: the convolution of the mode `same`, and a copy of the input.
//! - `multiplied SHAPE`: a DCT-II along the last axis with its output multiplied by one list, and the
//!   DCT-II bare.

use fourfold::convolve::Convolution;
use fourfold::poisson::{Axis, Boundary::Neumann, Equation, Solver};
use fourfold::timing::{WallClock, Work, from_fn};
use fourfold::{Multiplier, Pipeline, Plan, Planner, Problem};
use std::error::Error;
use std::hint::black_box;
use std::io::stdin;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let task = std::env::args().nth(1).ok_or("usage: solver_turns \"neumann 1024x1024\"")?;
    let words: Vec<_> = task.split_whitespace().collect();
    let shape = |text: &str| text.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>();
    match words[..] {
        ["neumann", points] => neumann(&shape(points)?),
        ["convolve", signal, kernel] => convolve(&shape(signal)?, &shape(kernel)?),
        ["multiplied", signals] => multiplied(&shape(signals)?),
        _ => Err(format!("`{task}`: expected neumann SHAPE, convolve SHAPE KERNEL or multiplied SHAPE").into()),
    }
}

fn waves(count: usize) -> Vec<f64> {
    (0..count).map(|i| (i as f64 * i as f64).sin()).collect()
}

fn neumann(shape: &[usize]) -> Outcome {
    let planner = Planner::new();
    let axes: Vec<_> = shape.iter().map(|&points| Axis::cells(points, 1.0, Neumann)).collect();
    let equation = Equation::new(axes)?.tolerance(1.0);
    let solver = Solver::<f64>::new(&equation, &planner)?;
    let pipeline = equation.pipeline(fourfold::Precision::F64)?;
    let Some(Multiplier::ReciprocalSum(lists)) = pipeline.multiplier() else { unreachable!("lists of eigenvalues") };
    let sums = lists.iter().fold(vec![0.0], |sums, list| {
        sums.iter().flat_map(|sum| list.iter().map(move |lambda| sum + lambda)).collect()
    });
    let factors: Vec<f64> = sums.iter().map(|sum| if *sum == 0.0 { 0.0 } else { 1.0 / sum }).collect();
    let [forward, inverse] = [0, 1].map(|i| pipeline.problems().nth(i).expect("two transforms").clone());
    let (forward, inverse) = (planner.plan(&forward)?, planner.plan(&inverse)?);
    let f = waves(factors.len());
    let (mut u, mut v) = (vec![0.0; f.len()], vec![0.0; f.len()]);
    let (mut scratch, mut other) = (solver.plan().scratch(), larger(&forward, &inverse).scratch());
    serve(
        || solver.solve_with(black_box(&f), black_box(&mut u), &mut scratch),
        || {
            forward.execute_with(black_box(&f), black_box(&mut v), &mut other)?;
            v.iter_mut().zip(&factors).for_each(|(v, factor)| *v *= factor);
            inverse.execute_in_place_with(&mut v, &mut other)
        },
    )
}

fn larger<'a>(a: &'a Plan, b: &'a Plan) -> &'a Plan {
    if a.scratch_bytes() > b.scratch_bytes() { a } else { b }
}

fn convolve(shape: &[usize], kernel: &[usize]) -> Outcome {
    let h = waves(kernel.iter().product());
    let convolution = Convolution::builder(shape, kernel, &h).build(&Planner::new())?;
    let x = waves(shape.iter().product());
    let (mut y, mut copy) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    serve(
        || convolution.apply(black_box(&x), black_box(&mut y)),
        || {
            black_box(&mut copy).copy_from_slice(black_box(&x));
            Ok(())
        },
    )
}

fn multiplied(shape: &[usize]) -> Outcome {
    let (planner, last) = (Planner::new(), shape.len() - 1);
    let problem = Problem::builder(fourfold::Kind::Dct2, fourfold::Precision::F64, shape).axes([-1]).build()?;
    let lists = shape.iter().enumerate().map(|(a, &n)| if a == last { waves(n) } else { vec![1.0; n] });
    let multiplied = planner.plan(Pipeline::from(&problem).multiply(Multiplier::Separable(lists.collect())))?;
    let bare = planner.plan(&problem)?;
    let x = waves(shape.iter().product());
    let (mut y, mut z) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let (mut scratch, mut other) = (multiplied.scratch(), bare.scratch());
    serve(
        || multiplied.execute_with(black_box(&x), black_box(&mut y), &mut scratch),
        || bare.execute_with(black_box(&x), black_box(&mut z), &mut other),
    )
}

/// Answers each request with the times of both.
fn serve(mut first: impl FnMut() -> fourfold::Result<()>, mut second: impl FnMut() -> fourfold::Result<()>) -> Outcome {
    for line in stdin().lines() {
        let runs = line?.trim().parse()?;
        let times = [milliseconds(runs, from_fn(&mut first))?, milliseconds(runs, from_fn(&mut second))?];
        println!("{} {}", times[0], times[1]);
    }
    Ok(())
}

/// The milliseconds of one execution, after one that is not timed.
fn milliseconds<W: Work>(runs: usize, mut work: W) -> Result<f64, W::Error> {
    work.run()?;
    Ok(1e3 * work.time(runs, &WallClock::new())?.as_secs_f64() / runs as f64)
}

//! Times ranks beside their exchanges alone, their passes alone, and one GPU.

use crate::with_elements;
use crate::world::World;
use fourfold::oracle::verify::Data;
use fourfold::{Problem, Result};
use fourfold_distributed::{Distribution, Exchange, Grid, Only, Recipe};
use fourfold_gpu::{Device, GpuMemory, GpuPlanner};
use std::time::Instant;

/// Single arrays, and batches.
const PROBLEMS: [&str; 9] = [
    "dct2 f64 16384x16384",
    "dct2 f64 8192x8192",
    "dct2 f32 16384x16384",
    "dct2 f64 1024x1024x1024",
    "dct2 f32 1024x1024x1024",
    "rfft f64 1024x1024x1024",
    "dct2 f64 64x2048x2048 axes=1,2",
    "dct2 f32 64x2048x2048 axes=1,2",
    "dct2 f64 4096x16384 axes=1",
];

const ROUNDS: usize = 12;

/// The parts of first exchanges.
const PARTS: [usize; 4] = [1, 2, 4, 8];

/// Prints a line of JSON for each problem.
pub(crate) fn bench<E>(
    world: &mut World<E>,
    one: &GpuPlanner,
    grid: &str,
    in_row: usize,
    problems: &[String],
) -> Result<bool>
where
    E: Exchange<Memory = GpuMemory> + Clone + Send,
{
    let problems: Vec<&str> =
        if problems.is_empty() { PROBLEMS.to_vec() } else { problems.iter().map(String::as_str).collect() };
    for text in problems {
        match line(world, one, grid, in_row, text) {
            Ok(line) => println!("{line}"),
            Err(error) => println!("{{\"problem\": {text:?}, \"error\": {:?}}}", error.to_string()),
        }
    }
    Ok(true)
}

fn line<E>(world: &mut World<E>, one: &GpuPlanner, grid: &str, in_row: usize, text: &str) -> Result<String>
where
    E: Exchange<Memory = GpuMemory> + Clone + Send,
{
    let (problem, grid): (Problem, Grid) = (text.parse()?, grid.parse()?);
    let input = Distribution::blocks(problem.input().shape.len(), &grid);
    let recipe = Recipe::new(&problem, &grid, &input, None)?;
    // Without exchanges, there are no parts of them.
    let tried = if recipe.exchanges() == 0 { &PARTS[..1] } else { &PARTS };
    let mut times = vec![];
    for parts in tried {
        world.parts = Some(*parts);
        times.push(seconds(world, &recipe, in_row)?);
    }
    world.parts = None;
    let estimated = if tried.len() == 1 { times[0][0] } else { seconds(world, &recipe, in_row)?[0] };
    let tuned = if tried.len() == 1 { 1 } else { world.on_ranks(|mut planner, _| planner.tune(&recipe))?[0] };
    // The limit is that of whole messages.
    let [whole, exchanges, passes] = times[0];
    let all = times.iter().map(|times| times[0]).fold(estimated, f64::min);
    let by_parts: Vec<_> =
        tried.iter().zip(&times).map(|(parts, times)| format!("\"{parts}\": {:.6}", times[0])).collect();
    let by_parts = by_parts.join(", ");
    let single = single(one, &problem, in_row)?;
    let (limit, ranks) = (exchanges + passes, grid.ranks() as f64);
    let bytes = recipe_bytes(&recipe);
    Ok(format!(
        "{{\"problem\": {text:?}, \"grid\": \"{grid}\", \"in_row\": {in_row}, \"exchanges\": {}, \"bytes_sent\": {bytes}, \
         \"seconds\": {all:.6}, \"whole_seconds\": {whole:.6}, \"estimated_seconds\": {estimated:.6}, \
         \"by_parts\": {{{by_parts}}}, \
         \"tuned_parts\": {tuned}, \"exchange_seconds\": {exchanges:.6}, \"pass_seconds\": {passes:.6}, \
         \"limit_seconds\": {limit:.6}, \"share\": {:.3}, \"one_gpu_seconds\": {single:.6}, \"of_linear\": {:.3}, \
         \"exchange_gb_per_s\": {:.1}}}",
        recipe.exchanges(),
        limit / all,
        single / (ranks * all),
        bytes as f64 / exchanges.max(1e-9) / 1e9
    ))
}

/// The bytes that rank 0 sends.
fn recipe_bytes(recipe: &Recipe) -> usize {
    let sent = |step: &fourfold_distributed::engine::PackedStep| match &step.action {
        fourfold_distributed::engine::PackedAction::Exchange(moves) => {
            moves.iter().map(|moves| moves.bytes_sent()).sum()
        }
        _ => 0,
    };
    fourfold_distributed::engine::packed_steps(recipe, 0, 1).iter().map(sent).sum()
}

/// The least time of the rounds, of the slowest rank in each: the whole, only exchanges, only passes. A
/// round enqueues `in_row` executions, and waits once.
fn seconds<E>(world: &World<E>, recipe: &Recipe, in_row: usize) -> Result<[f64; 3]>
where
    E: Exchange<Memory = GpuMemory> + Clone + Send,
{
    let times = world.on_ranks(|planner, device| {
        let mut plan = planner.plan(Ok(recipe.clone()))?;
        let (precision, domains) = (recipe.problem().precision(), [recipe.input().domain, recipe.output().domain]);
        let (x, y) = (random(precision, domains[0], plan.input_len()), Data::filled(precision, domains[1], 1, 0.0));
        with_elements!(&x, &y, x, y => {
            let mut out = like(&device, y, plan.output_len())?;
            let x = device.upload(x)?;
            let mut rounds = vec![];
            for _ in 0..ROUNDS {
                let mut round = [0.0; 3];
                for (i, only) in [None, Some(Only::Exchanges), Some(Only::Passes)].into_iter().enumerate() {
                    device.finish()?;
                    planner.exchange().all_gather(1)?;
                    let start = Instant::now();
                    for _ in 0..in_row {
                        match only {
                            None => plan.execute(&x, &mut out)?,
                            Some(only) => plan.execute_only(only, &x, &mut out)?,
                        }
                    }
                    device.finish()?;
                    round[i] = start.elapsed().as_secs_f64() / in_row as f64;
                }
                rounds.push(round);
            }
            Ok(rounds)
        })
    })?;
    let slowest = |round: usize, what: usize| times.iter().map(|rank| rank[round][what]).fold(0.0, f64::max);
    // The first rounds are slower.
    Ok([0, 1, 2].map(|what| (2..ROUNDS).map(|round| slowest(round, what)).fold(f64::INFINITY, f64::min)))
}

/// An array of so many elements of the same type.
fn like<T: fourfold::Element>(device: &Device, _: &[T], len: usize) -> Result<fourfold_gpu::GpuArray<T>> {
    device.array(len)
}

fn random(precision: fourfold::Precision, domain: fourfold::Domain, len: usize) -> Data {
    let mut data = Data::filled(precision, domain, len, 0.25);
    let mut random = fastrand::Rng::with_seed(1);
    let mut next = || random.f64() - 0.5;
    match &mut data {
        Data::F32(x) => x.iter_mut().for_each(|x| *x = next() as f32),
        Data::F64(x) => x.iter_mut().for_each(|x| *x = next()),
        // Values do not change the time of these, beyond the first numbers.
        Data::ComplexF32(_) | Data::ComplexF64(_) => (0..len.min(1 << 20)).for_each(|i| data.set(i, next().into())),
    }
    data
}

/// The least time of the problem on one GPU, as a plan of that GPU alone.
fn single(planner: &GpuPlanner, problem: &Problem, in_row: usize) -> Result<f64> {
    let plan = planner.plan(problem)?;
    let precision = problem.precision();
    let x = random(precision, problem.input_domain(), problem.input().len);
    let y = Data::filled(precision, problem.output_domain(), 1, 0.0);
    let device = planner.device();
    with_elements!(&x, &y, x, y => {
        let mut out = like(device, y, problem.output().len)?;
        let (x, mut scratch) = (device.upload(x)?, plan.scratch(device)?);
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            device.finish()?;
            let start = Instant::now();
            for _ in 0..in_row {
                plan.execute_on_with(&x, &mut out, &mut scratch)?;
            }
            device.finish()?;
            best = best.min(start.elapsed().as_secs_f64() / in_row as f64);
        }
        Ok(best)
    })
}

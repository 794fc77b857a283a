//! Counts what executions of plans send and allocate: the bytes that arrive are those that all plans send, and
//! nothing is allocated. The MPI library's own memory is not counted. The suite `mpi` runs it under `mpirun` with
//! 3 ranks.

use fourfold::{Element, Result};
use fourfold_distributed::{Exchange, Planner, Recipe};
use fourfold_mpi::MpiRank;
use mpi::environment::{Threading, initialize_with_threading};
use num_complex::Complex;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> Result<()> {
    let (universe, _) = initialize_with_threading(Threading::Funneled).expect("MPI is not running yet");
    let rank = MpiRank::new(&universe.world())?;
    let recipe = |problem: &str, from: &str, to: Option<&str>| {
        let grid = rank.ranks().to_string().parse()?;
        let to = to.map(str::parse).transpose()?;
        Recipe::new(&problem.parse()?, &grid, &from.parse()?, to.as_ref())
    };
    let signal = |problem: &str| {
        let grid = rank.ranks().to_string().parse()?;
        Ok(Recipe::signal(&problem.parse()?, &grid, true)?.expect("the signal is a matrix"))
    };
    count::<f64, f64>(&rank, recipe("dct2 f64 13x10", "p,*", None), 1)?;
    count::<f64, f64>(&rank, recipe("dct2 f64 163x90", "p,*", Some("p,*")), 3)?;
    count::<f32, Complex<f32>>(&rank, recipe("rfft f32 5x6x9", "p,*,*", None), 1)?;
    // Columns of one element, which are packed.
    count::<f64, f64>(&rank, recipe("dct4 f64 20x3", "*,p", None), 1)?;
    count::<f64, f64>(&rank, signal("dct2 f64 630"), 1)?;
    count::<Complex<f64>, Complex<f64>>(&rank, signal("fft f64 630"), 1)?;
    if rank.rank() == 0 {
        println!("all bytes that were sent have arrived, and nothing was allocated");
    }
    Ok(())
}

/// Executes a plan with exchanges in so many parts three times.
fn count<I: Element, O: Element>(rank: &MpiRank, recipe: Result<Recipe>, parts: usize) -> Result<()> {
    let mut plan = Planner::new(fourfold::Planner::new(), rank.clone()).with_parts(parts).plan(recipe)?;
    assert_eq!(plan.parts(), parts, "{}", plan.recipe());
    let (x, mut y) = (vec![I::default(); plan.input_len()], vec![O::default(); plan.output_len()]);
    plan.execute(&x, &mut y)?;
    let region = Region::new(ALLOCATOR);
    let before = region.change();
    plan.execute(&x, &mut y)?;
    plan.execute(&x, &mut y)?;
    let change = region.change() - before;
    assert_eq!(change.allocations + change.reallocations, 0, "{}", plan.recipe());
    let sum = |mine: usize| Ok::<u64, fourfold::Error>(rank.all_gather(mine as u64)?.into_iter().sum());
    let [sent, received] = [sum(plan.bytes_sent().iter().sum())?, sum(plan.bytes_received())?];
    assert!(sent > 0 && received == 3 * sent, "{}: {received} bytes of {sent} have arrived", plan.recipe());
    Ok(())
}

//! Tests that execution does not allocate. Allocations are counted for the whole process, so this file
//! has only one test.

use fourfold::{Element, Result};
use fourfold_distributed::{Planner, Recipe, ThreadRank};
use num_complex::Complex;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::Barrier;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn recipe(problem: &str, grid: &str, input: &str) -> Result<Recipe> {
    let input = input.parse()?;
    Recipe::new(&problem.parse()?, &grid.parse()?, &input, Some(&input))
}

/// Half spectra of a signal in the order in which they come out.
fn signal(problem: &str, grid: &str, natural: bool) -> Result<Recipe> {
    Ok(Recipe::signal(&problem.parse()?, &grid.parse()?, natural)?.expect("the signal is a matrix"))
}

#[test]
fn executing_allocates_nothing() {
    for (problem, grid, input) in
        [("dct2 f64 13x10", "3", "p,*"), ("dct2,dst3,dct4 f64 7x9x10", "2x2", "p,q,*"), ("dht f64 64", "2", "p")]
    {
        count::<f64, f64>(&recipe(problem, grid, input).unwrap(), 1);
    }
    count::<f64, f64>(&recipe("dct2 f64 163x90", "2", "p,*").unwrap(), 3);
    count::<f64, f64>(&recipe("dct2 f64 23x34x25", "2x2", "p,q,*").unwrap(), 2);
    count::<f64, f64>(&signal("dst2 f64 60", "3", false).unwrap(), 1);
    count::<f64, f64>(&signal("dct3 f64 60", "2", false).unwrap(), 1);
    count::<f64, f64>(&signal("dct4 f64 60", "3", false).unwrap(), 1);
    count::<f32, f32>(&signal("dst4 f32 60", "2", false).unwrap(), 1);
    count::<f64, f64>(&signal("idxst f64 63", "3", false).unwrap(), 1);
    count::<f64, f64>(&signal("dct1 f64 61 ortho", "3", true).unwrap(), 1);
    count::<f32, f32>(&signal("dst1 f32 59", "4", true).unwrap(), 1);
    count::<f64, f64>(&signal("dct4 f64 63", "3", true).unwrap(), 1);
    count::<f64, Complex<f64>>(&signal("rfft f64 60", "3", true).unwrap(), 1);
    count::<Complex<f64>, f64>(&signal("irfft f64 60", "4", true).unwrap(), 1);
    count::<f64, Complex<f64>>(&signal("rfft f64 60", "3", false).unwrap(), 1);
    count::<Complex<f64>, f64>(&signal("irfft f64 60", "4", false).unwrap(), 1);
}

/// Counts the allocations of two executions on threads, with exchanges in so many parts.
fn count<I: Element, O: Element>(recipe: &Recipe, parts: usize) {
    let ranks = ThreadRank::all(recipe.grid().ranks());
    let barrier = Barrier::new(ranks.len());
    let barrier = &barrier;
    std::thread::scope(|scope| {
        for rank in ranks {
            scope.spawn(move || {
                let planner = Planner::new(fourfold::Planner::new(), rank).with_parts(parts);
                let mut plan = planner.plan(Ok(recipe.clone())).unwrap();
                assert_eq!(plan.parts(), parts);
                let (x, mut y) = (vec![I::default(); plan.input_len()], vec![O::default(); plan.output_len()]);
                barrier.wait();
                let region = Region::new(ALLOCATOR);
                let before = region.change();
                plan.execute(&x, &mut y).unwrap();
                plan.execute(&x, &mut y).unwrap();
                let change = region.change() - before;
                // The others may not go on, and allocate, before this one has counted.
                barrier.wait();
                assert_eq!(change.allocations + change.reallocations, 0, "{recipe}");
            });
        }
    });
}

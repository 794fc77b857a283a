//! Tests that execution does not allocate. Allocations are counted for the whole process, so this file
//! has only one test.

use fourfold::Result;
use fourfold_distributed::{Planner, Recipe, ThreadRank};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::Barrier;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn recipe(problem: &str, grid: &str, input: &str) -> Result<Recipe> {
    let input = input.parse()?;
    Recipe::new(&problem.parse()?, &grid.parse()?, &input, Some(&input))
}

#[test]
fn executing_allocates_nothing() {
    for (problem, grid, input) in
        [("dct2 f64 13x10", "3", "p,*"), ("dct2,dst3,dct4 f64 7x9x10", "2x2", "p,q,*"), ("dht f64 64", "2", "p")]
    {
        let ranks = ThreadRank::all(grid.parse::<fourfold_distributed::Grid>().unwrap().ranks());
        let barrier = Barrier::new(ranks.len());
        let barrier = &barrier;
        std::thread::scope(|scope| {
            for rank in ranks {
                scope.spawn(move || {
                    let mut plan =
                        Planner::new(fourfold::Planner::new(), rank).plan(recipe(problem, grid, input)).unwrap();
                    let (x, mut y) = (vec![1.0; plan.input_len()], vec![0.0; plan.output_len()]);
                    barrier.wait();
                    let region = Region::new(ALLOCATOR);
                    let before = region.change();
                    plan.execute(&x, &mut y).unwrap();
                    plan.execute(&x, &mut y).unwrap();
                    let change = region.change() - before;
                    // The others may not go on, and allocate, before this one has counted.
                    barrier.wait();
                    assert_eq!(change.allocations + change.reallocations, 0, "{problem}");
                });
            }
        });
    }
}

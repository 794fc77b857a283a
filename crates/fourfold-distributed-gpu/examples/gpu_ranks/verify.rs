//! Compares ranks with the definition.

use crate::world::{World, recipe};
use fourfold::{Kind, Result};
use fourfold_distributed::{Distribution, Exchange, Recipe};
use fourfold_gpu::GpuMemory;
use std::time::{Duration, Instant};

/// Shapes of one to four axes: even ones for most grids, and uneven ones.
const SHAPES: [&str; 10] =
    ["13", "7x10", "16x24", "5x6x9", "8x8x12", "3x5x4x6", "4x8x4x12", "3x4096", "96x512", "32x8x64"];

/// The grids of so many ranks.
fn grids(ranks: usize) -> Vec<String> {
    let pairs = (2..ranks).filter(|p| ranks % p == 0).map(|p| format!("{p}x{}", ranks / p));
    [ranks.to_string()].into_iter().chain(pairs).chain([format!("1x{ranks}")]).collect()
}

/// The recipes that are verified: every kind and shape on every grid, with the output as it comes out and
/// as the input, in both precisions; mixes of kinds; long signals.
fn recipes(ranks: usize) -> Result<Vec<Recipe>> {
    let mut all = vec![];
    for kind in Kind::ALL {
        for shape in SHAPES {
            for (i, grid) in grids(ranks).into_iter().enumerate() {
                for precision in ["f64", "f32"] {
                    let axes = shape.split('x').count();
                    let ends = Distribution::blocks(axes, &grid.parse()?).to_string();
                    let norm = if kind.inverse().is_some() && i == 0 { " ortho" } else { "" };
                    let problem = format!("{kind} {precision} {shape}{norm}");
                    all.push(recipe(&problem, &grid, &ends, None)?);
                    if precision == "f64" {
                        all.push(recipe(&problem, &grid, &ends, Some(&ends))?);
                    }
                }
            }
        }
    }
    // Sums of reals on both parts of complex arrays.
    for problem in ["dct2,fft f64 16x24", "fft,dst3,dct4 f32 8x8x12", "dct3,rfft f64 7x10", "dht,irfft f64 8x14"] {
        let rows = if problem.ends_with("x12") { "p,*,*" } else { "p,*" };
        all.push(recipe(problem, &ranks.to_string(), rows, None)?);
    }
    let grid = ranks.to_string().parse()?;
    for problem in ["fft f64 2304", "ifft f32 4096 ortho", "fft f64 65536"] {
        for natural in [true, false] {
            all.extend(Recipe::signal(&problem.parse()?, &grid, natural)?);
        }
    }
    Ok(all)
}

/// Verifies until the time is over, in an order in which all sorts come early. Returns whether all agree.
pub(crate) fn verify<E>(world: &World<E>, limit: Duration) -> Result<bool>
where
    E: Exchange<Memory = GpuMemory> + Clone + Send,
{
    let mut all = recipes(world.ranks())?;
    fastrand::Rng::with_seed(27).shuffle(&mut all);
    let start = Instant::now();
    let (mut done, mut wrong, mut without_trips) = (0, 0, 0);
    for recipe in &all {
        if start.elapsed() > limit {
            break;
        }
        let (verdict, copies) = world.compare(recipe)?;
        (done, without_trips) = (done + 1, without_trips + usize::from(copies == 0));
        if !verdict.holds() {
            wrong += 1;
            println!("WRONG {recipe}: {verdict:?}");
        }
    }
    println!(
        "{done} of {} recipes on {} ranks verified in {:.1} s: {wrong} wrong, {without_trips} without trips to pack",
        all.len(),
        world.ranks(),
        start.elapsed().as_secs_f64()
    );
    Ok(wrong == 0)
}

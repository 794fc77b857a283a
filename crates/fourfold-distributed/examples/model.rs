//! Prints the tables of docs/scale.md: what the model predicts for many ranks.
//!
//! A pass reads and writes the part of a rank once. An exchange sends a message to each other rank that
//! gets something, and the bytes that leave the rank. What is sent leaves the memory once, and arrives in
//! it once.

use fourfold::{Precision, Problem, Result};
use fourfold_distributed::{Action, ArrayDesc, Distribution, Grid, Recipe};

/// What is assumed of the machine.
struct Machine {
    name: &'static str,
    /// Bytes a second that a pass of one rank reads and writes.
    memory: f64,
    /// Bytes a second that one rank sends, while all do.
    network: f64,
    /// Seconds of a message.
    latency: f64,
}

/// 64 ranks share a node with 200 GB/s of memory bandwidth and 25 GB/s of network.
const CLUSTER: Machine =
    Machine { name: "cluster, 64 ranks a node", memory: 200e9 / 64.0, network: 25e9 / 64.0, latency: 2e-6 };

/// A rank is a GPU whose passes reach 3 TB/s, in a node where each sends 300 GB/s to the others.
const NODE: Machine = Machine { name: "node of 8 GPUs", memory: 3e12, network: 300e9, latency: 10e-6 };

/// Bytes that rank 0 sends in an exchange, and the ranks that get them.
fn sent(before: &ArrayDesc, after: &ArrayDesc, precision: Precision, grid: &Grid) -> (f64, f64) {
    let element = precision.bytes() * before.domain.reals();
    let mine = before.ranges(grid, 0);
    let (mut elements, mut messages) = (0, 0);
    for rank in 1..grid.ranks() {
        let theirs = after.ranges(grid, rank);
        let common = mine.iter().zip(&theirs).map(|(a, b)| a.end.min(b.end).saturating_sub(a.start.max(b.start)));
        let common: usize = common.product();
        elements += common;
        messages += usize::from(common > 0);
    }
    ((elements * element) as f64, messages as f64)
}

/// Seconds of the passes and of the exchanges of rank 0, which has the largest parts.
fn predict(recipe: &Recipe, machine: &Machine) -> [f64; 2] {
    let (grid, precision) = (recipe.grid(), recipe.problem().precision());
    let bytes = |array: &ArrayDesc| (array.elements(grid, 0) * array.domain.reals() * precision.bytes()) as f64;
    let [mut passes, mut exchanges] = [0.0; 2];
    for (step, ends) in recipe.steps().iter().zip(recipe.arrays().windows(2)) {
        match step.action {
            Action::Exchange { .. } => {
                let (sent, messages) = sent(&ends[0], &ends[1], precision, grid);
                exchanges += messages * machine.latency + sent / machine.network;
            }
            _ => passes += (bytes(&ends[0]) + bytes(&ends[1])) / machine.memory,
        }
    }
    [passes, exchanges]
}

fn table(machine: &Machine, problem: &str, grids: &[&str]) -> Result<()> {
    println!("`{problem}` on a {}:\n", machine.name);
    println!("| ranks | grid | exchanges | passes, ms | exchanges, ms | together, ms | efficiency |");
    println!("|---|---|---|---|---|---|---|");
    let problem: Problem = problem.parse()?;
    let mut one = None;
    for grid in grids {
        let grid: Grid = grid.parse()?;
        let input = Distribution::blocks(problem.input().shape.len(), &grid);
        let recipe = Recipe::new(&problem, &grid, &input, None)?;
        let [passes, exchanges] = predict(&recipe, machine).map(|seconds| seconds * 1e3);
        let (ranks, time) = (grid.ranks() as f64, passes + exchanges);
        let first = *one.get_or_insert(ranks * time);
        let efficiency = first / (ranks * time);
        let number = recipe.exchanges();
        println!("| {ranks} | {grid} | {number} | {passes:.2} | {exchanges:.2} | {time:.2} | {efficiency:.2} |");
    }
    println!();
    Ok(())
}

fn main() -> Result<()> {
    table(&CLUSTER, "dct2 f64 2048x2048x2048", &["8x8", "16x16", "32x32", "64x64"])?;
    table(&CLUSTER, "dct2 f64 2048x2048x2048", &["64", "256", "1024", "2048", "4096"])?;
    table(&NODE, "dct2 f64 1024x1024x1024", &["1", "2", "4", "8"])?;
    table(&NODE, "dct2 f64 32768x32768", &["1", "2", "4", "8"])
}

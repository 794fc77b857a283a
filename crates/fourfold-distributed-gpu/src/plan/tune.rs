//! Finds by measuring in how many parts an exchange is fastest.

use crate::plan::planner::RankPlanner;
use fourfold::{Error, ErrorKind, Result};
use fourfold_distributed::{Exchange, Recipe};
use fourfold_gpu::GpuMemory;
use std::time::Instant;

/// The numbers of parts that are tried.
const TRIED: [usize; 5] = [1, 2, 4, 8, 16];

/// Executions of each, of which the fastest counts.
const ROUNDS: usize = 5;

impl<E: Exchange<Memory = GpuMemory> + Clone> RankPlanner<E> {
    /// Measures in how many parts the first exchange of the recipe is fastest, and plans with that number
    /// from now on. All ranks call it at the same time, and find the same number.
    ///
    /// # Errors
    /// Those of [`RankPlanner::plan`] on all ranks, and if a rank has no memory for its parts of the arrays.
    pub fn tune(&mut self, recipe: &Recipe) -> Result<usize> {
        let before = self.parts;
        let mut best = (f64::INFINITY, 1);
        for parts in TRIED {
            self.parts = Some(parts);
            let seconds = self.seconds(recipe);
            self.parts = before;
            let seconds = seconds?;
            // Some parts are not possible, and others are not worth it.
            if seconds < 0.99 * best.0 {
                best = (seconds, parts);
            }
        }
        self.parts = Some(best.1);
        Ok(best.1)
    }

    /// The least seconds of some executions, of the slowest rank in each.
    fn seconds(&self, recipe: &Recipe) -> Result<f64> {
        let mut plan = self.plan(Ok(recipe.clone()))?;
        let ends = plan.end_bytes().map(|bytes| self.device().memory(bytes));
        let failures = self.exchange().all_gather(u64::from(ends.iter().any(Result::is_err)))?;
        let [input, output] = ends;
        let (input, output) = (input?, output?);
        if let Some(rank) = failures.iter().position(|failed| *failed != 0) {
            let message = format!("rank {rank} has no memory to measure: its error says why");
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            self.exchange().all_gather(1)?;
            let start = Instant::now();
            let ran = plan.execute_memory(&input, &output).and_then(|()| self.device().finish());
            // Nobody is faster than the slowest.
            let mine = if ran.is_ok() { start.elapsed().as_secs_f64() } else { f64::INFINITY };
            let all = self.exchange().all_gather(mine.to_bits())?;
            ran?;
            least = least.min(all.into_iter().map(f64::from_bits).fold(0.0, f64::max));
        }
        Ok(least)
    }
}

//! Finds by measuring in how many parts an exchange is fastest.

use crate::plan::planner::RankPlanner;
use fourfold::Result;
use fourfold_distributed::engine::{fastest_parts, slowest_seconds};
use fourfold_distributed::{Exchange, Recipe};
use fourfold_gpu::GpuMemory;

impl<E: Exchange<Memory = GpuMemory> + Clone> RankPlanner<E> {
    /// Measures in how many parts the first exchange of the recipe is fastest, and plans with that number
    /// from now on. All ranks call it at the same time, and find the same number.
    ///
    /// # Errors
    /// Those of [`RankPlanner::plan`] on all ranks, and if a rank has no memory for its parts of the arrays.
    pub fn tune(&mut self, recipe: &Recipe) -> Result<usize> {
        fastest_parts(self, |planner| &mut planner.parts, |planner, parts| planner.seconds(recipe, parts))
    }

    fn seconds(&self, recipe: &Recipe, parts: usize) -> Result<f64> {
        let mut plan = self.plan(Ok(recipe.clone()))?;
        if plan.parts() != parts {
            // On all ranks, so many parts are not possible.
            return Ok(f64::INFINITY);
        }
        let ends = plan.end_bytes().map(|bytes| self.device().memory(bytes));
        let has_memory = ends.iter().try_for_each(|end| end.as_ref().map(drop).map_err(Clone::clone));
        slowest_seconds(
            |mine| self.exchange().all_gather(mine),
            has_memory,
            || match &ends {
                [Ok(input), Ok(output)] => plan.execute_memory(input, output).and_then(|()| self.device().finish()),
                _ => Ok(()),
            },
        )
    }
}

//! Soaks a device: plans that are made, executed and dropped at random by many threads.

use crate::Outcome;
use crate::common::execute;
use crate::common::soak::{self, Soak, Subject};
use crate::problems::{WHOLE, sweep};
use fourfold::oracle::verify::Data;
use fourfold::{Problem, Result};
use fourfold_gpu::cache::Cache;
use fourfold_gpu::{Device, GpuPlan, GpuPlanner};

/// Elements of the largest problem: many small ones reach more of the code.
const LARGEST: usize = 1 << 14;

/// A device, and where its kernels are kept. A new planner unloads the old one's. PoCL keeps some
/// memory of every kernel that was loaded, though all references to it are given back: with it, take
/// no new planners, and 10 problems, whose kernels all stay loaded.
struct OnDevice<'a> {
    device: &'a Device,
    cache: Cache,
}

impl Subject for OnDevice<'_> {
    type Planner = GpuPlanner;
    type Plan = GpuPlan;

    fn name(&self) -> String {
        self.device.info().id.to_string()
    }

    fn planner(&self) -> Result<GpuPlanner> {
        Ok(GpuPlanner::with_cache(self.device.new_queue()?, Some(self.cache.clone())))
    }

    fn plan(&self, planner: &GpuPlanner, problem: &Problem) -> Result<GpuPlan> {
        planner.plan(problem)
    }

    fn uses_bluestein(&self, plan: &GpuPlan) -> bool {
        plan.uses_bluestein()
    }

    fn execute(&self, plan: &GpuPlan, input: &Data, output: &mut Data) -> Result<()> {
        execute(plan, input, output)
    }

    fn device_memory(&self) -> u64 {
        self.device.free_memory().map_or(0, |free| self.device.info().memory.saturating_sub(free))
    }
}

/// Whether all results were right, and memory flat.
pub(crate) fn soak(device: &Device, soak: Soak) -> Outcome<bool> {
    let folder = tempfile::tempdir()?;
    let subject = OnDevice { device, cache: Cache::open(folder.path()) };
    Ok(soak::soak(&subject, problems(soak.problems), soak)?)
}

/// Small problems of every kind and dimension.
fn problems(count: usize) -> Vec<Problem> {
    let fused = sweep((0, 1)).into_iter().filter(|group| group.algorithm.is_none() && group.device == WHOLE);
    let small = |problem: &Problem| problem.input().len.max(problem.output().len) <= LARGEST;
    let mut problems: Vec<Problem> = fused.flat_map(|group| group.problems).filter(small).collect();
    fastrand::Rng::with_seed(7).shuffle(&mut problems);
    problems.truncate(count);
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::present;

    #[test]
    fn a_short_soak_is_right_and_flat() {
        let Some(device) = present() else { return };
        assert!(
            soak(&device, Soak { threads: 4, problems: 6, executions: 200, seconds: f64::INFINITY, planners: 100 })
                .unwrap()
        );
    }
}

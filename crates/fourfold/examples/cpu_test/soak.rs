//! Soaks the CPU engine: plans of one planner for all threads, and of planners with threads of their
//! own.

use crate::common::random::{holds, problems};
use crate::common::run::execute;
use crate::common::soak::{self, Outcome, Soak, Subject};
use fourfold::oracle::verify::{Data, Verdict};
use fourfold::{Plan, Planner, Problem, Result};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The longest axis, and elements of the largest problem.
const LONGEST: usize = 600;
const LARGEST: usize = 1 << 13;

/// Threads of the planner that all threads share.
const SHARED: usize = 4;

/// The engine with the best instruction set.
struct Cpu {
    shared: Arc<Planner>,
    planners: AtomicUsize,
}

impl Subject for Cpu {
    type Planner = Arc<Planner>;
    type Plan = Plan;

    fn name(&self) -> String {
        "the processor".into()
    }

    /// In turn the shared one, one without further threads, and one with another thread. The shared
    /// one keeps the tables of all problems, but no more.
    fn planner(&self) -> Result<Arc<Planner>> {
        match self.planners.fetch_add(1, Ordering::Relaxed) % 3 {
            0 => Ok(Arc::clone(&self.shared)),
            threads => Ok(Arc::new(Planner::builder().threads(threads).build()?)),
        }
    }

    fn plan(&self, planner: &Arc<Planner>, problem: &Problem) -> Result<Plan> {
        planner.plan(problem)
    }

    fn uses_bluestein(&self, plan: &Plan) -> bool {
        plan.recipe().uses_bluestein()
    }

    fn execute(&self, plan: &Plan, input: &Data, output: &mut Data) -> Result<()> {
        execute(plan, input, output)
    }

    fn holds(&self, problem: &Problem, verdict: &Verdict, input: &Data) -> bool {
        holds(problem, verdict, input)
    }
}

/// Whether all results were right, and memory flat.
pub(crate) fn soak(soak: Soak) -> Outcome<bool> {
    let shared = Planner::builder().threads(SHARED).build().map_err(|error| error.to_string())?;
    let subject = Cpu { shared: Arc::new(shared), planners: AtomicUsize::new(0) };
    soak::soak(&subject, random_problems(soak.problems), soak)
}

/// Problems of any kinds, axes, strides and options.
fn random_problems(count: usize) -> Vec<Problem> {
    let (strategy, mut runner) = (problems(1..LONGEST, LARGEST), TestRunner::deterministic());
    let mut problem = || strategy.new_tree(&mut runner).expect("nothing is rejected").current();
    (0..count).map(|_| problem().build().expect("only valid problems are made")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_soak_is_right_and_flat() {
        assert!(
            soak(Soak { threads: 8, problems: 30, executions: 2000, seconds: f64::INFINITY, planners: 50 }).unwrap()
        );
    }
}

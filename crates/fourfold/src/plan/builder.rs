//! The settings of planners.

use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Isa;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::planner::{Effort, Planner, wisdom_names};
use crate::plan::wisdom::Wisdom;
use crate::recipe::recipe::Recipe;
use std::sync::Arc;

/// The settings of a [`Planner`].
#[derive(Clone, Debug)]
pub struct PlannerBuilder {
    isa: Isa,
    threads: usize,
    effort: Effort,
    wisdom: Wisdom,
}

impl PlannerBuilder {
    /// Sets the instruction set. The default is the best one of the machine.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Sets the number of threads of an execution, including that of the caller. The default is 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets how the planner finds recipes of problems without wisdom. The default is
    /// [`Effort::Estimate`].
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Sets recipes that were measured before. Those of other engines are ignored, and those that
    /// do not compute their problems are skipped: see [`Planner::stale_wisdom`].
    pub fn wisdom(mut self, wisdom: Wisdom) -> Self {
        self.wisdom = wisdom;
        self
    }

    /// Makes the planner, and starts its threads.
    ///
    /// # Errors
    /// If the machine does not have the instruction set, or if the system does not start the
    /// threads.
    pub fn build(mut self) -> Result<Planner> {
        let isa = self.isa.checked()?;
        let check = |problem: &str, passes: &str| format!("{problem}\n{passes}").parse::<Recipe>().map(drop);
        let names = wisdom_names(isa, self.threads);
        let stale = names.iter().flat_map(|name| self.wisdom.remove_stale(name, check)).collect();
        if !(1..=1024).contains(&self.threads) {
            let message = format!("{} threads: expected 1 to 1024", self.threads);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let failed = |e| Error::new(ErrorKind::Unavailable, format!("cannot start {} threads: {e}", self.threads));
        let pool = Arc::new(Pool::new(self.threads).map_err(failed)?);
        let mut planner = Planner::with(isa, self.effort, pool, self.wisdom);
        planner.stale = stale;
        Ok(planner)
    }
}

impl Default for Planner {
    fn default() -> Self {
        Planner::new()
    }
}

impl Planner {
    /// A planner with one thread and the best instruction set of this machine.
    pub fn new() -> Planner {
        Planner::builder().build().expect("the best available instruction set is available, and one thread is there")
    }

    /// The settings of a planner, to be changed.
    pub fn builder() -> PlannerBuilder {
        PlannerBuilder { isa: Isa::best(), threads: 1, effort: Effort::default(), wisdom: Wisdom::new() }
    }
}

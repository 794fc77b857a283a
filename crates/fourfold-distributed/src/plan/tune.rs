//! Finds by measuring in how many parts exchanges are fastest.

use crate::exchange::host::HostExchange;
use crate::plan::memory::WorkArray;
use crate::plan::planner::Planner;
use crate::recipe::recipe::Recipe;
use fourfold::{Error, ErrorKind, Result};
use std::time::Instant;

/// The numbers of parts that are tried.
const TRIED: [usize; 5] = [1, 2, 4, 8, 16];

/// Executions of each, of which the fastest counts.
const ROUNDS: usize = 5;

/// Finds the number of parts that is fastest, and leaves it in the planner. `seconds` measures a number with a
/// planner that has it: the least seconds of the slowest rank in some executions, so that all ranks find the
/// same one.
///
/// # Errors
/// Those of `seconds`. The planner then has the number from before.
pub fn fastest_parts<P>(
    planner: &mut P,
    parts: impl Fn(&mut P) -> &mut Option<usize>,
    seconds: impl Fn(&P, usize) -> Result<f64>,
) -> Result<usize> {
    let before = *parts(planner);
    let mut best = (f64::INFINITY, 1);
    for tried in TRIED {
        *parts(planner) = Some(tried);
        let seconds = seconds(planner, tried);
        *parts(planner) = before;
        let seconds = seconds?;
        // More parts have to be worth it.
        if seconds < 0.99 * best.0 {
            best = (seconds, tried);
        }
    }
    *parts(planner) = Some(best.1);
    Ok(best.1)
}

/// Measures some executions: the least seconds, of the slowest rank in each. All ranks call it at the same
/// time, also one that has no memory for its parts.
///
/// # Errors
/// If a rank has no memory, and those of `execute`.
pub fn slowest_seconds(
    all_gather: impl Fn(u64) -> Result<Vec<u64>>,
    has_memory: Result<()>,
    mut execute: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let failures = all_gather(u64::from(has_memory.is_err()))?;
    has_memory?;
    if let Some(rank) = failures.iter().position(|failed| *failed != 0) {
        let message = format!("rank {rank} has no memory to measure: its error says why");
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        all_gather(1)?;
        let start = Instant::now();
        let ran = execute();
        // Nobody is faster than the slowest.
        let mine = if ran.is_ok() { start.elapsed().as_secs_f64() } else { f64::INFINITY };
        let all = all_gather(mine.to_bits())?;
        ran?;
        least = least.min(all.into_iter().map(f64::from_bits).fold(0.0, f64::max));
    }
    Ok(least)
}

impl<E: HostExchange + Clone> Planner<E> {
    /// Measures in how many parts the exchanges of the recipe are fastest, and plans with that number from now
    /// on. All ranks call it at the same time, and find the same number.
    ///
    /// # Errors
    /// Those of [`Planner::plan`] on all ranks, and if a rank has no memory for its parts of the arrays.
    pub fn tune(&mut self, recipe: &Recipe) -> Result<usize> {
        fastest_parts(self, |planner| &mut planner.parts, |planner, parts| planner.seconds(recipe, parts))
    }

    fn seconds(&self, recipe: &Recipe, parts: usize) -> Result<f64> {
        let mut plan = self.plan(Ok(recipe.clone()))?;
        if plan.parts() != parts {
            // On all ranks, so many parts are not possible.
            return Ok(f64::INFINITY);
        }
        let mut ends = plan.end_bytes().map(WorkArray::new);
        let has_memory = ends.iter().try_for_each(|end| end.as_ref().map(drop).map_err(Clone::clone));
        slowest_seconds(
            |mine| self.exchange().all_gather(mine),
            has_memory,
            || match &mut ends {
                [Ok(input), Ok(output)] => plan.run(Ok(()), input.bytes(), output.bytes(), None),
                _ => Ok(()),
            },
        )
    }
}

//! What all commands need: the grid, recipes, and answers of rank 0.

use crate::any_plan::AnyPlan;
use crate::args::{Division, Parts};
use anyhow::{Result, bail, ensure};
use fourfold::engine::available_memory;
use fourfold::{Domain, Error, ErrorKind, Problem};
use fourfold_distributed::engine::Factors;
use fourfold_distributed::{Distribution, Exchange, Grid, Recipe};
use fourfold_mpi::MpiRank;

/// A rank, and how arrays are divided.
pub(crate) struct Session {
    rank: MpiRank,
    grid: Grid,
    division: Division,
}

impl Session {
    /// A session on the grid of the command line, or on all ranks in one dimension.
    pub(crate) fn new(rank: &MpiRank, division: &Division) -> Result<Session> {
        let grid = division.grid.clone().map_or_else(|| Grid::new([rank.ranks()]), Ok)?;
        grid.check(rank.ranks())?;
        Ok(Session { rank: rank.clone(), grid, division: division.clone() })
    }

    pub(crate) fn rank(&self) -> &MpiRank {
        &self.rank
    }

    /// The recipe of a problem. A single signal is a matrix, where it can be. Real signals on devices cannot. Half
    /// spectra are in natural order, as in files.
    pub(crate) fn recipe(&self, problem: &Problem) -> fourfold::Result<Recipe> {
        let Division { from, to, device, .. } = &self.division;
        let ends = [problem.input_domain(), problem.output_domain()];
        let is_divided = device.is_none() || ends == [Domain::Complex; 2];
        let usual = Distribution::blocks(problem.input().shape.len(), &self.grid);
        let is_usual = |wanted: &Option<Distribution>| wanted.as_ref().is_none_or(|wanted| *wanted == usual);
        if is_usual(from)
            && is_usual(to)
            && is_divided
            && let Some(recipe) = Recipe::signal(problem, &self.grid, to.is_some() || ends[0] != ends[1])?
        {
            return Ok(recipe);
        }
        Recipe::new(problem, &self.grid, from.as_ref().unwrap_or(&usual), to.as_ref())
    }

    /// The plan of a problem, if there is memory for its arrays and for so many other bytes of this rank.
    pub(crate) fn plan(&self, problem: &Problem, others: usize) -> Result<AnyPlan> {
        AnyPlan::new(&self.rank, &self.division, self.affordable(self.recipe(problem), others)?, None)
    }

    /// The plan of a filter: `forward`, a multiply by `factors`, `inverse`.
    pub(crate) fn filter(&self, [forward, inverse]: [&Problem; 2], factors: Factors<'_>) -> Result<AnyPlan> {
        let Division { from, to, parts, .. } = &self.division;
        ensure!(!matches!(parts, Some(Parts::Tuned)), "--parts tune measures transforms only: give a number of parts");
        let usual = Distribution::blocks(forward.input().shape.len(), &self.grid);
        let recipe = Recipe::filter(forward, inverse, &self.grid, from.as_ref().unwrap_or(&usual), to.as_ref());
        AnyPlan::new(&self.rank, &self.division, self.affordable(recipe, 0)?, Some(factors))
    }

    /// The recipe, or an error if the ranks of this node have no memory for their arrays and so many `others`
    /// of this rank. All ranks call it.
    fn affordable(&self, recipe: fourfold::Result<Recipe>, others: usize) -> Result<fourfold::Result<Recipe>> {
        // Others may still have the arrays of a problem before this one.
        self.rank.all_gather(0)?;
        let available = available_memory();
        let arrays =
            |recipe: &Recipe| recipe.array_bytes(self.rank.rank()).into_iter().fold(others, usize::saturating_add);
        let all = self.rank.all_gather(recipe.as_ref().map_or(0, arrays) as u64)?;
        let ranks = self.rank.ranks_of_node()?;
        let needed = ranks.iter().fold(0, |sum: u64, rank| sum.saturating_add(all[*rank]));
        let Some(available) = available.filter(|available| (*available as u64) < needed) else { return Ok(recipe) };
        let arrays = format!("the arrays of {} ranks take {needed} bytes of memory", ranks.len());
        let message = format!("{arrays}; {available} are available: use more nodes");
        Ok(recipe.and_then(|_| Err(Error::new(ErrorKind::Unavailable, message))))
    }

    /// The numbers of all ranks.
    pub(crate) fn all(&self, mine: f64) -> Result<Vec<f64>> {
        Ok(self.rank.all_gather(mine.to_bits())?.into_iter().map(f64::from_bits).collect())
    }

    /// The value, if all ranks have one. A rank whose step has failed returns its error, and the others
    /// say which one it is.
    pub(crate) fn together<T>(&self, result: Result<T>) -> Result<T> {
        let failures = self.rank.all_gather(u64::from(result.is_err()))?;
        let value = result?;
        match failures.iter().position(|failed| *failed != 0) {
            None => Ok(value),
            Some(rank) => bail!("rank {rank} has failed"),
        }
    }

    /// Waits for all ranks, of which each tells whether it is ready.
    pub(crate) fn meet(&self, is_ready: bool) -> fourfold::Result<()> {
        let all = self.rank.all_gather(u64::from(is_ready))?;
        match all.iter().position(|ready| *ready == 0) {
            None => Ok(()),
            Some(rank) => {
                let message = format!("rank {rank} is not ready: its error says why");
                Err(Error::new(ErrorKind::Unavailable, message))
            }
        }
    }

    /// Prints a line on rank 0.
    pub(crate) fn say(&self, line: impl FnOnce() -> fourfold::Result<String>) -> Result<()> {
        let line = line()?;
        if self.rank.rank() == 0 {
            println!("{line}");
        }
        Ok(())
    }
}

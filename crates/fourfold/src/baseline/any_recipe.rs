//! A recipe of either sort.

use crate::baseline::staged_recipe::StagedRecipe;
use crate::error::{Error, Result};
use crate::problem::problem::Problem;
use crate::recipe::recipe::{Pass, Recipe};
use std::fmt;
use std::str::FromStr;

/// How a plan computes: by passes, as fourfold does, or by the stages of a baseline.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyRecipe {
    /// Passes.
    Fused(Recipe),
    /// Stages.
    Staged(StagedRecipe),
}

impl AnyRecipe {
    /// The problem; of a filter, the forward one.
    pub fn problem(&self) -> &Problem {
        match self {
            AnyRecipe::Fused(recipe) => recipe.problem(),
            AnyRecipe::Staged(recipe) => recipe.problem(),
        }
    }

    /// The passes, in order; none of a baseline.
    pub fn passes(&self) -> &[Pass] {
        match self {
            AnyRecipe::Fused(recipe) => recipe.passes(),
            AnyRecipe::Staged(_) => &[],
        }
    }

    /// Whether a DFT uses Bluestein's convolution, which costs about a digit.
    pub fn uses_bluestein(&self) -> bool {
        match self {
            AnyRecipe::Fused(recipe) => recipe.uses_bluestein(),
            AnyRecipe::Staged(recipe) => recipe.uses_bluestein(),
        }
    }

    /// Bytes that the passes or stages read and write, tables not counted.
    pub fn bytes_moved(&self) -> usize {
        match self {
            AnyRecipe::Fused(recipe) => recipe.bytes_moved(),
            AnyRecipe::Staged(recipe) => recipe.bytes_moved(),
        }
    }

    /// The problem that the last pass or stage completes.
    pub(crate) fn end(&self) -> &Problem {
        match self {
            AnyRecipe::Fused(recipe) => recipe.end(),
            AnyRecipe::Staged(recipe) => recipe.problem(),
        }
    }
}

impl From<Recipe> for AnyRecipe {
    fn from(recipe: Recipe) -> AnyRecipe {
        AnyRecipe::Fused(recipe)
    }
}

impl From<StagedRecipe> for AnyRecipe {
    fn from(recipe: StagedRecipe) -> AnyRecipe {
        AnyRecipe::Staged(recipe)
    }
}

impl fmt::Display for AnyRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyRecipe::Fused(recipe) => recipe.fmt(f),
            AnyRecipe::Staged(recipe) => recipe.fmt(f),
        }
    }
}

impl FromStr for AnyRecipe {
    type Err = Error;

    /// Reads what `Display` writes: a staged recipe if the first line has `by`.
    ///
    /// # Errors
    /// As when parsing a [`Recipe`] or a [`StagedRecipe`].
    fn from_str(text: &str) -> Result<Self> {
        let heading = text.trim().lines().next().unwrap_or_default();
        if heading.contains(" by ") { text.parse().map(AnyRecipe::Staged) } else { text.parse().map(AnyRecipe::Fused) }
    }
}

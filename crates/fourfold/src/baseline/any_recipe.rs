//! A recipe of passes or of stages.

use crate::baseline::staged_recipe::StagedRecipe;
use crate::error::{Error, Result};
use crate::problem::problem::Problem;
use crate::recipe::recipe::{Pass, Recipe};
use std::fmt;
use std::str::FromStr;

/// The recipe of a plan, which has either passes or the stages of a baseline.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyRecipe {
    /// A recipe of passes, which is fourfold's own method.
    Fused(Recipe),
    /// A recipe of stages, which is that of a baseline.
    Staged(StagedRecipe),
}

impl AnyRecipe {
    /// The problem. For a filter, it is the first one.
    pub fn problem(&self) -> &Problem {
        match self {
            AnyRecipe::Fused(recipe) => recipe.problem(),
            AnyRecipe::Staged(recipe) => recipe.problem(),
        }
    }

    /// The passes in order. A baseline has none.
    pub fn passes(&self) -> &[Pass] {
        match self {
            AnyRecipe::Fused(recipe) => recipe.passes(),
            AnyRecipe::Staged(_) => &[],
        }
    }

    /// Whether a DFT uses Bluestein's convolution, whose error is about ten times that of other
    /// DFTs.
    pub fn uses_bluestein(&self) -> bool {
        match self {
            AnyRecipe::Fused(recipe) => recipe.uses_bluestein(),
            AnyRecipe::Staged(recipe) => recipe.uses_bluestein(),
        }
    }

    /// The bytes of arrays that the passes or stages read and write, without tables.
    pub fn bytes_moved(&self) -> usize {
        match self {
            AnyRecipe::Fused(recipe) => recipe.bytes_moved(),
            AnyRecipe::Staged(recipe) => recipe.bytes_moved(),
        }
    }

    /// The problem whose output the last pass or stage writes.
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

    /// Parses the format that `Display` writes. It is a staged recipe if the first line contains
    /// `by`.
    ///
    /// # Errors
    /// As when parsing a [`Recipe`] or a [`StagedRecipe`].
    fn from_str(text: &str) -> Result<Self> {
        let heading = text.trim().lines().next().unwrap_or_default();
        if heading.contains(" by ") { text.parse().map(AnyRecipe::Staged) } else { text.parse().map(AnyRecipe::Fused) }
    }
}

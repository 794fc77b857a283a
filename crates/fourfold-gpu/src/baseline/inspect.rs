//! What a plan of any recipe launches, without launching it: stages are passes of their own here.

use crate::backend::types::Grid;
use crate::baseline::kernels::moves::StageSpec;
use crate::baseline::staged::{Plan, check_cluster, plans, staged_memory};
use crate::limits::Limits;
use crate::print::printer::Dialect;
use crate::run::counts::Counts;
use crate::run::inspect::{Launch, Outline, Target, comments};
use fourfold::baseline::{AnyRecipe, StagedRecipe};
use fourfold::{Error, Result, Wisdom};

impl Target {
    /// What a plan that follows `recipe` would launch, with our own FFTs between stages.
    ///
    /// # Errors
    /// As [`Target::outline`].
    pub fn outline_of(&self, recipe: impl Into<AnyRecipe>) -> Result<Outline> {
        self.outline_with(recipe, &Wisdom::new())
    }

    /// The same with what `wisdom` knows of the problem on this device, if the recipe is a
    /// planner's own.
    ///
    /// # Errors
    /// As [`Target::outline`], and if that part of the wisdom does not compute the problem.
    pub fn outline_with(&self, recipe: impl Into<AnyRecipe>, wisdom: &Wisdom) -> Result<Outline> {
        match recipe.into() {
            AnyRecipe::Fused(recipe) => self.outline_passes(recipe, wisdom),
            AnyRecipe::Staged(recipe) => self.outline_stages(recipe),
        }
    }

    /// Why such devices cannot run the recipe's stages, whatever their memory: work groups would
    /// have to reach each other's.
    pub fn lacks(&self, recipe: &StagedRecipe) -> Option<Error> {
        let lacks = |plan: Plan| match plan {
            Plan::Kernel(spec) => check_cluster(self.limits(), &spec).err(),
            Plan::Fft(_) | Plan::Host(_) => None,
        };
        plans(recipe, false).ok()?.into_iter().find_map(lacks)
    }

    fn outline_stages(&self, recipe: StagedRecipe) -> Result<Outline> {
        crate::error::check_lengths(recipe.problem())?;
        self.limits().check_precision(recipe.problem())?;
        let (mut launches, mut bluestein) = (vec![], false);
        for (pass, plan) in plans(&recipe, false)?.into_iter().enumerate() {
            match plan {
                Plan::Fft(fft) => {
                    let fft = self.outline_passes(*fft, &Wisdom::new())?;
                    bluestein |= fft.uses_bluestein;
                    launches.extend(fft.launches.into_iter().map(|launch| Launch { pass, ..launch }));
                }
                Plan::Host(_) => {}
                Plan::Kernel(spec) => launches.push(launch(self.limits(), self.dialect(), pass, &spec)?),
            }
        }
        Ok(Outline {
            launches,
            bytes_moved: recipe.bytes_moved(),
            scratch_bytes: staged_memory(self.limits(), &recipe, false)?.iter().sum(),
            uses_bluestein: bluestein,
            choices: vec![],
            recipe: recipe.into(),
        })
    }
}

fn launch(limits: &Limits, dialect: &Dialect, pass: usize, spec: &StageSpec) -> Result<Launch> {
    check_cluster(limits, spec)?;
    let (Grid { groups, threads, local_bytes, .. }, statements) = (spec.grid(), spec.kernel());
    let (steps, source) = (comments(&statements), spec.source(dialect));
    Ok(Launch { pass, groups, threads, local_bytes, steps, source, counts: Counts::of(&statements) })
}

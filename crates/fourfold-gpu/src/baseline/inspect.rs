//! What a plan of any recipe launches, without launching it: each stage counts as a pass here.

use crate::backend::types::Grid;
use crate::baseline::kernels::moves::StageKernelDesc;
use crate::baseline::staged::{Plan, check_blocks, plans, staged_memory};
use crate::limits::Limits;
use crate::print::printer::Dialect;
use crate::run::counts::Counts;
use crate::run::inspect::{Inspection, Launch, Target, comments};
use fourfold::baseline::{AnyRecipe, StagedRecipe};
use fourfold::{Error, Result, Wisdom};

impl Target {
    /// What a plan that follows `recipe` would launch, with our own FFTs between stages.
    ///
    /// # Errors
    /// As [`Target::inspect`].
    pub fn inspect_recipe(&self, recipe: impl Into<AnyRecipe>) -> Result<Inspection> {
        self.inspect_with(recipe, &Wisdom::new())
    }

    /// The same with what `wisdom` knows of the problem on this device, if the recipe is a
    /// planner's own.
    ///
    /// # Errors
    /// As [`Target::inspect`], and if that part of the wisdom does not compute the problem.
    pub fn inspect_with(&self, recipe: impl Into<AnyRecipe>, wisdom: &Wisdom) -> Result<Inspection> {
        match recipe.into() {
            AnyRecipe::Fused(recipe) => self.inspect_passes(recipe, wisdom),
            AnyRecipe::Staged(recipe) => self.inspect_stages(recipe),
        }
    }

    /// Why such devices cannot run the recipe's stages, whatever their memory: blocks would
    /// have to reach each other's, or are too many.
    pub fn lacks(&self, recipe: &StagedRecipe) -> Option<Error> {
        let lacks = |plan: Plan| match plan {
            Plan::Kernel(desc) => check_blocks(self.limits(), &desc).err(),
            Plan::Fft(_) | Plan::Host(_) => None,
        };
        plans(recipe, false).ok()?.into_iter().find_map(lacks)
    }

    fn inspect_stages(&self, recipe: StagedRecipe) -> Result<Inspection> {
        crate::error::check_sizes(recipe.problem())?;
        self.limits().check_precision(recipe.problem())?;
        let (mut launches, mut ffts, mut bluestein) = (vec![], vec![], false);
        for (pass, plan) in plans(&recipe, false)?.into_iter().enumerate() {
            match plan {
                Plan::Fft(fft) => {
                    let fft = self.inspect_passes(*fft, &Wisdom::new())?;
                    bluestein |= fft.uses_bluestein;
                    ffts.push(fft.scratch_bytes);
                    launches.extend(fft.launches.into_iter().map(|launch| Launch { pass, ..launch }));
                }
                Plan::Host(_) => {}
                Plan::Kernel(desc) => launches.push(launch(self.limits(), self.dialect(), pass, &desc)?),
            }
        }
        Ok(Inspection {
            trips: launches.len() as f64,
            launches,
            bytes_moved: recipe.bytes_moved(),
            scratch_bytes: staged_memory(&recipe, false, ffts.into_iter()).iter().sum(),
            uses_bluestein: bluestein,
            choices: vec![],
            recipe: recipe.into(),
        })
    }
}

fn launch(limits: &Limits, dialect: &Dialect, pass: usize, desc: &StageKernelDesc) -> Result<Launch> {
    check_blocks(limits, desc)?;
    let (Grid { blocks, threads, shared_bytes, .. }, statements) = (desc.grid(), desc.kernel());
    let (steps, source) = (comments(&statements), desc.source(dialect));
    let (counts, cluster) = (Counts::of(&statements), desc.cluster());
    Ok(Launch { pass, blocks, threads, cluster, shared_bytes, steps, source, counts })
}

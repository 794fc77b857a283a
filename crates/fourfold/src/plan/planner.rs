//! Planners, which make plans and keep their tables.

use crate::baseline::any_recipe::AnyRecipe;
use crate::baseline::staged_recipe::StagedRecipe;
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Isa;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::checks::{check_scratch, check_size, check_storage};
use crate::plan::plan::{AnyEngine, Plan};
use crate::plan::tables::{Tables, scratch_bytes};
use crate::plan::wisdom::Wisdom;
use crate::problem::element::Precision;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::pipeline::Pipeline;
use crate::recipe::recipe::Recipe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A planner makes plans for this machine. The plans of one planner share tables and threads. The
/// planner keeps all tables until it is dropped, so a program that plans many different problems
/// should replace it from time to time.
///
/// ```
/// use fourfold::Planner;
/// let planner = Planner::builder().threads(2).build()?;
/// let plan = planner.plan(&"dct2 f32 100x80 ortho".parse()?)?;
/// let (x, mut y) = (vec![1.0f32; 8000], vec![0.0f32; 8000]);
/// let mut scratch = plan.scratch();
/// plan.execute_with(&x, &mut y, &mut scratch)?;
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct Planner {
    isa: Isa,
    effort: Effort,
    pool: Arc<Pool>,
    wisdom: Mutex<Wisdom>,
    pub(crate) stale: Vec<(String, Error)>,
    single: Tables<f32>,
    double: Tables<f64>,
}

/// The method by which a [`Planner`] finds the recipe of a problem without wisdom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effort {
    /// Estimates which recipe is fast. This takes less than a millisecond.
    #[default]
    Estimate,
    /// Measures recipes by [`Planner::tune`].
    Measure,
}

/// Implements [`Planner::wisdom_names`].
pub(crate) fn wisdom_names(isa: Isa, threads: usize) -> Vec<String> {
    let several = (threads != 1).then(|| format!("cpu:{isa}/{threads}"));
    several.into_iter().chain([format!("cpu:{isa}")]).collect()
}

impl Planner {
    /// The instruction set that plans use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    pub(crate) fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.pool)
    }

    /// A planner without tables.
    pub(crate) fn with(isa: Isa, effort: Effort, pool: Arc<Pool>, wisdom: Wisdom) -> Planner {
        let (single, double) = (Tables::default(), Tables::default());
        Planner { isa, effort, pool, wisdom: Mutex::new(wisdom), stale: vec![], single, double }
    }

    /// A planner with the same threads, without tables and wisdom.
    pub(crate) fn fresh(&self) -> Planner {
        Planner::with(self.isa, Effort::Estimate, Arc::clone(&self.pool), Wisdom::new())
    }

    /// The recipe of a problem or a [`Pipeline`], by wisdom or by estimate. It measures nothing.
    ///
    /// # Errors
    /// If no plan supports the pipeline, or if its multiplier or threshold does not fit. A problem
    /// never gives an error.
    pub fn recipe<'a>(&self, what: impl Into<Pipeline<'a>>) -> Result<Recipe> {
        self.recipe_of(&what.into())
    }

    fn recipe_of(&self, pipeline: &Pipeline<'_>) -> Result<Recipe> {
        let known = pipeline.as_problem().and_then(|problem| self.known(problem));
        known.map_or_else(|| pipeline.recipe(), Ok)
    }

    /// The name of the planner's engine in [`Wisdom`], such as `cpu:avx2`, or `cpu:avx2/4` with 4
    /// threads. This is the first of [`Planner::wisdom_names`].
    pub fn wisdom_name(&self) -> String {
        self.wisdom_names().swap_remove(0)
    }

    /// The names of engines whose recipes the planner uses. With several threads, it uses a recipe
    /// for one thread if it knows no other.
    pub fn wisdom_names(&self) -> Vec<String> {
        wisdom_names(self.isa, self.pool.threads())
    }

    /// All recipes that the planner was given or has measured.
    pub fn wisdom(&self) -> Wisdom {
        self.lock_wisdom().clone()
    }

    /// The problems whose recipes in the [wisdom](crate::PlannerBuilder::wisdom) do not
    /// compute them, and what is wrong. Their recipes are not used.
    pub fn stale_wisdom(&self) -> &[(String, Error)] {
        &self.stale
    }

    fn lock_wisdom(&self) -> MutexGuard<'_, Wisdom> {
        self.wisdom.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, problem: &Problem) -> Option<Recipe> {
        let wisdom = Some(self.lock_wisdom()).filter(|wisdom| !wisdom.is_empty())?;
        let passes = self.wisdom_names().iter().find_map(|name| wisdom.get(problem, name))?;
        format!("{problem}\n{passes}").parse().ok()
    }

    pub(crate) fn remember(&self, problem: &Problem, recipe: &Recipe) -> Result<()> {
        let text = recipe.to_string();
        let Some((_, passes)) = text.split_once('\n') else { return Ok(()) };
        self.lock_wisdom().insert(problem, &self.wisdom_name(), passes)
    }

    /// The bytes of scratch of a plan with this recipe. It makes no tables.
    ///
    /// # Errors
    /// If an axis is too long, or the arrays have 16 bits a real.
    pub fn scratch_bytes(&self, recipe: &AnyRecipe) -> Result<usize> {
        check_storage(recipe.problem())?;
        check_size(recipe)?;
        let scratch = match recipe.problem().precision() {
            Precision::F32 => scratch_bytes::<f32>,
            Precision::F64 => scratch_bytes::<f64>,
        };
        Ok(scratch(recipe, self.isa, self.pool.threads()))
    }

    /// Makes a plan for a problem or a [`Pipeline`].
    ///
    /// # Errors
    /// Those of [`Planner::recipe`]; if an axis is too long, or there is no memory for the tables;
    /// and if the pipeline has a threshold or arrays of 16 bits a real, which only devices support.
    pub fn plan<'a>(&self, what: impl Into<Pipeline<'a>>) -> Result<Plan> {
        self.plan_pipeline(&what.into())
    }

    fn plan_pipeline(&self, pipeline: &Pipeline<'_>) -> Result<Plan> {
        let recipe = self.recipe_of(pipeline)?;
        if pipeline.least().is_some() {
            let message = format!(
                "`{pipeline}`: only devices have passes with thresholds: apply it to the output of the transform"
            );
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let recipe = match (self.effort, pipeline.as_problem()) {
            (Effort::Measure, Some(problem)) if self.known(problem).is_none() => self.tune(problem)?,
            _ => recipe,
        };
        self.prepare(recipe.into(), pipeline.multiplier(), None)
    }

    /// Makes a plan with the given recipe, which is one of passes or that of a baseline.
    ///
    /// # Errors
    /// Those of [`Planner::plan`], and if the recipe multiplies, since it lacks the factors.
    pub fn plan_recipe(&self, recipe: impl Into<AnyRecipe>) -> Result<Plan> {
        self.plan_any(recipe.into(), None)
    }

    /// Makes a plan with `recipe`, or of only the given stage of it.
    fn plan_any(&self, recipe: AnyRecipe, stage: Option<usize>) -> Result<Plan> {
        if matches!(&recipe, AnyRecipe::Fused(recipe) if recipe.multiplied().is_some()) {
            let message = "the recipe needs its multiplier: plan a `Pipeline` that has it with `Planner::plan`";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.prepare(recipe, None, stage)
    }

    /// Makes a plan that executes only one stage of a baseline, to time it. It uses the present
    /// contents of the scratch.
    ///
    /// # Errors
    /// Those of [`Planner::plan_recipe`], and if the recipe has no such stage.
    pub fn plan_stage(&self, recipe: StagedRecipe, stage: usize) -> Result<Plan> {
        recipe.check_stage(stage)?;
        self.plan_any(recipe.into(), Some(stage))
    }

    /// Makes a plan with `recipe`, or of only the given stage of it, with the factors of
    /// `multiplier`.
    fn prepare(&self, recipe: AnyRecipe, multiplier: Option<&Multiplier>, stage: Option<usize>) -> Result<Plan> {
        check_storage(recipe.problem())?;
        check_size(&recipe)?;
        let engine = match recipe.problem().precision() {
            Precision::F32 => AnyEngine::F32(self.single.any_engine(&recipe, self.isa, multiplier, stage)?),
            Precision::F64 => AnyEngine::F64(self.double.any_engine(&recipe, self.isa, multiplier, stage)?),
        };
        let plan = Plan { recipe, engine, pool: Arc::clone(&self.pool) };
        check_scratch(plan.problem(), plan.scratch_bytes())?;
        Ok(plan)
    }
}

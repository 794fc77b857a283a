//! Makes plans, and keeps their tables.

use crate::baseline::any_recipe::AnyRecipe;
use crate::baseline::staged_recipe::StagedRecipe;
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Isa;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::checks::{check_scratch, check_size};
use crate::plan::plan::{AnyEngine, Plan};
use crate::plan::tables::{Tables, scratch_bytes};
use crate::plan::wisdom::Wisdom;
use crate::problem::element::Precision;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::pipeline::Pipeline;
use crate::recipe::recipe::Recipe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes plans for this machine. Plans of one planner share their tables and threads. The planner
/// keeps all tables until it is dropped: for many problems that are planned once, make a new one
/// now and then.
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
    single: Tables<f32>,
    double: Tables<f64>,
}

/// How a [`Planner`] finds the recipe of a problem without wisdom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effort {
    /// Estimates which recipe is fast: less than a millisecond.
    #[default]
    Estimate,
    /// Measures: [`Planner::tune`].
    Measure,
}

/// See [`Planner::wisdom_name`].
pub(crate) fn wisdom_name(isa: Isa) -> String {
    format!("cpu:{isa}")
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
        Planner { isa, effort, pool, wisdom: Mutex::new(wisdom), single, double }
    }

    /// A planner with the same threads, without tables and wisdom.
    pub(crate) fn fresh(&self) -> Planner {
        Planner::with(self.isa, Effort::Estimate, Arc::clone(&self.pool), Wisdom::new())
    }

    /// How a problem or a [`Pipeline`] would be computed, by wisdom or by estimate: measures
    /// nothing.
    ///
    /// # Errors
    /// If there are no plans for such a pipeline, or its multiplier or threshold does not fit. For
    /// a problem there is no error.
    pub fn recipe<'a>(&self, what: impl Into<Pipeline<'a>>) -> Result<Recipe> {
        self.recipe_of(&what.into())
    }

    fn recipe_of(&self, pipeline: &Pipeline<'_>) -> Result<Recipe> {
        let known = pipeline.as_problem().and_then(|problem| self.known(problem));
        known.map_or_else(|| pipeline.recipe(), Ok)
    }

    /// How [`Wisdom`] names the planner's engine, such as `cpu:avx2`.
    pub fn wisdom_name(&self) -> String {
        wisdom_name(self.isa)
    }

    /// All recipes that were given or measured.
    pub fn wisdom(&self) -> Wisdom {
        self.lock_wisdom().clone()
    }

    fn lock_wisdom(&self) -> MutexGuard<'_, Wisdom> {
        self.wisdom.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, problem: &Problem) -> Option<Recipe> {
        let passes = Some(self.lock_wisdom()).filter(|wisdom| !wisdom.is_empty())?.get(problem, &self.wisdom_name())?;
        format!("{problem}\n{passes}").parse().ok()
    }

    pub(crate) fn remember(&self, problem: &Problem, recipe: &Recipe) -> Result<()> {
        let text = recipe.to_string();
        let Some((_, passes)) = text.split_once('\n') else { return Ok(()) };
        self.lock_wisdom().insert(problem, &self.wisdom_name(), passes)
    }

    /// Bytes of scratch that a plan following `recipe` would need. Makes no tables.
    ///
    /// # Errors
    /// If an axis is too long.
    pub fn scratch_bytes(&self, recipe: &AnyRecipe) -> Result<usize> {
        check_size(recipe)?;
        let scratch = match recipe.problem().precision() {
            Precision::F32 => scratch_bytes::<f32>,
            Precision::F64 => scratch_bytes::<f64>,
        };
        Ok(scratch(recipe, self.isa, self.pool.threads()))
    }

    /// A plan for a problem, or for a [`Pipeline`].
    ///
    /// # Errors
    /// If an axis is too long, or there is no memory for the tables; as [`Planner::recipe`]; and if
    /// the pipeline has a threshold, which only devices have passes for.
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

    /// A plan that follows `recipe`: one of passes, or that of a baseline.
    ///
    /// # Errors
    /// As [`Planner::plan`], and if the recipe multiplies: it needs its multiplier.
    pub fn plan_recipe(&self, recipe: impl Into<AnyRecipe>) -> Result<Plan> {
        self.plan_any(recipe.into(), None)
    }

    /// Of `stage`, that one alone.
    fn plan_any(&self, recipe: AnyRecipe, stage: Option<usize>) -> Result<Plan> {
        if matches!(&recipe, AnyRecipe::Fused(recipe) if recipe.multiplied().is_some()) {
            let message = "the recipe needs its multiplier: plan a `Pipeline` that has it with `Planner::plan`";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.prepare(recipe, None, stage)
    }

    /// A plan that runs one stage of a baseline alone, on the present contents of the scratch: for
    /// timing it.
    ///
    /// # Errors
    /// As [`Planner::plan_recipe`], and if the recipe has no such stage.
    pub fn plan_stage(&self, recipe: StagedRecipe, stage: usize) -> Result<Plan> {
        recipe.check_stage(stage)?;
        self.plan_any(recipe.into(), Some(stage))
    }

    /// A plan that follows `recipe`; of `stage`, that one alone.
    fn prepare(&self, recipe: AnyRecipe, multiplier: Option<&Multiplier>, stage: Option<usize>) -> Result<Plan> {
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

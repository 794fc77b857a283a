//! Makes plans, and keeps their tables.

use crate::baseline::any_recipe::AnyRecipe;
use crate::baseline::staged_recipe::StagedRecipe;
use crate::cpu::base::threads::Pool;
use crate::cpu::simd::dispatch::Isa;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::checks::{check_scratch, check_size, fitting};
use crate::plan::plan::{AnyEngine, Plan};
use crate::plan::tables::{Tables, scratch_bytes};
use crate::plan::wisdom::Wisdom;
use crate::problem::element::Precision;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::recipe::Recipe;
use crate::recipe::rules::axes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes plans for this machine. Plans of one planner share their tables and threads; the planner
/// keeps all tables until it is dropped, so for many problems that do not come again, take a new
/// one now and then.
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

/// What a [`Planner`] does about a problem that it knows no recipe of.
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

    /// How `problem` would be computed as far as is known: measures nothing.
    pub fn recipe(&self, problem: &Problem) -> Recipe {
        self.known(problem).unwrap_or_else(|| axes::recipe(problem))
    }

    /// How [`Wisdom`] names the planner's engine, such as `cpu:avx2`.
    pub fn wisdom_name(&self) -> String {
        wisdom_name(self.isa)
    }

    /// All recipes that were given and measured.
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

    /// Bytes of scratch that a plan following `recipe` would need. Makes no tables, as planning
    /// does.
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

    /// A plan for `problem`.
    ///
    /// # Errors
    /// If an axis is too long, or there is no memory for the tables.
    pub fn plan(&self, problem: &Problem) -> Result<Plan> {
        let recipe = match (self.effort, self.known(problem)) {
            (_, Some(recipe)) => recipe,
            (Effort::Measure, None) => self.tune(problem)?,
            (Effort::Estimate, None) => axes::recipe(problem),
        };
        self.plan_recipe(recipe)
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
            let message = "the recipe needs its multiplier: use `Planner::filter`, `Planner::premultiplied` or `Planner::postmultiplied`";
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

    /// A plan that computes forward → multiply → inverse. The multiply and the transforms next to
    /// it are one pass, so the filter takes one trip through memory less than its two transforms.
    ///
    /// The output of `forward` must be an input of `inverse`; both problems' layouts on that side
    /// are of no account.
    ///
    /// ```
    /// use fourfold::{Multiplier, Planner, Problem};
    /// // Solve u − u″ = f with Neumann ends: divide by 1 + the eigenvalues of −d²/dx².
    /// let forward: Problem = "dct2 f64 8".parse()?;
    /// let factors = (0..8).map(|k| 1.0 / (3.0 - 2.0 * (std::f64::consts::PI * k as f64 / 8.0).cos())).collect();
    /// let plan = Planner::new().filter(&forward, &Multiplier::Table(factors), &forward.inverse()?)?;
    /// let (f, mut u) = ([1.0f64; 8], [0.0f64; 8]);
    /// plan.execute(&f, &mut u)?;
    /// assert!(u.iter().all(|u| (u - 1.0).abs() < 1e-15)); // a constant solves it
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the spectra differ, the multiplier has another shape, or the two share no axis on which
    /// to meet: one that both transform, both by Fourier transforms or both by sums of reals; for a
    /// complex multiplier, by Fourier transforms.
    pub fn filter(&self, forward: &Problem, multiplier: &Multiplier, inverse: &Problem) -> Result<Plan> {
        self.prepare(axes::filter(forward, inverse)?.into(), Some(multiplier), None)
    }

    /// How a filter would be computed, for other engines.
    ///
    /// # Errors
    /// As [`Planner::filter`].
    pub fn filter_recipe(&self, forward: &Problem, multiplier: &Multiplier, inverse: &Problem) -> Result<Recipe> {
        fitting(axes::filter(forward, inverse)?, multiplier)
    }

    /// A plan that computes multiply → `problem`: the input is multiplied as the first pass reads
    /// it, which costs no trip through memory. Else a plan as that of [`Planner::plan`], made for
    /// one multiplier. (A few long lines, which a plan by itself does one by one, are done side by
    /// side here: there a multiply by hand and that plan may be faster.)
    ///
    /// ```
    /// use fourfold::{Multiplier, Planner};
    /// // −f′ of f = Σ_k a_k cos(kθ) is Σ_k k a_k sin(kθ): here of cos 2θ, at θ = π(n + ½)/8.
    /// let k = (0..8).map(f64::from).collect();
    /// let plan = Planner::new().premultiplied(&Multiplier::Table(k), &"idxst f64 8".parse()?)?;
    /// let (a, mut slope) = ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0f64], [0.0f64; 8]);
    /// plan.execute(&a, &mut slope)?;
    /// assert!((slope[1] - 2.0 * (3.0 * std::f64::consts::PI / 8.0).sin()).abs() < 1e-15);
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the multiplier has another shape than the input, or complex factors and no axis with a
    /// Fourier transform to meet them.
    pub fn premultiplied(&self, multiplier: &Multiplier, problem: &Problem) -> Result<Plan> {
        self.prepare(axes::premultiplied(problem)?.into(), Some(multiplier), None)
    }

    /// How that would be computed, for other engines.
    ///
    /// # Errors
    /// As [`Planner::premultiplied`].
    pub fn premultiplied_recipe(&self, multiplier: &Multiplier, problem: &Problem) -> Result<Recipe> {
        fitting(axes::premultiplied(problem)?, multiplier)
    }

    /// A plan that computes `problem` → multiply: the output is multiplied as the last pass writes
    /// it. Else as [`Planner::premultiplied`].
    ///
    /// ```
    /// use fourfold::{Multiplier, Planner};
    /// // What JPEG quantises with: the coefficients of eight samples divided by steps.
    /// let steps = (1..=8).map(|k| 1.0 / f64::from(k)).collect();
    /// let plan = Planner::new().postmultiplied(&Multiplier::Table(steps), &"dct2 f64 8 ortho".parse()?)?;
    /// let (x, mut quantised) = ([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0f64], [0.0f64; 8]);
    /// plan.execute(&x, &mut quantised)?;
    /// assert!((quantised[7] - 2.562915447741505 / 8.0).abs() < 1e-15);
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the multiplier has another shape than the output, or complex factors and no axis with a
    /// Fourier transform to meet them.
    pub fn postmultiplied(&self, multiplier: &Multiplier, problem: &Problem) -> Result<Plan> {
        self.prepare(axes::postmultiplied(problem)?.into(), Some(multiplier), None)
    }

    /// How that would be computed, for other engines.
    ///
    /// # Errors
    /// As [`Planner::postmultiplied`].
    pub fn postmultiplied_recipe(&self, multiplier: &Multiplier, problem: &Problem) -> Result<Recipe> {
        fitting(axes::postmultiplied(problem)?, multiplier)
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

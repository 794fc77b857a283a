//! Makes plans, and keeps their tables.

use crate::baseline::stage::StageWork;
use crate::cpu::base::sizes::{Sizes, table_bytes};
use crate::cpu::base::threads::Pool;
use crate::cpu::batch::axis::Batch;
use crate::cpu::engine::{Dispatch, Engine, PreparedOp};
use crate::cpu::simd::dispatch::Isa;
use crate::cpu::single::single::Single;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::plan::{AnyEngine, Plan};
use crate::plan::wisdom::Wisdom;
use crate::problem::element::{Domain, Precision};
use crate::problem::problem::AxisTransform;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::{Multiplier, Values};
use crate::recipe::recipe;
use crate::recipe::recipe::{PassOp, Recipe};
use crate::recipe::rules::axes;
use crate::recipe::rules::mixed_radix::LONGEST;
use crate::recipe::scheme::Scheme;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
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

/// Lines by what they compute and how.
type Tables<S> = Mutex<HashMap<String, PreparedOp<S>>>;

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

/// Settings of a [`Planner`].
#[derive(Clone, Debug)]
pub struct PlannerBuilder {
    isa: Isa,
    threads: usize,
    effort: Effort,
    wisdom: Wisdom,
}

impl PlannerBuilder {
    /// Which instruction set to use; the best that the machine has if not said.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// How many threads share the work of an execution, the caller's included; 1 if not said.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// What to do about problems without known recipes; [`Effort::Estimate`] if not said.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Recipes that are known; those of other engines do not matter.
    pub fn wisdom(mut self, wisdom: Wisdom) -> Self {
        self.wisdom = wisdom;
        self
    }

    /// The planner.
    ///
    /// # Errors
    /// If the machine does not have the instruction set, or will not start the threads, or the
    /// wisdom has a recipe that does not compute its problem.
    pub fn build(self) -> Result<Planner> {
        let isa = self.isa.checked()?;
        for (problem, passes) in self.wisdom.of_engine(&wisdom_name(isa)) {
            let message = |error: &Error| {
                format!("the wisdom on `{problem}`: {error}; if another version wrote it, remove its line")
            };
            let wrong = |error: Error| Error::new(error.kind(), message(&error));
            format!("{problem}\n{passes}").parse::<Recipe>().map_err(wrong)?;
        }
        if !(1..=1024).contains(&self.threads) {
            let message = format!("{} threads: expected 1 to 1024", self.threads);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let failed = |e| Error::new(ErrorKind::Unavailable, format!("cannot start {} threads: {e}", self.threads));
        let pool = Arc::new(Pool::new(self.threads).map_err(failed)?);
        Ok(Planner { wisdom: Mutex::new(self.wisdom), ..Planner::with(isa, self.effort, pool) })
    }
}

/// See [`Planner::wisdom_name`].
fn wisdom_name(isa: Isa) -> String {
    format!("cpu:{isa}")
}

impl Default for Planner {
    fn default() -> Self {
        Planner::new()
    }
}

impl Planner {
    /// A planner for one thread and the best instruction set of this machine.
    pub fn new() -> Planner {
        Planner::builder().build().expect("the best available instruction set is available, and one thread is there")
    }

    /// A planner with settings.
    pub fn builder() -> PlannerBuilder {
        PlannerBuilder { isa: Isa::best(), threads: 1, effort: Effort::default(), wisdom: Wisdom::new() }
    }

    /// The instruction set that plans use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    pub(crate) fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.pool)
    }

    fn with(isa: Isa, effort: Effort, pool: Arc<Pool>) -> Planner {
        Planner { isa, effort, pool, wisdom: Mutex::default(), single: Mutex::default(), double: Mutex::default() }
    }

    /// A planner with the same threads that knows nothing yet.
    pub(crate) fn fresh(&self) -> Planner {
        Planner::with(self.isa, Effort::Estimate, Arc::clone(&self.pool))
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
    pub fn scratch_bytes(&self, recipe: &Recipe) -> Result<usize> {
        check_size(recipe)?;
        let scratch = match recipe.problem().precision() {
            Precision::F32 => Sizes::of_recipe::<f32>,
            Precision::F64 => Sizes::of_recipe::<f64>,
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

    /// A plan that follows `recipe`.
    ///
    /// # Errors
    /// As [`Planner::plan`], and if the recipe multiplies: it needs its multiplier.
    pub fn plan_recipe(&self, recipe: Recipe) -> Result<Plan> {
        if recipe.multiplied().is_some() {
            let message = "the recipe needs its multiplier: use `Planner::filter`, `Planner::premultiplied` or `Planner::postmultiplied`";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.prepare(recipe, None)
    }

    /// A plan that runs one stage of `recipe` alone, on whatever the scratch holds: to be timed.
    ///
    /// # Errors
    /// As [`Planner::plan_recipe`], and if the recipe has no such stage.
    pub fn plan_stage(&self, recipe: Recipe, stage: usize) -> Result<Plan> {
        recipe.check_stage(stage)?;
        let mut plan = self.plan_recipe(recipe)?;
        match &mut plan.engine {
            AnyEngine::F32(engine) => engine.only(stage),
            AnyEngine::F64(engine) => engine.only(stage),
        }
        Ok(plan)
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
        self.prepare(axes::filter(forward, inverse)?, Some(multiplier))
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
        self.prepare(axes::premultiplied(problem)?, Some(multiplier))
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
        self.prepare(axes::postmultiplied(problem)?, Some(multiplier))
    }

    /// How that would be computed, for other engines.
    ///
    /// # Errors
    /// As [`Planner::postmultiplied`].
    pub fn postmultiplied_recipe(&self, multiplier: &Multiplier, problem: &Problem) -> Result<Recipe> {
        fitting(axes::postmultiplied(problem)?, multiplier)
    }

    fn prepare(&self, recipe: Recipe, multiplier: Option<&Multiplier>) -> Result<Plan> {
        check_size(&recipe)?;
        let engine = match recipe.problem().precision() {
            Precision::F32 => AnyEngine::F32(self.engine(&recipe, multiplier, &self.single)?),
            Precision::F64 => AnyEngine::F64(self.engine(&recipe, multiplier, &self.double)?),
        };
        let plan = Plan { recipe, engine, pool: Arc::clone(&self.pool) };
        if plan.scratch_bytes() > isize::MAX as usize / 2 {
            let message =
                format!("`{}` needs {} bytes of scratch, which no memory holds", plan.problem(), plan.scratch_bytes());
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        Ok(plan)
    }

    fn engine<S: Dispatch>(
        &self,
        recipe: &Recipe,
        multiplier: Option<&Multiplier>,
        tables: &Tables<S>,
    ) -> Result<Engine<S>> {
        let values = multiplier.map(|m| m.ready::<S>(recipe)).transpose()?;
        if let Some(values) = &values {
            check_complex(recipe, values)?;
        }
        check_factors(recipe)?;
        let mut line = |recipe: &recipe::AxisRecipe| {
            let mut tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
            match tables.entry(key(recipe)) {
                Entry::Occupied(entry) => Ok(entry.get().clone()),
                Entry::Vacant(entry) => {
                    check_memory(recipe, table_bytes(recipe, size_of::<S>()))?;
                    Ok(entry.insert(ready(recipe)).clone())
                }
            }
        };
        Engine::new(recipe, self.isa, values, &mut line)
    }
}

/// A recipe that multiplies, if the multiplier fits.
fn fitting(recipe: Recipe, multiplier: &Multiplier) -> Result<Recipe> {
    check_complex(&recipe, &multiplier.ready::<f32>(&recipe)?)?;
    Ok(recipe)
}

/// The tables of a line.
fn ready<S: Dispatch>(recipe: &recipe::AxisRecipe) -> PreparedOp<S> {
    match &recipe.scheme {
        Scheme::Batched(factors) => PreparedOp::Batch(Arc::new(Batch::new(recipe, factors))),
        Scheme::IntraVector(_) | Scheme::Blocked { .. } | Scheme::FourStep { .. } => {
            PreparedOp::Single(Arc::new(Single::new(recipe)))
        }
    }
}

/// All that the tables of a line depend on.
fn key(line: &recipe::AxisRecipe) -> String {
    let recipe::AxisRecipe { transform, scale, scheme } = line;
    format!("{:?} {} {:?} {scale:e} {scheme:?}", transform.sum, transform.n, transform.edges)
}

/// Complex factors turn the two parts of an element into each other, which a pass of real sums sees
/// one by one.
fn check_complex<S: Dispatch>(recipe: &Recipe, values: &Values<S>) -> Result<()> {
    use crate::problem::kind::Transform1d::{Backward, C2R, Forward, R2C};
    let fourier = |op: &PassOp| match op {
        PassOp::Transform(line) => matches!(line.transform.sum, Forward | Backward | R2C | C2R),
        PassOp::Multiply => true,
    };
    let pass = recipe.passes().iter().find(|pass| pass.ops.contains(&PassOp::Multiply));
    let on_complex = values.is_complex() && recipe.multiplied().is_some_and(|(domain, _)| domain == Domain::Complex);
    if let Some(pass) = pass.filter(|pass| on_complex && !pass.ops.iter().all(fourier)) {
        let axis = pass.axis;
        let message =
            format!("a complex multiplier needs an axis with Fourier transforms on both sides: axis {axis} has none");
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(())
}

/// Whether so much memory can be had, before tables are made that do not ask.
fn check_memory(line: &recipe::AxisRecipe, bytes: usize) -> Result<()> {
    let AxisTransform { axis, n, .. } = line.transform;
    let message =
        || format!("there is no memory for about {bytes} bytes of tables, which axis {axis} of {n} elements takes");
    let probe = Vec::<u8>::new().try_reserve_exact(bytes);
    probe.map_err(|_| Error::new(ErrorKind::Unavailable, message()))
}

/// The same before the factors of combines are made.
fn check_factors(recipe: &Recipe) -> Result<()> {
    let terms = recipe.stages().iter().map(|stage| match &stage.work {
        StageWork::Combine(combine) => combine.axes.iter().map(|axis| axis.n + 1).sum(),
        StageWork::FftStep(step) => step.axis().map_or(0, |axis| step.table_len(stage.from.length(axis))),
        _ => 0,
    });
    let bytes = terms.sum::<usize>() * 2 * recipe.problem().precision().bytes();
    let message = || format!("there is no memory for {bytes} bytes of factors of `{}`", recipe.problem());
    let probe = Vec::<u8>::new().try_reserve_exact(bytes);
    probe.map_err(|_| Error::new(ErrorKind::Unavailable, message()))
}

/// Lengths whose tables and scratch (at most some hundred reals an element of a line) would
/// overflow. A DFT may be twice as long as its axis, and a little more.
fn check_size(recipe: &Recipe) -> Result<()> {
    const MOST: usize = LONGEST / 2 - 1;
    recipe.ffts().try_for_each(check_size)?;
    let longest = recipe.lines().map(|line| line.transform.n).max().unwrap_or(0);
    if longest <= MOST {
        return Ok(());
    }
    let message = format!("an axis of {longest} elements is too long: at most {MOST} can be transformed");
    Err(Error::new(ErrorKind::Unavailable, message))
}

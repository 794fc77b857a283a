//! Makes plans for a device.

use crate::api::plan::GpuPlan;
use crate::backend::device::Device;
use crate::choose::estimate::{self, Choice};
use crate::desc::action::Action;
use crate::desc::geometry::SlabLayout;
use crate::error::{argument, check_sizes};
use crate::lower::passes::lower;
use crate::run::disk_cache::Cache;
use crate::run::inspect::Target;
use crate::run::kernel_cache::KernelCache;
use fourfold::baseline::{AnyRecipe, StagedRecipe};
use fourfold::engine::{PassOp, PipelineKey};
use fourfold::{Error, Pipeline, Planner, Problem, Recipe, Result, Wisdom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes plans for a device, and keeps their kernels: those that plans use, and at most 32 others,
/// the last that were used.
pub struct GpuPlanner {
    pub(crate) device: Device,
    /// What it plans for.
    pub(crate) target: Target,
    pub(crate) planner: Planner,
    pub(crate) kernel_cache: Arc<KernelCache>,
    wisdom: Mutex<Wisdom>,
    stale: Vec<(String, Error)>,
    /// What is wrong with the environment that the planner was made in.
    mistake: Option<Error>,
}

impl GpuPlanner {
    /// A planner for `device`, with the [standard](Cache::standard) cache. Where that is an error,
    /// so is every plan.
    pub fn new(device: Device) -> GpuPlanner {
        match Cache::standard() {
            Ok(cache) => GpuPlanner::with_cache(device, cache),
            Err(mistake) => GpuPlanner { mistake: Some(mistake), ..GpuPlanner::with_cache(device, None) },
        }
    }

    /// A planner for `device` that keeps compiled kernels on disk in `cache`, or not at all.
    pub fn with_cache(device: Device, cache: Option<Cache>) -> GpuPlanner {
        let target = device.target();
        GpuPlanner::as_for(&target, device, cache)
    }

    /// A planner for `device` that plans as for `target`, which must not allow more than the
    /// device: to test on one what runs on another. Threads exchange registers if both do.
    #[doc(hidden)]
    pub fn as_for(target: &Target, device: Device, cache: Option<Cache>) -> GpuPlanner {
        let (target, planner) = (target.clone().exchanging_as(&device.target()), Planner::new());
        let kernel_cache = Arc::new(KernelCache::new(device.runtime.clone(), target.limits().clone(), cache));
        GpuPlanner { device, target, planner, kernel_cache, wisdom: Mutex::default(), stale: vec![], mistake: None }
    }

    /// The device for which it plans.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same, knowing how some problems are best computed. What is known of other engines does
    /// not matter. What cannot be read, or does not compute its problem, is skipped: see
    /// [`GpuPlanner::stale_wisdom`].
    pub fn with_wisdom(mut self, mut wisdom: Wisdom) -> GpuPlanner {
        let check = |key: &str, choices: &str| {
            let (recipe, choices) = (key.parse::<PipelineKey>()?.recipe()?, estimate::parse(choices)?);
            lower(self.kernel_cache.limits(), &recipe, false, None, &choices).map(drop)
        };
        let stale = wisdom.remove_stale(&self.wisdom_name(), check);
        self.lock_wisdom().merge(wisdom);
        self.stale.extend(stale);
        self
    }

    /// The problems on which the wisdom that was given is not used, and why.
    pub fn stale_wisdom(&self) -> &[(String, Error)] {
        &self.stale
    }

    /// The name of the device in wisdom, such as `cuda:NVIDIA H200`.
    pub fn wisdom_name(&self) -> String {
        self.target.engine_name()
    }

    /// The wisdom that was given and [measured](GpuPlanner::tune).
    pub fn wisdom(&self) -> Wisdom {
        self.lock_wisdom().clone()
    }

    pub(crate) fn lock_wisdom(&self) -> MutexGuard<'_, Wisdom> {
        self.wisdom.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The recipe of a pipeline that devices can run.
    pub(crate) fn recipe(&self, pipeline: &Pipeline<'_>) -> Result<Recipe> {
        pipeline.problems().try_for_each(check_sizes)?;
        let recipe = self.planner.recipe(pipeline.borrowed())?;
        check_places(&recipe)?;
        Ok(recipe)
    }

    /// Plans a problem or a [`Pipeline`], and compiles the kernels that it needs.
    ///
    /// # Errors
    /// - The device lacks the precision, or the memory for tables. Scratch is allocated later.
    /// - An axis has more than 2^28 elements, an array more than 2^57 bytes, or a launch more blocks than
    ///   the device runs.
    /// - The compiler refuses a kernel. The message has its log, the kernel and the descriptor.
    /// - The [standard cache](Cache::standard) is an error.
    /// - Elements of a multiplied input share an address. Kernels find those of tables by addresses.
    /// - The errors of [`Planner::recipe`].
    pub fn plan<'a>(&self, what: impl Into<Pipeline<'a>>) -> Result<GpuPlan> {
        self.plan_pipeline(&what.into())
    }

    /// The plan of a problem or a pipeline whose output is cut into slabs along the axis of the last pass.
    /// An array without gaps becomes as many messages without gaps. One slab is the whole output.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan`]. Also if another pass is the last, if the number of slabs does not divide
    /// its axis, or if slabs overlap. Also if the output has gaps or negative strides, or if the last pass
    /// multiplies what it writes.
    pub fn plan_in_slabs<'a>(&self, what: impl Into<Pipeline<'a>>, slabs: SlabLayout) -> Result<GpuPlan> {
        let pipeline = what.into();
        if slabs.count == 1 {
            return self.plan_pipeline(&pipeline);
        }
        let recipe = self.recipe(&pipeline)?;
        check_slabs(&recipe, slabs)?;
        let known = self.target.choices(&pipeline, &self.lock_wisdom())?;
        let action = pipeline.multiplier().map(Action::multiply).transpose()?.map(Arc::new);
        self.mistake.clone().map_or(Ok(()), Err)?;
        GpuPlan::new(&self.device, &self.kernel_cache, recipe.into(), false, action, known, Some(slabs))
    }

    fn plan_pipeline(&self, pipeline: &Pipeline<'_>) -> Result<GpuPlan> {
        let recipe = self.recipe(pipeline)?;
        let known = self.target.choices(pipeline, &self.lock_wisdom())?;
        let multiply = pipeline.multiplier().map(Action::multiply).transpose()?;
        self.prepare(recipe.into(), multiply.or(pipeline.least().map(Action::Threshold)), known)
    }

    /// The plan of a problem for inputs that are shorter along transformed axes. The elements that they
    /// lack are zeros, which are not in memory: the first pass does not read there.
    ///
    /// Its executions take arrays of `shape` in the problem's strides.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan`], and if `shape` is longer than the input's shape, or has another length
    /// along an axis that is not transformed.
    pub fn plan_padded(&self, problem: &Problem, shape: &[usize]) -> Result<GpuPlan> {
        let layout = problem.padded_input(shape)?;
        let pipeline = Pipeline::from(problem);
        if layout == *problem.input() {
            return self.plan_pipeline(&pipeline);
        }
        let recipe = self.recipe(&pipeline)?;
        let known = self.target.choices(&pipeline, &self.lock_wisdom())?;
        self.prepare(recipe.into(), Some(Action::Pad(layout)), known)
    }

    /// A plan that follows `recipe`: with the passes that it names, but the kernels' own factors,
    /// or with its stages.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan`], and if the recipe multiplies: it needs its multiplier.
    pub fn plan_recipe(&self, recipe: impl Into<AnyRecipe>) -> Result<GpuPlan> {
        let recipe = recipe.into();
        let AnyRecipe::Fused(fused) = &recipe else {
            check_sizes(recipe.problem())?;
            return self.prepare(recipe, None, vec![]);
        };
        if fused.multiplied().is_some() {
            let message = "the recipe needs its multiplier: plan a `Pipeline` that has it with `GpuPlanner::plan`";
            return Err(argument(message.into()));
        }
        check_sizes(fused.problem())?;
        let choices = self.target.choices_of(fused, &self.lock_wisdom())?;
        self.prepare(recipe, None, choices)
    }

    /// A plan that runs one stage of `recipe` alone, on whatever the scratch holds: to be timed.
    ///
    /// # Errors
    /// As [`GpuPlanner::plan_recipe`], and if the recipe has no such stage.
    pub fn plan_stage(&self, recipe: StagedRecipe, stage: usize) -> Result<GpuPlan> {
        recipe.check_stage(stage)?;
        let mut plan = self.plan_recipe(recipe)?;
        plan.run_only(stage);
        Ok(plan)
    }

    /// A plan that follows a recipe, with choices for each of its passes, or for none.
    pub(crate) fn prepare(&self, recipe: AnyRecipe, action: Option<Action>, choices: Vec<Choice>) -> Result<GpuPlan> {
        self.mistake.clone().map_or(Ok(()), Err)?;
        GpuPlan::new(&self.device, &self.kernel_cache, recipe, false, action.map(Arc::new), choices, None)
    }
}

/// An error if the output of a recipe cannot be cut into these slabs.
fn check_slabs(recipe: &Recipe, SlabLayout { axis, count, distance }: SlabLayout) -> Result<()> {
    let problem = recipe.inverse().unwrap_or(recipe.problem());
    let fail = |why: &str| {
        let message = format!("the output of `{problem}` cannot be cut into {count} slabs along axis {axis}: {why}");
        Err(argument(message))
    };
    let output = problem.output();
    let is_last =
        recipe.passes().last().is_some_and(|pass| pass.axis == axis && pass.ops.last() != Some(&PassOp::Multiply));
    if !is_last {
        return fail("its last pass is no transform along this axis");
    }
    if recipe.multiplied().is_some() && recipe.passes().len() > 1 {
        return fail("it multiplies between passes along several axes");
    }
    let is_dense = output.offset == 0 && output.len == output.elements() && output.strides.iter().all(|s| *s >= 0);
    if !is_dense {
        return fail("it has gaps or negative strides");
    }
    let n = output.shape[axis];
    if count == 0 || n % count != 0 {
        return fail(&format!("the axis has {n} elements"));
    }
    let slab = output.len / count;
    let reaches = distance.checked_mul(count).and_then(|all| all.checked_mul(16)).is_some_and(|bytes| bytes < 1 << 62);
    if distance < slab || !reaches {
        return fail(&format!("one has {slab} elements, and the next one begins {distance} elements after it"));
    }
    Ok(())
}

/// An error if elements of an input that is multiplied share a place.
fn check_places(recipe: &Recipe) -> Result<()> {
    let problem = recipe.problem();
    let multiplies = recipe.passes().first().is_some_and(|pass| pass.ops.first() == Some(&PassOp::Multiply));
    let message = || format!("the input of `{problem}` has several elements in one place: a device cannot multiply it");
    if multiplies && problem.input().overlaps() { Err(argument(message())) } else { Ok(()) }
}

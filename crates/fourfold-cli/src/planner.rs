//! Plans for an engine and an algorithm: one interface to the planners of all engines.

use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use fourfold::baseline::AnyRecipe;
use fourfold::engine::PipelineKey;
use fourfold::{ErrorKind, Multiplier, Pipeline, Planner, Problem, Recipe, Wisdom};
use fourfold_gpu::{Device, GpuPlan, GpuPlanner};

use crate::algorithm::AlgorithmName;
use crate::any_plan::AnyPlan;
use crate::args::common::{OneEngine, SeveralEngines};
use crate::engine::{Engine, only_planned};
use crate::program::warn_of_cache;
use crate::wisdom::{self, Tuning};

/// An engine with an algorithm, and the planner that makes their plans.
pub struct EnginePlanner {
    /// The engine.
    pub engine: Engine,
    /// The algorithm.
    pub algorithm: AlgorithmName,
    planner: Rc<AnyPlanner>,
}

enum AnyPlanner {
    Cpu(Planner),
    Gpu(Device, Box<GpuPlanner>),
}

impl OneEngine {
    /// The engine and the algorithm that the command line names.
    pub(crate) fn planner(&self) -> Result<EnginePlanner> {
        EnginePlanner::new(self.engine.clone(), self.algorithm, self.threads, &wisdom::load(&self.wisdom)?)
    }
}

impl SeveralEngines {
    /// Every engine with every algorithm, each pair once.
    pub(crate) fn planners(&self) -> Result<Vec<EnginePlanner>> {
        self.planners_with(&wisdom::load(&self.wisdom)?)
    }

    /// The same, with this tuning instead of the file's.
    pub(crate) fn planners_with(&self, tuning: &Tuning) -> Result<Vec<EnginePlanner>> {
        let mut planners: Vec<EnginePlanner> = Vec::new();
        for engine in &self.engine {
            for &algorithm in self.algorithm.iter().flat_map(|algorithms| &algorithms.0) {
                let same = || planners.iter().filter(|other| other.engine == *engine);
                if same().any(|other| other.algorithm == algorithm) {
                    continue;
                }
                let planner = match same().next() {
                    Some(other) => other.by(algorithm),
                    None => EnginePlanner::new(engine.clone(), algorithm, self.threads, tuning)?,
                };
                planners.push(planner);
            }
        }
        Ok(planners)
    }
}

impl EnginePlanner {
    /// An engine with an algorithm. The engine `cpu` uses so many `threads`.
    pub fn new(engine: Engine, algorithm: AlgorithmName, threads: usize, tuning: &Tuning) -> Result<EnginePlanner> {
        let planner = match &engine {
            Engine::Cpu(isa) => {
                let builder = isa.iter().fold(Planner::builder().threads(threads), |builder, isa| builder.isa(*isa));
                let planner = builder.wisdom(tuning.wisdom.clone()).build()?;
                tuning.warn_of_stale(&planner.wisdom_names(), planner.stale_wisdom());
                AnyPlanner::Cpu(planner)
            }
            Engine::Gpu(id) => {
                let device = Device::open(&id.to_string())?;
                warn_of_cache();
                let planner = GpuPlanner::new(device.clone()).with_wisdom(tuning.wisdom.clone());
                tuning.warn_of_stale(&[planner.wisdom_name()], planner.stale_wisdom());
                AnyPlanner::Gpu(device, Box::new(planner))
            }
            Engine::Known(api, model) => return Err(only_planned(*api, model)),
        };
        Ok(EnginePlanner { engine, algorithm, planner: Rc::new(planner) })
    }

    /// A device's plan whose last pass also sets to zero what is smaller than `threshold`.
    pub(crate) fn threshold(&self, problem: &Problem, threshold: f64) -> Result<GpuPlan> {
        let AnyPlanner::Gpu(_, planner) = &*self.planner else { unreachable!("only devices drop in a pass") };
        let (fused, other) = (AlgorithmName::FUSED, self.algorithm);
        ensure!(
            fused == other,
            "only the algorithm {fused} drops coefficients on a device: leave out --algorithm {other}"
        );
        planner.plan(Pipeline::from(problem).threshold(threshold)).with_context(|| format!("cannot plan {problem}"))
    }

    /// The result of `cpu` for a CPU's planner, or of `gpu` for that of a device.
    pub fn with_planner<R>(&self, cpu: impl FnOnce(&Planner) -> R, gpu: impl FnOnce(&Device, &GpuPlanner) -> R) -> R {
        match &*self.planner {
            AnyPlanner::Cpu(planner) => cpu(planner),
            AnyPlanner::Gpu(device, planner) => gpu(device, planner),
        }
    }

    /// The plan that multiplies between a transform and its inverse.
    pub fn filter(&self, forward: &Problem, multiplier: &Multiplier) -> Result<AnyPlan> {
        let inverse = forward.inverse()?;
        self.pipeline(Pipeline::from(forward).multiply(multiplier).transform(inverse))
    }

    /// The plan for a pipeline.
    pub(crate) fn pipeline(&self, pipeline: Pipeline<'_>) -> Result<AnyPlan> {
        let (fused, other) = (AlgorithmName::FUSED, self.algorithm);
        ensure!(fused == other, "only the algorithm {fused} has filters: leave out --algorithm {other}");
        let plan = match &*self.planner {
            AnyPlanner::Cpu(planner) => planner.plan(pipeline.borrowed()).map(|plan| AnyPlan::Cpu(Box::new(plan))),
            AnyPlanner::Gpu(device, planner) => {
                planner.plan(pipeline.borrowed()).map(|plan| AnyPlan::Gpu(Box::new(plan), device.clone()))
            }
        };
        plan.with_context(|| format!("cannot plan {pipeline}"))
    }

    /// The plan for a problem.
    pub fn plan(&self, problem: &Problem) -> Result<AnyPlan> {
        let plan = match &*self.planner {
            AnyPlanner::Cpu(planner) => {
                let plan = self.recipe_of(planner, problem).and_then(|recipe| planner.plan_recipe(recipe));
                plan.map(|plan| AnyPlan::Cpu(Box::new(plan)))
            }
            AnyPlanner::Gpu(device, planner) => {
                let plan = self.algorithm.recipe(problem).and_then(|recipe| planner.plan_recipe(recipe));
                plan.map(|plan| AnyPlan::Gpu(Box::new(plan), device.clone()))
            }
        };
        plan.with_context(|| format!("cannot plan {problem}"))
    }

    /// The plan for only one stage of a baseline.
    pub fn plan_stage(&self, problem: &Problem, stage: usize) -> Result<AnyPlan> {
        let algorithm = self.algorithm.0.with_context(|| format!("the algorithm {} has no stages", self.algorithm))?;
        let plan = algorithm.recipe(problem).and_then(|recipe| match &*self.planner {
            AnyPlanner::Cpu(planner) => planner.plan_stage(recipe, stage).map(|plan| AnyPlan::Cpu(Box::new(plan))),
            AnyPlanner::Gpu(device, planner) => {
                planner.plan_stage(recipe, stage).map(|plan| AnyPlan::Gpu(Box::new(plan), device.clone()))
            }
        });
        plan.with_context(|| format!("cannot plan {problem}"))
    }

    /// Measures ways to compute a pipeline. Returns the fastest, as text and as wisdom for its
    /// engine.
    pub(crate) fn tune(&self, pipeline: &Pipeline<'_>) -> Result<(String, Wisdom)> {
        let tuned = match (&*self.planner, pipeline.as_problem()) {
            (AnyPlanner::Cpu(planner), Some(problem)) => {
                planner.tune(problem).map(|recipe| (passes(&recipe), planner.wisdom_name()))
            }
            (AnyPlanner::Cpu(_), None) => unreachable!("only devices are tuned for pipelines"),
            (AnyPlanner::Gpu(_, planner), _) => {
                planner.tune(pipeline.borrowed()).map(|choices| (choices, planner.wisdom_name()))
            }
        };
        let (text, engine) = tuned.with_context(|| format!("cannot tune {pipeline}"))?;
        let mut known = Wisdom::new();
        if !text.is_empty() {
            known.insert(pipeline.borrowed(), &engine, &text)?;
        }
        Ok((text, known))
    }

    /// The same engine with another algorithm.
    pub fn by(&self, algorithm: AlgorithmName) -> EnginePlanner {
        EnginePlanner { engine: self.engine.clone(), algorithm, planner: Rc::clone(&self.planner) }
    }

    /// The engine with its instruction set or the name of its device.
    pub fn place(&self) -> String {
        match &*self.planner {
            AnyPlanner::Cpu(planner) => format!("{} ({})", self.engine, planner.isa()),
            AnyPlanner::Gpu(device, _) => format!("{} ({})", self.engine, device.name()),
        }
    }

    /// The CPU's recipe. Only the default algorithm follows the planner's wisdom.
    fn recipe_of(&self, planner: &Planner, problem: &Problem) -> fourfold::Result<AnyRecipe> {
        match self.algorithm == AlgorithmName::FUSED {
            true => Ok(planner.recipe(problem)?.into()),
            false => self.algorithm.recipe(problem),
        }
    }

    /// Why the algorithm does not support the problem, or the device not the algorithm; `None` if
    /// they do.
    pub fn lacks(&self, problem: &Problem) -> Option<fourfold::Error> {
        match (self.algorithm.recipe(problem), &*self.planner) {
            (Err(error), _) => Some(error).filter(|error| error.kind() == ErrorKind::Problem),
            (Ok(AnyRecipe::Staged(recipe)), AnyPlanner::Gpu(device, _)) => device.target().lacks(&recipe),
            (Ok(_), _) => None,
        }
    }

    /// How a CPU computes a problem or a pipeline, and the bytes of scratch that it needs. Makes no
    /// tables.
    pub(crate) fn recipe(&self, pipeline: &PipelineKey) -> Result<(AnyRecipe, usize)> {
        let AnyPlanner::Cpu(planner) = &*self.planner else { unreachable!("devices have inspections") };
        let recipe = match pipeline.as_problem() {
            Some(problem) => self.recipe_of(planner, problem),
            None => pipeline.recipe().map(AnyRecipe::from),
        };
        let recipe = recipe.with_context(|| format!("cannot plan {pipeline}"))?;
        let scratch = planner.scratch_bytes(&recipe).with_context(|| format!("cannot plan {pipeline}"))?;
        Ok((recipe, scratch))
    }
}

/// The lines of a recipe after its first, which names the problem.
fn passes(recipe: &Recipe) -> String {
    recipe.to_string().split_once('\n').map_or(String::new(), |(_, passes)| passes.to_owned())
}

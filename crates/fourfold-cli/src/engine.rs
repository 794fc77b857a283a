//! What carries a problem out: engines and methods, by the names they have on the command line.

use std::fmt;
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::str::FromStr;
use std::thread;

use anyhow::{Context, Error, Result, bail, ensure};
use fourfold::baseline::AnyRecipe;
use fourfold::{ErrorKind, Isa, Multiplier, Pipeline, Planner, Problem, Recipe, Wisdom};
use fourfold_gpu::{Api, Device, DeviceId, GpuPlan, GpuPlanner, Target};

use crate::args::{Contenders, How};
use crate::method::MethodName;
use crate::ready::Ready;
use crate::wisdom::{self, Kept};

/// An engine: `cpu`, `cpu:ISA`, `cuda:0`, `opencl:1`, `cuda:sm_90`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Engine {
    /// This machine's processor, with the instruction set named, or with its best.
    Cpu(Option<Isa>),
    /// A device.
    Gpu(DeviceId),
    /// Any NVIDIA GPU of an architecture. Its kernels can be shown, not run.
    Architecture(String),
}

/// An engine with a method: what is verified and timed.
pub(crate) struct Contender {
    pub(crate) engine: Engine,
    pub(crate) method: MethodName,
    planner: Rc<AnyPlanner>,
}

enum AnyPlanner {
    Cpu(Planner),
    Gpu(Device, GpuPlanner),
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engine> {
        let (name, which) = text.split_once(':').map_or((text, None), |(name, which)| (name, Some(which)));
        match (name, which) {
            ("cpu", isa) => Ok(Engine::Cpu(isa.map(str::parse).transpose()?)),
            ("cuda", Some(which)) if which.starts_with("sm_") => Ok(Engine::Architecture(which.to_owned())),
            _ if Api::ALL.iter().any(|api| api.name() == name) => Ok(Engine::Gpu(text.parse()?)),
            _ => bail!(
                "there is no engine {text:?}; there are cpu, cpu:ISA, where ISA is {}, cuda, cuda:NUMBER, opencl and opencl:NUMBER, and for plan cuda:sm_80 and the like",
                isa_names()
            ),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Cpu(None) => write!(f, "cpu"),
            Engine::Cpu(Some(isa)) => write!(f, "cpu:{isa}"),
            Engine::Gpu(id) => write!(f, "{id}"),
            Engine::Architecture(name) => write!(f, "cuda:{name}"),
        }
    }
}

/// What the kernels of an engine are written for.
pub(crate) struct Aim {
    pub(crate) target: Target,
    /// Why it is not the device that was named.
    pub(crate) missing: Option<String>,
}

impl Engine {
    /// What its kernels are written for, unless it is a processor. The first device of a sort need
    /// not be there.
    pub(crate) fn aim(&self) -> Result<Option<Aim>> {
        let id = match self {
            Engine::Cpu(_) => return Ok(None),
            Engine::Architecture(name) => return Ok(Some(Aim { target: Target::cuda(name)?, missing: None })),
            Engine::Gpu(id) => id,
        };
        Ok(Some(match Device::open(&id.to_string()) {
            Ok(device) => Aim { target: device.target(), missing: None },
            Err(error) if id.number == 0 => Aim { target: Target::typical(id.api), missing: Some(error.to_string()) },
            Err(error) => return Err(error.into()),
        }))
    }
}

/// The instruction sets of this machine, best first.
fn isa_names() -> String {
    Isa::available().iter().map(Isa::to_string).collect::<Vec<_>>().join(", ")
}

impl How {
    /// The engine and method asked for.
    pub(crate) fn contender(&self) -> Result<Contender> {
        Contender::new(self.engine.clone(), self.method, self.threads, &wisdom::load(&self.wisdom)?)
    }
}

impl Contenders {
    /// Every engine with every method, each pair once.
    pub(crate) fn all(&self) -> Result<Vec<Contender>> {
        self.all_with(&wisdom::load(&self.wisdom)?)
    }

    /// The same, following what was kept.
    pub(crate) fn all_with(&self, kept: &Kept) -> Result<Vec<Contender>> {
        let mut contenders: Vec<Contender> = Vec::new();
        for engine in &self.engine {
            for &method in self.method.iter().flat_map(|methods| &methods.0) {
                if !contenders.iter().any(|other| other.engine == *engine && other.method == method) {
                    contenders.push(Contender::new(engine.clone(), method, self.threads, kept)?);
                }
            }
        }
        Ok(contenders)
    }
}

impl Contender {
    /// An engine with a method, which follows what was `kept`; `threads` are the processor's.
    pub(crate) fn new(engine: Engine, method: MethodName, threads: usize, kept: &Kept) -> Result<Contender> {
        let planner = match &engine {
            Engine::Cpu(isa) => {
                let builder = || isa.iter().fold(Planner::builder().threads(threads), |builder, isa| builder.isa(*isa));
                AnyPlanner::Cpu(kept.follow(|wisdom| builder().wisdom(wisdom).build())?)
            }
            Engine::Gpu(id) => {
                let device = Device::open(&id.to_string())?;
                let planner = kept.follow(|wisdom| GpuPlanner::new(device.clone()).with_wisdom(wisdom))?;
                AnyPlanner::Gpu(device, planner)
            }
            Engine::Architecture(_) => bail!("{engine} names no device: its kernels can be shown by plan, not run"),
        };
        Ok(Contender { engine, method, planner: Rc::new(planner) })
    }

    /// A device's plan whose last pass also sets to zero what is smaller than `threshold`.
    pub(crate) fn threshold(&self, problem: &Problem, threshold: f64) -> Result<GpuPlan> {
        let AnyPlanner::Gpu(_, planner) = &*self.planner else { unreachable!("processors drop by themselves") };
        let (own, other) = (MethodName::FUSED, self.method);
        ensure!(
            own == other,
            "devices drop coefficients in a pass of the method {own}, and {other} has no such pass: leave it out"
        );
        planner.plan(Pipeline::from(problem).threshold(threshold)).with_context(|| format!("cannot plan {problem}"))
    }

    /// What `cpu` makes with the processor's planner, or `gpu` with that of the device.
    pub(crate) fn with_planner<R>(
        &self,
        cpu: impl FnOnce(&Planner) -> R,
        gpu: impl FnOnce(&Device, &GpuPlanner) -> R,
    ) -> R {
        match &*self.planner {
            AnyPlanner::Cpu(planner) => cpu(planner),
            AnyPlanner::Gpu(device, planner) => gpu(device, planner),
        }
    }

    /// The plan that multiplies between a transform and its inverse.
    pub(crate) fn filter(&self, forward: &Problem, multiplier: &Multiplier) -> Result<Ready> {
        let (own, other) = (MethodName::FUSED, self.method);
        ensure!(
            own == other,
            "filters multiply in a pass of the method {own}, and {other} has no such pass: leave it out"
        );
        let inverse = forward.inverse()?;
        let filter = Pipeline::from(forward).multiply(multiplier).transform(inverse);
        let ready = match &*self.planner {
            AnyPlanner::Cpu(planner) => planner.plan(filter).map(|plan| Ready::Cpu(Box::new(plan))),
            AnyPlanner::Gpu(device, planner) => {
                planner.plan(filter).map(|plan| Ready::Gpu(Box::new(plan), device.clone()))
            }
        };
        ready.with_context(|| format!("cannot plan a filter by {forward}"))
    }

    /// The plan for a problem.
    pub(crate) fn plan(&self, problem: &Problem) -> Result<Ready> {
        let ready = match &*self.planner {
            AnyPlanner::Cpu(planner) => {
                let plan = self.recipe_of(planner, problem).and_then(|recipe| planner.plan_recipe(recipe));
                plan.map(|plan| Ready::Cpu(Box::new(plan)))
            }
            AnyPlanner::Gpu(device, planner) => {
                let plan = self.method.recipe(problem).and_then(|recipe| planner.plan_recipe(recipe));
                plan.map(|plan| Ready::Gpu(Box::new(plan), device.clone()))
            }
        };
        ready.with_context(|| format!("cannot plan {problem}"))
    }

    /// The plan for one stage of a baseline alone.
    pub(crate) fn plan_stage(&self, problem: &Problem, stage: usize) -> Result<Ready> {
        let algorithm = self.method.0.with_context(|| format!("the method {} has no stages", self.method))?;
        let ready = algorithm.recipe(problem).and_then(|recipe| match &*self.planner {
            AnyPlanner::Cpu(planner) => planner.plan_stage(recipe, stage).map(|plan| Ready::Cpu(Box::new(plan))),
            AnyPlanner::Gpu(device, planner) => {
                planner.plan_stage(recipe, stage).map(|plan| Ready::Gpu(Box::new(plan), device.clone()))
            }
        });
        ready.with_context(|| format!("cannot plan {problem}"))
    }

    /// Measures ways to compute a problem, and returns the fastest, also as all that is then known
    /// of it on its engine.
    pub(crate) fn tune(&self, problem: &Problem) -> Result<(String, Wisdom)> {
        let default = MethodName::FUSED;
        ensure!(self.method == default, "only the method {default} can be tuned, not {}", self.method);
        let tuned = match &*self.planner {
            AnyPlanner::Cpu(planner) => planner.tune(problem).map(|recipe| (passes(&recipe), planner.wisdom_name())),
            AnyPlanner::Gpu(_, planner) => planner.tune(problem).map(|choices| (choices, planner.wisdom_name())),
        };
        let (text, engine) = tuned.with_context(|| format!("cannot tune {problem}"))?;
        let mut known = Wisdom::new();
        if !text.is_empty() {
            known.insert(problem, &engine, &text)?;
        }
        Ok((text, known))
    }

    /// The same engine with another method.
    pub(crate) fn by(&self, method: MethodName) -> Contender {
        Contender { engine: self.engine.clone(), method, planner: Rc::clone(&self.planner) }
    }

    /// What computes, by its maker's name where that is known.
    pub(crate) fn place(&self) -> String {
        match &*self.planner {
            AnyPlanner::Cpu(planner) => format!("{} ({})", self.engine, planner.isa()),
            AnyPlanner::Gpu(device, _) => format!("{} ({})", self.engine, device.name()),
        }
    }

    /// What the planner knows is the default method's.
    fn recipe_of(&self, planner: &Planner, problem: &Problem) -> fourfold::Result<AnyRecipe> {
        if self.method == MethodName::FUSED { Ok(planner.recipe(problem)?.into()) } else { self.method.recipe(problem) }
    }

    /// Why the method does not have the problem, or the device not what the method needs, unless
    /// they have.
    pub(crate) fn lacks(&self, problem: &Problem) -> Option<fourfold::Error> {
        match (self.method.recipe(problem), &*self.planner) {
            (Err(error), _) => Some(error).filter(|error| error.kind() == ErrorKind::Problem),
            (Ok(AnyRecipe::Staged(recipe)), AnyPlanner::Gpu(device, _)) => device.target().lacks(&recipe),
            (Ok(_), _) => None,
        }
    }

    /// How a processor computes the problem, and the bytes of scratch that it needs. Makes no
    /// tables.
    pub(crate) fn recipe(&self, problem: &Problem) -> Result<(AnyRecipe, usize)> {
        let AnyPlanner::Cpu(planner) = &*self.planner else { unreachable!("devices are inspected") };
        let recipe = self.recipe_of(planner, problem).with_context(|| format!("cannot plan {problem}"))?;
        let scratch = planner.scratch_bytes(&recipe).with_context(|| format!("cannot plan {problem}"))?;
        Ok((recipe, scratch))
    }
}

/// The lines of a recipe after its first, which names the problem.
fn passes(recipe: &Recipe) -> String {
    recipe.to_string().split_once('\n').map_or(String::new(), |(_, passes)| passes.to_owned())
}

/// The threads that this process may run at a time.
pub(crate) fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

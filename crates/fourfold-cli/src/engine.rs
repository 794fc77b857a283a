//! What carries a problem out: engines and methods, by the names they have on the command line.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread;

use anyhow::{Context, Error, Result, bail};
use fourfold::{Isa, Plan, Planner, Problem};

use crate::args::{Contenders, How};

/// An engine, `cpu` or `cpu:ISA`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Engine {
    /// This machine's processor, with the instruction set named, or with its best.
    Cpu(Option<Isa>),
}

/// A way from a problem to a plan.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    plan: fn(&Planner, &Problem) -> fourfold::Result<Plan>,
}

/// All methods; the first is the default.
pub(crate) const METHODS: &[Method] = &[Method {
    name: "fused",
    about: "reorder, FFT and combine in one pass over the array an axis",
    plan: |planner, problem| planner.plan(problem),
}];

/// The methods that one word on the command line stands for: one by its name, or `all`.
#[derive(Clone)]
pub(crate) struct Methods(Vec<Method>);

/// An engine with a method: what is verified and timed.
pub(crate) struct Contender {
    pub(crate) engine: Engine,
    pub(crate) method: Method,
    planner: Planner,
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engine> {
        match text.split_once(':') {
            None if text == "cpu" => Ok(Engine::Cpu(None)),
            Some(("cpu", isa)) => Ok(Engine::Cpu(Some(isa.parse()?))),
            _ if ["cuda", "opencl"].contains(&text) => bail!("the engine {text} is not in this version; cpu is"),
            _ => bail!("there is no engine {text:?}; there are cpu and cpu:ISA, where ISA is {}", isa_names()),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Cpu(None) => write!(f, "cpu"),
            Engine::Cpu(Some(isa)) => write!(f, "cpu:{isa}"),
        }
    }
}

/// The instruction sets of this machine, best first.
fn isa_names() -> String {
    Isa::available().iter().map(Isa::to_string).collect::<Vec<_>>().join(", ")
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Method> {
        let names = || METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
        let found = METHODS.iter().find(|method| method.name == text).copied();
        found.with_context(|| format!("there is no method {text:?}; there are: {}", names()))
    }
}

impl FromStr for Methods {
    type Err = Error;

    fn from_str(text: &str) -> Result<Methods> {
        Ok(Methods(if text == "all" { METHODS.to_vec() } else { vec![text.parse()?] }))
    }
}

impl How {
    /// The engine and method asked for.
    pub(crate) fn contender(&self) -> Result<Contender> {
        Contender::new(self.engine, self.method, self.threads)
    }
}

impl Contenders {
    /// Every engine with every method, each pair once.
    pub(crate) fn all(&self) -> Result<Vec<Contender>> {
        let mut contenders: Vec<Contender> = Vec::new();
        for &engine in &self.engine {
            for &method in self.method.iter().flat_map(|methods| &methods.0) {
                if !contenders.iter().any(|other| other.engine == engine && other.method.name == method.name) {
                    contenders.push(Contender::new(engine, method, self.threads)?);
                }
            }
        }
        Ok(contenders)
    }
}

impl Contender {
    /// An engine with a method.
    pub(crate) fn new(engine: Engine, method: Method, threads: usize) -> Result<Contender> {
        let Engine::Cpu(isa) = engine;
        let builder = Planner::builder().threads(threads);
        let planner = isa.into_iter().fold(builder, |builder, isa| builder.isa(isa)).build()?;
        Ok(Contender { engine, method, planner })
    }

    /// The plan for a problem.
    pub(crate) fn plan(&self, problem: &Problem) -> Result<Plan> {
        (self.method.plan)(&self.planner, problem).with_context(|| format!("cannot plan {problem}"))
    }
}

/// The threads that this process may run at a time.
pub(crate) fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

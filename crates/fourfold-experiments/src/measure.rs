//! Times of methods and of their stages, each checked against the default method first.

use std::fs;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fourfold::oracle::verify::Data;
use fourfold::timing::{Pace, take_turns};
use fourfold::{Multiplier, Precision, Problem};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::any_plan::AnyPlan;
use fourfold_cli::array::{random, zeros_of};
use fourfold_cli::bench_targets::{Contestant, IN_TURN, MOST_PAIRS};
use fourfold_cli::comparison::Comparison;
use fourfold_cli::engine::Engine;
use fourfold_cli::planner::EnginePlanner;
use fourfold_gpu::Api;

/// Where and how experiments are done.
pub(crate) struct Setting {
    contender: EnginePlanner,
    pub(crate) threads: usize,
    pub(crate) quick: bool,
}

/// What is timed.
#[derive(Clone, Copy)]
pub(crate) enum Job {
    /// A transform by a method.
    Whole(&'static str),
    /// One stage of it alone.
    Stage(&'static str, usize),
}

/// NVIDIA's FFTs.
pub(crate) const CUFFT: &str = "cuFFT";

impl Setting {
    pub(crate) fn new(contender: EnginePlanner, threads: usize, quick: bool) -> Setting {
        Setting { contender, threads, quick }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.contender.engine
    }

    /// The engine in names of files.
    pub(crate) fn file_name(&self) -> String {
        self.engine().to_string().replace(':', "-")
    }

    /// What was used, for the head of a page.
    pub(crate) fn machine(&self) -> String {
        let place = self.contender.place();
        match (self.engine(), self.threads) {
            (Engine::Cpu(_), 1) => format!("{place}{}, one thread", processor()),
            (Engine::Cpu(_), threads) => format!("{place}{}, {threads} threads", processor()),
            _ => place,
        }
    }

    /// How whole methods were measured.
    pub(crate) fn how(&self) -> String {
        self.how_in(Precision::F64)
    }

    /// The same in another type.
    pub(crate) fn how_in(&self, precision: Precision) -> String {
        let arrays = match self.engine() {
            Engine::Cpu(_) => String::new(),
            _ => format!(
                " Runs go through arrays of {} MiB together, but at most {MOST_PAIRS} inputs with their outputs, one after another, so that no cache still holds what is not small.",
                IN_TURN >> 20
            ),
        };
        self.how_with(precision, &arrays, "every method's result with the default's")
    }

    /// How what goes on from its own results was measured, and what was compared.
    pub(crate) fn how_of_steps(&self, compared: &str) -> String {
        self.how_with(Precision::F64, " All runs have the same arrays.", compared)
    }

    fn how_with(&self, precision: Precision, arrays: &str, compared: &str) -> String {
        format!(
            "{}, out of place; the least of warm runs in turn, {} s for each, since other work on a machine only ever adds.{arrays} Measured on {}. Compared first: {compared}.",
            precision.name(),
            self.seconds(),
            self.machine()
        )
    }

    pub(crate) fn seconds(&self) -> f64 {
        if self.quick { 0.1 } else { 1.0 }
    }

    /// A method on the engine.
    pub(crate) fn by(&self, method: &str) -> Result<EnginePlanner> {
        Ok(self.contender.by(method.parse()?))
    }

    /// The plan that multiplies between a transform and its inverse.
    pub(crate) fn filter(&self, forward: &Problem, multiplier: &Multiplier) -> Result<AnyPlan> {
        self.contender.filter(forward, multiplier)
    }

    /// The library that does the FFTs between stages.
    pub(crate) fn fft_library(&self, problem: &Problem) -> Result<&'static str> {
        Ok(if self.by("three-stage")?.plan(problem)?.uses_vendor_fft() { CUFFT } else { "fourfold's own" })
    }

    /// Milliseconds of each job on a problem, and of a copy of its array.
    pub(crate) fn times(&self, problem: &Problem, jobs: &[Job]) -> Result<(Vec<f64>, f64)> {
        self.check(problem, jobs)?;
        let mut comparison = Comparison::new(problem)?;
        for job in jobs {
            let plan = match job {
                Job::Whole(method) => self.by(method)?.plan(problem)?,
                Job::Stage(method, stage) => self.by(method)?.plan_stage(problem, *stage)?,
            };
            comparison.add_plan(self.engine(), plan)?;
        }
        let results = comparison.measure(&self.pace(jobs.len()))?;
        let copy = results.first().map_or(f64::NAN, |(_, copy)| copy.min);
        Ok((results.into_iter().map(|(time, _)| time.min).collect(), copy))
    }

    /// Milliseconds of each work: of its fastest warm run, as they take turns.
    pub(crate) fn fastest(&self, mut works: Vec<Contestant>) -> Result<Vec<f64>> {
        let pace = self.pace(works.len());
        let times = take_turns(&mut works, &pace)?;
        Ok(times.into_iter().map(|time| time.in_unit(1e3).min).collect())
    }

    fn pace(&self, contestants: usize) -> Pace {
        Pace::lasting(Duration::from_secs_f64(self.seconds() * contestants as f64))
    }

    /// The default method on the engine, with the threads that the processor's part of the work
    /// has.
    pub(crate) fn contender(&self) -> (&EnginePlanner, usize) {
        (&self.contender, self.threads)
    }

    /// Milliseconds of a transform by each method, or nothing where the method does not have the
    /// problem or the engine not what the method needs.
    pub(crate) fn times_if_any(&self, problem: &Problem, methods: &[&'static str]) -> Result<Vec<Option<f64>>> {
        let lacks = |method: &&str| Ok(self.by(method)?.lacks(problem).is_some());
        let missing: Vec<bool> = methods.iter().map(lacks).collect::<Result<_>>()?;
        let there = methods.iter().zip(&missing).filter(|(_, missing)| !**missing);
        let jobs: Vec<Job> = there.map(|(method, _)| Job::Whole(method)).collect();
        let mut times = self.times(problem, &jobs)?.0.into_iter();
        Ok(missing.into_iter().map(|missing| if missing { None } else { times.next() }).collect())
    }

    /// An error unless all methods give what the default one gives, but for roundings.
    pub(crate) fn check(&self, problem: &Problem, jobs: &[Job]) -> Result<()> {
        let mut methods: Vec<&str> = jobs
            .iter()
            .map(|job| match job {
                Job::Whole(method) | Job::Stage(method, _) => *method,
            })
            .collect();
        methods.sort_unstable();
        methods.dedup();
        let input = random(problem.precision(), problem.input_domain(), problem.input().len)?;
        let result = |method: &str| -> Result<Data> {
            let mut output = zeros_of(problem.precision(), problem.output_domain(), problem.output().len)?;
            self.by(method)?.plan(problem)?.execute(&input, &mut output)?;
            Ok(output)
        };
        let wanted = result(AlgorithmName::FUSED.name())?;
        let bound = if problem.precision() == Precision::F64 { 1e-13 } else { 1e-4 };
        for method in methods.into_iter().filter(|method| *method != AlgorithmName::FUSED.name()) {
            let error = distance(&result(method)?, &wanted);
            ensure!(error < bound, "{problem}: {method} differs from {} by {error:.1e}", AlgorithmName::FUSED);
        }
        Ok(())
    }
}

/// An experiment that is for a device.
pub(crate) fn only_for(api: Api, setting: &Setting) -> Result<(), String> {
    let found = matches!(setting.engine(), Engine::Gpu(id) if id.api == api);
    if found { Ok(()) } else { Err(format!("it is for {} alone", api.name())) }
}

/// Shapes as `[rows, columns]` up to which a quick run goes.
pub(crate) const QUICK_SIDE: usize = 1024;

/// The sides of squares that an experiment goes through.
pub(crate) fn sides(setting: &Setting, all: &[usize]) -> Result<Vec<usize>> {
    let sides: Vec<usize> = all.iter().copied().filter(|side| !setting.quick || *side <= QUICK_SIDE).collect();
    if sides.is_empty() { bail!("there is no size to measure") } else { Ok(sides) }
}

/// What the system calls its processor, where it tells.
fn processor() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(String::new(), |(_, name)| format!(" of {}", name.trim()))
}

/// ‖y − z‖ / ‖z‖.
pub(crate) fn distance(y: &Data, z: &Data) -> f64 {
    let len = match z {
        Data::F32(z) => z.len(),
        Data::F64(z) => z.len(),
        Data::ComplexF32(z) => z.len(),
        Data::ComplexF64(z) => z.len(),
    };
    let sum = |f: &dyn Fn(usize) -> f64| (0..len).map(f).sum::<f64>();
    (sum(&|i| (y.get(i) - z.get(i)).norm_sqr()) / sum(&|i| z.get(i).norm_sqr())).sqrt()
}

//! Times of methods and of their stages, each checked against the default method first.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fourfold::oracle::verify::Data;
use fourfold::timing::{Pace, take_turns};
use fourfold::{Domain, Multiplier, Precision, Problem};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::any_plan::AnyPlan;
use fourfold_cli::array::{random, zeros_of};
use fourfold_cli::bench_targets::{Contestant, IN_TURN, MOST_PAIRS};
use fourfold_cli::comparison::Comparison;
use fourfold_cli::engine::Engine;
use fourfold_cli::planner::EnginePlanner;
use fourfold_cli::wisdom::Tuning;
use fourfold_gpu::Api;

use crate::photographs::Photograph;
use crate::processor::processor;

/// Where and how experiments are done.
pub(crate) struct Setting {
    contender: EnginePlanner,
    pub(crate) threads: usize,
    pub(crate) quick: bool,
    /// Those that the command line names.
    pub(crate) photographs: Rc<[Photograph]>,
    /// All times of this run, whatever table asked for them.
    record: RefCell<Vec<Recorded>>,
}

/// A time of a job on a problem.
pub(crate) struct Recorded {
    pub(crate) problem: String,
    pub(crate) job: Timed,
    pub(crate) ms: f64,
}

/// What is timed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Timed {
    /// A transform by a method.
    Whole(&'static str),
    /// One stage of it alone.
    Stage(&'static str, usize),
    /// A transform by a method on one thread of the processor, whatever the engine.
    OnProcessor(&'static str),
}

impl Timed {
    /// As tables name it.
    pub(crate) fn in_words(self) -> String {
        match self {
            Timed::Whole(method) => method.to_owned(),
            Timed::Stage(method, stage) => format!("stage {} of {method}", stage + 1),
            Timed::OnProcessor(method) => format!("{method} on one thread of the processor"),
        }
    }
}

/// What columns with figures of the authors' code are, for the text above a table.
pub(crate) const AUTHORS: &str = "The authors' code (JeremieMelo/dct_cuda, commit feabca7) was measured on one H200 on 21 November 2026. nvcc 13.0 compiled it for sm_90 with optimisation; it is not known with which other flags.";

/// Rounds at least, however long they take: the shortest of three times ignores two that other work
/// on the machine made longer.
const LEAST_ROUNDS: usize = 3;

/// NVIDIA's FFTs.
pub(crate) const CUFFT: &str = "cuFFT";

impl Setting {
    pub(crate) fn new(contender: EnginePlanner, threads: usize, quick: bool) -> Setting {
        Setting { contender, threads, quick, photographs: Rc::default(), record: RefCell::default() }
    }

    /// The same with photographs.
    pub(crate) fn with_photographs(self, photographs: Rc<[Photograph]>) -> Setting {
        Setting { photographs, ..self }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.contender.engine
    }

    /// The engine in names of files.
    pub(crate) fn file_name(&self) -> String {
        self.engine().to_string().replace(':', "-")
    }

    /// What was used, for the head of a page: processor, threads, and a device's software.
    pub(crate) fn machine(&self) -> String {
        let on_processor = |threads| format!("{} of {}", threads_in_words(threads), processor());
        self.contender.with_planner(
            |_| format!("{}, {}", self.place(), on_processor(self.threads)),
            |device, _| {
                let info = device.info();
                let host = match info.is_cpu {
                    true => format!("which runs {}", on_processor(info.sms)),
                    false => format!("beside {}", on_processor(self.threads)),
                };
                format!("{}, {}, {}, {host}", self.place(), info.version.trim(), device.software())
            },
        )
    }

    /// The engine and its device, or the instruction set.
    pub(crate) fn place(&self) -> String {
        self.contender.place()
    }

    /// Whether it is a device of CUDA, where the authors' code runs, too.
    pub(crate) fn is_cuda(&self) -> bool {
        only_for(Api::Cuda, self).is_ok()
    }

    /// How algorithms were measured, in double precision.
    pub(crate) fn how(&self) -> String {
        self.how_in(Precision::F64)
    }

    /// The same in another type.
    pub(crate) fn how_in(&self, precision: Precision) -> String {
        let arrays = match self.engine() {
            Engine::Cpu(_) => {
                " Every run has the same arrays. A copy is a memcpy by the same number of threads.".to_owned()
            }
            _ => format!(
                " Runs take turns through {} MiB of arrays, at most {MOST_PAIRS} inputs with their outputs, so that no large input is still in a cache. A copy is a kernel whose threads each read one element and write it.",
                IN_TURN >> 20,
            ),
        };
        self.how_with(precision, &arrays, "every algorithm's result with that of fused passes")
    }

    /// How runs were measured that all have the same arrays, such as steps that use the result of the step
    /// before, and what was compared.
    pub(crate) fn how_of_steps(&self, precision: Precision, compared: &str) -> String {
        self.how_with(precision, " All runs use the same arrays.", compared)
    }

    fn how_with(&self, precision: Precision, arrays: &str, compared: &str) -> String {
        format!(
            "{}, out of place. Each time is the shortest of warm runs that take turns for {} s each.{arrays} Measured on {}. Before that, the command compares {compared}.",
            precision.name(),
            self.seconds(),
            self.place()
        )
    }

    /// A device's times vary less than a processor's, which other programs share. Longer ones would
    /// not help: the table `noise` has what the same problem takes minutes later.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.quick, self.engine()) {
            (true, _) => 0.1,
            (_, Engine::Cpu(_)) => 0.5,
            _ => 0.2,
        }
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

    /// Milliseconds of each job on a problem, and of a copy of its array of reals.
    pub(crate) fn times(&self, problem: &Problem, jobs: &[Timed]) -> Result<(Vec<f64>, f64)> {
        self.check(problem, jobs)?;
        let mut comparison = Comparison::new(problem)?;
        for job in jobs {
            let planner = self.planner(*job)?;
            let plan = match job {
                Timed::Whole(_) | Timed::OnProcessor(_) => planner.plan(problem)?,
                Timed::Stage(_, stage) => planner.plan_stage(problem, *stage)?,
            };
            comparison.add_plan(&planner.engine, plan)?;
        }
        let copying = self.copying(problem)?;
        let by_kernel = copying.is_some();
        if let Some(plan) = copying {
            comparison.add_plan(self.engine(), plan)?;
        }
        let results = comparison.measure(&self.pace(jobs.len()))?;
        let copy = if by_kernel { results.last().map(|last| last.0) } else { results.first().map(|first| first.1) };
        let times: Vec<f64> = results[..jobs.len()].iter().map(|(time, _)| time.min).collect();
        let recorded = |(job, ms): (&Timed, &f64)| Recorded { problem: problem.to_string(), job: *job, ms: *ms };
        self.record.borrow_mut().extend(jobs.iter().zip(&times).map(recorded));
        Ok((times, copy.map_or(f64::NAN, |copy| copy.min)))
    }

    /// On a device, a kernel that copies an array of reals: a reorder along an axis of one element.
    /// The driver's own copy would not do, since PoCL's has one thread, and that of CUDA takes longer
    /// than a kernel to start.
    fn copying(&self, problem: &Problem) -> Result<Option<AnyPlan>> {
        let is_real = [problem.input_domain(), problem.output_domain()] == [Domain::Real; 2];
        if !is_real || matches!(self.engine(), Engine::Cpu(_)) {
            return Ok(None);
        }
        let lines: Problem = format!("dct2 {} {}x1 axes=1", problem.precision().name(), problem.input().len).parse()?;
        Ok(Some(self.by("three-stage-gather")?.plan_stage(&lines, 0)?))
    }

    /// The times that were measured until now.
    pub(crate) fn record(&self) -> Ref<'_, [Recorded]> {
        Ref::map(self.record.borrow(), |all| &all[..])
    }

    /// Milliseconds of each work: of its fastest warm run, as they take turns.
    pub(crate) fn fastest(&self, mut works: Vec<Contestant>) -> Result<Vec<f64>> {
        let pace = self.pace(works.len());
        let times = take_turns(&mut works, &pace)?;
        Ok(times.into_iter().map(|time| time.in_unit(1e3).min).collect())
    }

    fn pace(&self, contestants: usize) -> Pace {
        let time = Duration::from_secs_f64(self.seconds() * contestants as f64);
        Pace { rounds: LEAST_ROUNDS..=usize::MAX, ..Pace::lasting(time) }
    }

    /// The default method on the engine, with the threads that the processor's part of the work
    /// has.
    pub(crate) fn contender(&self) -> (&EnginePlanner, usize) {
        (&self.contender, self.threads)
    }

    /// Milliseconds of a transform by each method, or nothing where the method does not have the
    /// problem or the engine not what the method needs.
    pub(crate) fn times_if_any(&self, problem: &Problem, methods: &[&'static str]) -> Result<Vec<Option<f64>>> {
        let there = |method: &&'static str| {
            let job = Timed::Whole(method);
            Ok(if self.lacks(problem, job)?.is_some() { None } else { Some(job) })
        };
        self.times_of(problem, &methods.iter().map(there).collect::<Result<Vec<_>>>()?)
    }

    /// Milliseconds of the jobs that are there.
    pub(crate) fn times_of(&self, problem: &Problem, jobs: &[Option<Timed>]) -> Result<Vec<Option<f64>>> {
        let there: Vec<Timed> = jobs.iter().copied().flatten().collect();
        let mut times = self.times(problem, &there)?.0.into_iter();
        Ok(jobs.iter().map(|job| job.and_then(|_| times.next())).collect())
    }

    /// Why a method does not have the problem, or the engine not what the method needs; nothing if
    /// they do.
    pub(crate) fn lacks(&self, problem: &Problem, job: Timed) -> Result<Option<fourfold::Error>> {
        Ok(self.planner(job)?.lacks(problem))
    }

    /// The engine and the method of a job.
    fn planner(&self, job: Timed) -> Result<EnginePlanner> {
        match job {
            Timed::Whole(method) | Timed::Stage(method, _) => self.by(method),
            Timed::OnProcessor(method) => EnginePlanner::new(Engine::Cpu(None), method.parse()?, 1, &Tuning::default()),
        }
    }

    /// An error unless all methods give what the default one gives, but for roundings.
    pub(crate) fn check(&self, problem: &Problem, jobs: &[Timed]) -> Result<()> {
        let mut planners = jobs.iter().map(|job| self.planner(*job)).collect::<Result<Vec<_>>>()?;
        planners.sort_by_key(|planner| planner.algorithm.name());
        planners.dedup_by_key(|planner| planner.algorithm.name());
        let input = random(problem.precision(), problem.input_domain(), problem.input().len)?;
        let result = |planner: &EnginePlanner| -> Result<Data> {
            let mut output = zeros_of(problem.precision(), problem.output_domain(), problem.output().len)?;
            planner.plan(problem)?.execute(&input, &mut output)?;
            Ok(output)
        };
        let wanted = result(&self.contender.by(AlgorithmName::FUSED))?;
        let bound = if problem.precision() == Precision::F64 { 1e-13 } else { 1e-4 };
        for planner in planners.iter().filter(|planner| planner.algorithm != AlgorithmName::FUSED) {
            let (method, error) = (planner.algorithm, distance(&result(planner)?, &wanted));
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

fn threads_in_words(threads: usize) -> String {
    if threads == 1 { "one thread".into() } else { format!("{threads} threads") }
}

/// ‖y − z‖ / ‖z‖, which is 0 if both are the same, also if they are 0.
pub(crate) fn distance(y: &Data, z: &Data) -> f64 {
    let len = match z {
        Data::F32(z) => z.len(),
        Data::F64(z) => z.len(),
        Data::ComplexF32(z) => z.len(),
        Data::ComplexF64(z) => z.len(),
    };
    let sum = |f: &dyn Fn(usize) -> f64| (0..len).map(f).sum::<f64>();
    let error = sum(&|i| (y.get(i) - z.get(i)).norm_sqr());
    if error == 0.0 { 0.0 } else { (error / sum(&|i| z.get(i).norm_sqr())).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_numbers() {
        let [zero, one, three] = [0.0, 1.0, 3.0].map(|x| Data::F64(vec![x]));
        assert_eq!([distance(&zero, &zero), distance(&one, &zero), distance(&one, &one)], [0.0, f64::INFINITY, 0.0]);
        assert_eq!(distance(&one, &three), 2.0 / 3.0);
    }
}

//! Times of methods and of their stages, each checked against the default method first.

use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fourfold::oracle::verify::Data;
use fourfold::timing::{Pace, Summary, take_turns};
use fourfold::{Domain, Multiplier, Precision, Problem};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::any_plan::AnyPlan;
use fourfold_cli::array::{random, zeros_of};
use fourfold_cli::bench_targets::Contestant;
use fourfold_cli::comparison::Comparison;
use fourfold_cli::engine::Engine;
use fourfold_cli::planner::EnginePlanner;
use fourfold_cli::wisdom::Tuning;
use fourfold_gpu::Api;

use crate::noise::{DISTURBED, Record, Recorded};
use crate::photographs::Photograph;
use crate::ratios::Ratios;

/// Where and how experiments are done.
pub(crate) struct Setting {
    pub(crate) contender: EnginePlanner,
    pub(crate) threads: usize,
    pub(crate) quick: bool,
    /// Those that the command line names.
    pub(crate) photographs: Rc<[Photograph]>,
    record: RefCell<Record>,
    /// The table that is measured now.
    table: Cell<&'static str>,
}

/// Milliseconds of jobs on a problem.
pub(crate) struct Times {
    /// The shortest of each job.
    pub(crate) ms: Vec<f64>,
    /// The medians, to compare with medians.
    pub(crate) medians: Vec<f64>,
    /// The shortest of a copy of the input.
    pub(crate) copy: f64,
}

/// So often a disturbed row is measured in all, and in a quick run.
const MOST_TRIES: [usize; 2] = [2, 1];

/// The stages of the methods whose stages are timed.
const STAGES: [&str; 3] = ["reorder", "FFT", "combine"];

/// What is timed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Timed {
    /// A transform by a method.
    Whole(&'static str),
    /// One of its [`STAGES`] alone.
    Stage(&'static str, usize),
    /// A transform by a method on one thread of the processor, whatever the engine.
    OnProcessor(&'static str),
}

impl Timed {
    /// As tables name it.
    pub(crate) fn in_words(self) -> String {
        match self {
            Timed::Whole(method) => method.to_owned(),
            Timed::Stage(method, stage) => format!("the {} of {method}", STAGES[stage]),
            Timed::OnProcessor(method) => format!("{method} on one thread of the processor"),
        }
    }
}

/// As the record of times names a job on a problem.
pub(crate) fn described(problem: &Problem, job: Timed) -> String {
    format!("`{problem}`, {}", job.in_words())
}

/// Rounds at least, however long they take: the shortest of three times ignores two that other work
/// on the machine made longer.
const LEAST_ROUNDS: usize = 3;

impl Setting {
    pub(crate) fn new(contender: EnginePlanner, threads: usize, quick: bool) -> Setting {
        Setting {
            contender,
            threads,
            quick,
            photographs: Rc::default(),
            record: RefCell::default(),
            table: Cell::new(""),
        }
    }

    /// The same with photographs.
    pub(crate) fn with_photographs(self, photographs: Rc<[Photograph]>) -> Setting {
        Setting { photographs, ..self }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.contender.engine
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

    /// Times of each job on a problem.
    pub(crate) fn times(&self, problem: &Problem, jobs: &[Timed]) -> Result<Times> {
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
        if let Some(plan) = self.copying(problem)? {
            comparison.add_plan(self.engine(), plan)?;
        }
        let pace = self.pace(jobs.len());
        // The engine's, not that of the processor that some jobs have instead.
        let on_engine = jobs.iter().position(|job| !matches!(job, Timed::OnProcessor(_)));
        let times = self.undisturbed(&format!("`{problem}`"), || {
            let results = comparison.measure(&pace)?;
            let by_driver = on_engine.map_or(f64::NAN, |job| results[job].1.min);
            let by_kernel = results[jobs.len()..].iter().map(|(time, _)| time.min);
            let of = |which: fn(&Summary) -> f64| results[..jobs.len()].iter().map(|(time, _)| which(time)).collect();
            let copy = by_kernel.fold(by_driver, f64::min);
            let variation = variation(results.iter().map(|(time, _)| time));
            Ok((Times { ms: of(|time| time.min), medians: of(|time| time.median), copy }, variation))
        })?;
        let recorded = |(job, ms): (&Timed, &f64)| Recorded { what: described(problem, *job), ms: *ms };
        let copy = Recorded { what: format!("`{problem}`, a copy"), ms: times.copy };
        let all = jobs.iter().zip(&times.ms).map(recorded).chain((!copy.ms.is_nan()).then_some(copy));
        self.record.borrow_mut().add(self.table.get(), all);
        Ok(times)
    }

    /// The copy of an array of reals by a reorder along an axis of one element. Some drivers copy
    /// faster: CUDA's where arrays are large. Others are slower: PoCL's has one thread. On a
    /// processor, memcpy reads what it is going to write, unless the array is large.
    fn copying(&self, problem: &Problem) -> Result<Option<AnyPlan>> {
        let is_real = [problem.input_domain(), problem.output_domain()] == [Domain::Real; 2];
        if !is_real {
            return Ok(None);
        }
        let lines: Problem = format!("dct2 {} {}x1 axes=1", problem.precision().name(), problem.input().len).parse()?;
        Ok(Some(self.by("three-stage-gather")?.plan_stage(&lines, 0)?))
    }

    /// Measures a row, and again while its times vary. Of several measurements, the one whose times vary
    /// least counts.
    fn undisturbed<M>(&self, row: &str, mut measure: impl FnMut() -> Result<(M, f64)>) -> Result<M> {
        let mut best = measure()?;
        for _ in 1..self.most_tries() {
            if best.1 <= DISTURBED {
                break;
            }
            let again = measure()?;
            best = if again.1 < best.1 { again } else { best };
        }
        self.record.borrow_mut().add_row(row, best.1);
        Ok(best.0)
    }

    /// How often a disturbed row is measured in all.
    pub(crate) fn most_tries(&self) -> usize {
        MOST_TRIES[usize::from(self.quick)]
    }

    /// The times that were measured until now.
    pub(crate) fn record(&self) -> Ref<'_, Record> {
        self.record.borrow()
    }

    /// Begins a table, which all times belong to until the next one begins.
    pub(crate) fn begin(&self, table: &'static str) {
        self.table.set(table);
    }

    /// Measures every case of a table, and then the first and the middle one once more, with new plans
    /// and arrays. What they differ by is the noise of the table.
    pub(crate) fn each<'a, C, M>(&self, cases: &'a [C], mut measure: impl FnMut(&'a C) -> Result<M>) -> Result<Vec<M>> {
        let all = cases.iter().map(&mut measure).collect::<Result<Vec<_>>>()?;
        let middle = cases.get(cases.len() / 2).filter(|_| cases.len() > 1);
        cases.first().into_iter().chain(middle).try_for_each(|case| measure(case).map(drop))?;
        Ok(all)
    }

    /// Milliseconds of each work of a row, which have names: of its fastest warm run, as they take turns.
    pub(crate) fn fastest(&self, row: &str, works: Vec<(String, Contestant)>) -> Result<Vec<f64>> {
        let (names, mut works): (Vec<String>, Vec<Contestant>) = works.into_iter().unzip();
        let pace = self.pace(works.len());
        let ms = self.undisturbed(row, || {
            let times = take_turns(&mut works, &pace)?;
            Ok((times.iter().map(|time| time.in_unit(1e3).min).collect::<Vec<f64>>(), variation(&times)))
        })?;
        let recorded = |(name, ms): (&String, &f64)| Recorded { what: format!("{row}, {name}"), ms: *ms };
        self.record.borrow_mut().add(self.table.get(), names.iter().zip(&ms).map(recorded));
        Ok(ms)
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

    /// Milliseconds of the jobs that are there.
    pub(crate) fn times_of(&self, problem: &Problem, jobs: &[Option<Timed>]) -> Result<Vec<Option<f64>>> {
        let there: Vec<Timed> = jobs.iter().copied().flatten().collect();
        let mut times = self.times(problem, &there)?.ms.into_iter();
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

/// By how much times vary: the medians over the shortest, in the geometric mean. Other work on the
/// machine makes some of them longer.
fn variation<'a>(times: impl IntoIterator<Item = &'a Summary>) -> f64 {
    Ratios::new(times.into_iter().map(|time| time.median / time.min)).mean()
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

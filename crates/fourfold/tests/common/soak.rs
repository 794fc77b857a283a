//! Plans that are made, executed and dropped at random by many threads: results stay the same bits,
//! and memory does not grow. Both engines are soaked so.
#![allow(dead_code, reason = "the programs cpu_test and device_test use it")]

use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Error, Problem, Result};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The error is a message.
pub(crate) type Outcome<T> = std::result::Result<T, String>;

/// How long a soak is.
#[derive(Clone, Copy)]
pub(crate) struct Soak {
    pub(crate) threads: usize,
    pub(crate) problems: usize,
    pub(crate) executions: usize,
    /// After so many it ends, whatever is done. Half of them at most go into the comparison of the
    /// problems with the definition, and problems that are not reached are left out.
    pub(crate) seconds: f64,
    /// One in so many executions begins with a new planner; 0 for none.
    pub(crate) planners: usize,
}

/// When a soak ends.
#[derive(Clone, Copy)]
struct Deadline {
    start: Instant,
    seconds: f64,
}

impl Deadline {
    /// The part of the time that has passed.
    fn part(self) -> f64 {
        self.start.elapsed().as_secs_f64() / self.seconds
    }

    fn has_passed(self, part: f64) -> bool {
        self.part() >= part
    }
}

/// What is soaked.
pub(crate) trait Subject: Sync {
    type Planner;
    type Plan;

    /// What it is called in the report.
    fn name(&self) -> String;
    /// A planner for one thread.
    fn planner(&self) -> Result<Self::Planner>;
    fn plan(&self, planner: &Self::Planner, problem: &Problem) -> Result<Self::Plan>;
    fn uses_bluestein(&self, plan: &Self::Plan) -> bool;
    fn execute(&self, plan: &Self::Plan, input: &Data, output: &mut Data) -> Result<()>;

    /// Bytes in use on the device, if there is one.
    fn device_memory(&self) -> u64 {
        0
    }

    /// Whether the first output of a problem is right.
    fn holds(&self, _: &Problem, verdict: &Verdict, _: &Data) -> bool {
        verdict.holds()
    }
}

/// Plans that a thread has at once.
const PLANS: usize = 12;

/// Bytes by which memory may differ after the first quarter: allocators keep some.
const FLAT: u64 = 64 << 20;

/// After so many problems it is said how many were compared.
const CASES: usize = 20;

/// How often it is said how far the soak is.
const ROUND: Duration = Duration::from_secs(20);

/// A problem with an input, and the hash of its output, which was compared with the definition.
struct Case {
    problem: Problem,
    input: Data,
    /// What the output holds before.
    output: Data,
    hash: u64,
}

/// What has happened so far.
#[derive(Default)]
struct Tally {
    executions: AtomicUsize,
    plans: AtomicUsize,
    wrong: AtomicUsize,
    errors: Mutex<Vec<String>>,
}

/// Memory in use: of the process, and of the device.
#[derive(Clone, Copy, Debug)]
struct Memory {
    host: u64,
    device: u64,
}

/// Whether all results were right, and memory flat.
///
/// # Errors
/// If a problem cannot be computed, or is wrong at once.
pub(crate) fn soak<S: Subject>(subject: &S, problems: Vec<Problem>, soak: Soak) -> Outcome<bool> {
    let deadline = Deadline { start: Instant::now(), seconds: soak.seconds };
    let cases = cases(subject, problems, &soak, deadline)?;
    println!("{} problems agree with the definition", cases.len());
    let (start, tally, done) = (Instant::now(), Tally::default(), AtomicBool::new(false));
    let (early, late) = std::thread::scope(|scope| {
        let looks = scope.spawn(|| watch(subject, &soak, deadline, &tally, &done));
        let (cases, tally, soak) = (&cases, &tally, &soak);
        let worker = |seed: usize| {
            scope.spawn(move || {
                let result = exercise(subject, cases, (soak, deadline), seed as u64, tally);
                let fail = |error: Error| tally.errors.lock().expect("no thread panics").push(error.to_string());
                result.unwrap_or_else(fail);
            })
        };
        let workers: Vec<_> = (0..soak.threads).map(worker).collect();
        workers.into_iter().for_each(|worker| worker.join().expect("no thread panics"));
        done.store(true, Ordering::SeqCst);
        looks.join().expect("no thread panics")
    });
    let name = format!("{}: {} problems", subject.name(), cases.len());
    Ok(report(&name, tally, soak, start.elapsed(), [early, late]))
}

/// Prints how it went. Whether it went well.
fn report(name: &str, tally: Tally, soak: Soak, time: Duration, [early, late]: [Memory; 2]) -> bool {
    let errors = tally.errors.into_inner().expect("no thread panics");
    errors.iter().take(10).for_each(|error| println!("ERROR {error}"));
    let (wrong, threads) = (tally.wrong.into_inner(), soak.threads);
    let flat = late.host <= early.host + FLAT && late.device <= early.device + FLAT;
    let mib = |bytes: u64| bytes >> 20;
    println!(
        "soak of {name}, {} executions of {} plans on {threads} threads in {:.0} s: {wrong} wrong, {} errors; \
         memory after a quarter and at the end, in MiB: host {} and {}, device {} and {}: {}",
        tally.executions.into_inner(),
        tally.plans.into_inner(),
        time.as_secs_f64(),
        errors.len(),
        mib(early.host),
        mib(late.host),
        mib(early.device),
        mib(late.device),
        if flat { "flat" } else { "GROWS" }
    );
    wrong == 0 && errors.is_empty() && flat
}

/// Each problem runs once, beside the definition. Compilers of kernels take longest, so all threads
/// take part.
fn cases<S: Subject>(subject: &S, problems: Vec<Problem>, soak: &Soak, deadline: Deadline) -> Outcome<Vec<Case>> {
    let (next, cases) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || -> Outcome<()> {
        let planner = subject.planner().map_err(|error| error.to_string())?;
        while !deadline.has_passed(0.5)
            && let Some(problem) = problems.get(next.fetch_add(1, Ordering::SeqCst))
        {
            let case = case(subject, &planner, problem)?;
            let mut cases = cases.lock().expect("no thread panics");
            cases.push(case);
            if cases.len() % CASES == 0 {
                println!("{} of {} problems compared", cases.len(), problems.len());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..soak.threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
    })?;
    let cases = cases.into_inner().expect("no thread panics");
    if cases.is_empty() { Err("no problem was compared in half of the time".into()) } else { Ok(cases) }
}

fn case<S: Subject>(subject: &S, planner: &S::Planner, problem: &Problem) -> Outcome<Case> {
    let failed = |error: Error| format!("{problem}: {error}");
    let plan = subject.plan(planner, problem).map_err(failed)?;
    let mut run = None;
    let verdict = check(problem, subject.uses_bluestein(&plan), 1, |input, output| {
        let before = (input.clone(), output.clone());
        subject.execute(&plan, input, output)?;
        run = Some((before, hash(output)));
        Ok(())
    });
    let verdict = verdict.map_err(failed)?;
    let ((input, output), hash) = run.expect("it was executed");
    match subject.holds(problem, &verdict, &input) {
        true => Ok(Case { problem: problem.clone(), input, output, hash }),
        false => Err(format!("{problem} is wrong: {verdict:?}")),
    }
}

fn hash(data: &Data) -> u64 {
    let mut hash = DefaultHasher::new();
    match data {
        Data::F32(x) => x.iter().for_each(|x| hash.write(&x.to_ne_bytes())),
        Data::F64(x) => x.iter().for_each(|x| hash.write(&x.to_ne_bytes())),
        Data::ComplexF32(x) => x.iter().flat_map(|z| [z.re, z.im]).for_each(|x| hash.write(&x.to_ne_bytes())),
        Data::ComplexF64(x) => x.iter().flat_map(|z| [z.re, z.im]).for_each(|x| hash.write(&x.to_ne_bytes())),
    }
    hash.finish()
}

/// One thread: makes plans, executes them and drops them, until all executions are done.
fn exercise<S: Subject>(
    subject: &S,
    cases: &[Case],
    (soak, deadline): (&Soak, Deadline),
    seed: u64,
    tally: &Tally,
) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut own, mut plans): (_, Vec<(&Case, S::Plan)>) = (subject.planner()?, vec![]);
    while tally.executions.fetch_add(1, Ordering::SeqCst) < soak.executions && !deadline.has_passed(1.0) {
        if soak.planners > 0 && random.usize(0..soak.planners) == 0 {
            own = subject.planner()?;
        }
        if plans.is_empty() || random.usize(0..2) == 0 {
            let case = &cases[random.usize(0..cases.len())];
            plans.push((case, subject.plan(&own, &case.problem)?));
            tally.plans.fetch_add(1, Ordering::SeqCst);
        }
        let (case, plan) = &plans[random.usize(0..plans.len())];
        let mut output = case.output.clone();
        subject.execute(plan, &case.input, &mut output)?;
        if hash(&output) != case.hash {
            tally.wrong.fetch_add(1, Ordering::SeqCst);
            println!("WRONG {}", case.problem);
        }
        if plans.len() >= PLANS {
            plans.swap_remove(random.usize(0..plans.len()));
        }
    }
    tally.executions.fetch_sub(1, Ordering::SeqCst);
    Ok(())
}

/// Looks at memory until all is done; what is in use after a quarter, and at the end.
fn watch<S: Subject>(
    subject: &S,
    soak: &Soak,
    deadline: Deadline,
    tally: &Tally,
    done: &AtomicBool,
) -> (Memory, Memory) {
    let (mut early, mut looked, begun) = (None, Instant::now(), deadline.part());
    // A quarter of the executions, or of the time that is left for them.
    let quarter = begun + (1.0 - begun) / 4.0;
    loop {
        let (is_done, count) = (done.load(Ordering::SeqCst), tally.executions.load(Ordering::SeqCst));
        if early.is_none() && (is_done || count >= soak.executions / 4 || deadline.has_passed(quarter)) {
            early = Some(memory(subject));
        }
        if let (true, Some(early)) = (is_done, early) {
            return (early, memory(subject));
        }
        if looked.elapsed() > ROUND {
            looked = Instant::now();
            println!("{count} executions, {:?}", memory(subject));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn memory<S: Subject>(subject: &S) -> Memory {
    let pages = |text: String| text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    let host = std::fs::read_to_string("/proc/self/statm").ok().and_then(pages).map_or(0, |pages| pages * 4096);
    Memory { host, device: subject.device_memory() }
}

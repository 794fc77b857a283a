//! Plans that are made, executed and dropped at random by many threads: results stay the same bits,
//! and memory does not grow.

use crate::Outcome;
use crate::common::execute;
use crate::problems::{WHOLE, sweep};
use fourfold::oracle::verify::{Data, check};
use fourfold::{Error, Problem};
use fourfold_gpu::cache::Cache;
use fourfold_gpu::{Device, GpuPlan, GpuPlanner};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_64;

/// How long a soak is.
#[derive(Clone, Copy)]
pub(crate) struct Soak {
    pub(crate) threads: usize,
    pub(crate) problems: usize,
    pub(crate) executions: usize,
    /// One in so many executions begins with a new planner, which unloads the old one's kernels. 0
    /// for none. PoCL keeps some memory of every kernel that was loaded, though all references to it
    /// are given back: with it, take no new planners, and 10 problems, whose kernels all stay loaded.
    pub(crate) planners: usize,
}

/// Elements of the largest problem: many small ones reach more of the code.
const LARGEST: usize = 1 << 14;

/// Plans that a thread has at once.
const PLANS: usize = 8;

/// Bytes by which memory may differ after the first quarter: allocators keep some.
const FLAT: u64 = 64 << 20;

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

/// Memory in use: of the process, and of the device, if its API says so.
#[derive(Clone, Copy, Debug)]
struct Memory {
    host: u64,
    device: u64,
}

/// Whether all results were right, and memory flat.
pub(crate) fn soak(device: &Device, soak: Soak) -> Outcome<bool> {
    let folder = tempfile::tempdir()?;
    let cache = Cache::open(folder.path());
    let cases = cases(device, &cache, soak.problems)?;
    println!("{} problems agree with the definition", cases.len());
    let (start, tally, done) = (Instant::now(), Tally::default(), AtomicBool::new(false));
    let (early, late) = std::thread::scope(|scope| {
        let looks = scope.spawn(|| watch(device, &soak, &tally, &done));
        let (cache, cases, tally, soak) = (&cache, &cases, &tally, &soak);
        let worker = |seed: usize| {
            scope.spawn(move || {
                let result = exercise(device, cache, cases, soak, seed as u64, tally);
                let fail = |error: Error| tally.errors.lock().expect("no thread panics").push(error.to_string());
                result.unwrap_or_else(fail);
            })
        };
        let workers: Vec<_> = (0..soak.threads).map(worker).collect();
        workers.into_iter().for_each(|worker| worker.join().expect("no thread panics"));
        done.store(true, Ordering::SeqCst);
        looks.join().expect("no thread panics")
    });
    let errors = tally.errors.into_inner().expect("no thread panics");
    errors.iter().take(10).for_each(|error| println!("ERROR {error}"));
    let (wrong, threads) = (tally.wrong.into_inner(), soak.threads);
    let flat = late.host <= early.host + FLAT && late.device <= early.device + FLAT;
    println!(
        "{} executions of {} plans of {} problems on {threads} threads in {:.0} s: {wrong} wrong, {} errors",
        tally.executions.into_inner(),
        tally.plans.into_inner(),
        cases.len(),
        start.elapsed().as_secs_f64(),
        errors.len()
    );
    let mib = |bytes: u64| bytes >> 20;
    println!(
        "memory after a quarter and at the end, in MiB: host {} and {}, device {} and {}: {}",
        mib(early.host),
        mib(late.host),
        mib(early.device),
        mib(late.device),
        if flat { "flat" } else { "GROWS" }
    );
    Ok(wrong == 0 && errors.is_empty() && flat)
}

/// Small problems of every kind and dimension. Each runs once, beside the definition.
fn cases(device: &Device, cache: &Cache, count: usize) -> Outcome<Vec<Case>> {
    let fused = sweep((0, 1)).into_iter().filter(|group| group.algorithm.is_none() && group.device == WHOLE);
    let small = |problem: &Problem| problem.input().len.max(problem.output().len) <= LARGEST;
    let mut problems: Vec<Problem> = fused.flat_map(|group| group.problems).filter(small).collect();
    fastrand::Rng::with_seed(7).shuffle(&mut problems);
    let planner = GpuPlanner::with_cache(device.clone(), Some(cache.clone()));
    let case = |problem: Problem| -> Outcome<Case> {
        let plan = planner.plan(&problem)?;
        let mut run = None;
        let verdict = check(&problem, plan.uses_bluestein(), 1, |input, output| {
            let before = (input.clone(), output.clone());
            execute(&plan, input, output)?;
            run = Some((before, hash(output)));
            Ok(())
        })?;
        let ((input, output), hash) = run.ok_or("the problem was not executed")?;
        if verdict.holds() {
            Ok(Case { problem, input, output, hash })
        } else {
            Err(format!("{problem} is wrong").into())
        }
    };
    problems.into_iter().take(count).map(case).collect()
}

fn hash(data: &Data) -> u64 {
    let bytes: Vec<u8> = match data {
        Data::F32(x) => x.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Data::F64(x) => x.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Data::ComplexF32(x) => x.iter().flat_map(|z| [z.re, z.im]).flat_map(f32::to_le_bytes).collect(),
        Data::ComplexF64(x) => x.iter().flat_map(|z| [z.re, z.im]).flat_map(f64::to_le_bytes).collect(),
    };
    xxh3_64(&bytes)
}

/// One thread: makes plans, executes them and drops them, until all executions are done.
fn exercise(
    device: &Device,
    cache: &Cache,
    cases: &[Case],
    soak: &Soak,
    seed: u64,
    tally: &Tally,
) -> fourfold::Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    let planner = || Ok(GpuPlanner::with_cache(device.new_queue()?, Some(cache.clone())));
    let (mut own, mut plans): (_, Vec<(&Case, GpuPlan)>) = (planner()?, vec![]);
    while tally.executions.fetch_add(1, Ordering::SeqCst) < soak.executions {
        if soak.planners > 0 && random.usize(0..soak.planners) == 0 {
            own = planner()?;
        }
        if plans.is_empty() || random.usize(0..2) == 0 {
            let case = &cases[random.usize(0..cases.len())];
            plans.push((case, own.plan(&case.problem)?));
            tally.plans.fetch_add(1, Ordering::SeqCst);
        }
        let (case, plan) = &plans[random.usize(0..plans.len())];
        let mut output = case.output.clone();
        execute(plan, &case.input, &mut output)?;
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
fn watch(device: &Device, soak: &Soak, tally: &Tally, done: &AtomicBool) -> (Memory, Memory) {
    let (mut early, mut looked) = (None, Instant::now());
    loop {
        let (is_done, count) = (done.load(Ordering::SeqCst), tally.executions.load(Ordering::SeqCst));
        if early.is_none() && (is_done || count >= soak.executions / 4) {
            early = Some(memory(device));
        }
        if let (true, Some(early)) = (is_done, early) {
            return (early, memory(device));
        }
        if looked.elapsed() > ROUND {
            looked = Instant::now();
            println!("{count} executions, {:?}", memory(device));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn memory(device: &Device) -> Memory {
    let pages = |text: String| text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    let host = std::fs::read_to_string("/proc/self/statm").ok().and_then(pages).map_or(0, |pages| pages * 4096);
    let free = device.free_memory();
    Memory { host, device: free.map_or(0, |free| device.info().memory.saturating_sub(free)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::present;

    #[test]
    fn a_short_soak_is_right_and_flat() {
        let Some(device) = present() else { return };
        assert!(soak(&device, Soak { threads: 4, problems: 6, executions: 200, planners: 100 }).unwrap());
    }
}

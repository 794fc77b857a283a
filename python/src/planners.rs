//! Planners, their threads and scratch, which all plans of the process share; and what must happen
//! when the process forks or ends.

use fourfold::{Effort, Error, Pipeline, Plan, Planner, Problem, Result, Scratch};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a process shares. A forked child starts with a new one: threads do not exist there, and
/// locks may be held by threads that do not.
#[derive(Default)]
struct Shared {
    planners: Mutex<HashMap<(usize, Effort), Slot>>,
    /// Plans by the texts of their problems: see [`cached`].
    plans: Mutex<HashMap<(String, usize), Arc<Plan>>>,
    scratch: Mutex<Vec<Scratch>>,
}

/// A planner, and how much its tables may have grown.
struct Slot {
    planner: Arc<Planner>,
    weight: usize,
}

static SHARED: AtomicPtr<Shared> = AtomicPtr::new(std::ptr::null_mut());

/// How often this process or its ancestors have forked.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Executions without the GIL.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Whether the interpreter is about to end.
static EXITING: AtomicBool = AtomicBool::new(false);

/// Planners keep all tables, so one is replaced when the axes of its plans have this length in
/// total. A plan counts as [`LEAST_WEIGHT`] more.
const MOST_WEIGHT: usize = 1 << 22;
const LEAST_WEIGHT: usize = 1 << 14;

/// Planners with different numbers of threads that are kept.
const MOST_PLANNERS: usize = 4;

/// Scratch that is kept: how many, and the largest.
const MOST_SCRATCH: usize = 4;
const LARGEST_SCRATCH: usize = 1 << 28;

/// Plans that [`cached`] keeps.
const MOST_CACHED: usize = 64;

fn shared() -> &'static Shared {
    let shared = SHARED.load(Ordering::Acquire);
    if shared.is_null() { renewed(shared) } else { leaked(shared) }
}

fn leaked(shared: *mut Shared) -> &'static Shared {
    // SAFETY: what `SHARED` points to is never freed.
    unsafe { &*shared }
}

/// Replaces `old`, unless another thread was faster.
fn renewed(old: *mut Shared) -> &'static Shared {
    let new = Box::into_raw(Box::default());
    match SHARED.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => leaked(new),
        Err(theirs) => leaked(theirs),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The present generation of processes.
fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// A value that forked children do not drop: its threads exist in the parent only.
pub(crate) struct Undropped<T> {
    value: ManuallyDrop<T>,
    generation: u64,
}

impl<T> Undropped<T> {
    pub(crate) fn new(value: T) -> Undropped<T> {
        Undropped { value: ManuallyDrop::new(value), generation: generation() }
    }

    /// Whether it was made before this process was forked.
    pub(crate) fn is_inherited(&self) -> bool {
        self.generation != generation()
    }
}

impl<T> Deref for Undropped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Drop for Undropped<T> {
    fn drop(&mut self) {
        if !self.is_inherited() {
            // SAFETY: it is dropped only here.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

/// A planner with so many threads.
pub(crate) fn planner(threads: usize, effort: Effort, weight: usize) -> Result<Arc<Planner>> {
    let mut planners = lock(&shared().planners);
    if let Some(slot) = planners.get_mut(&(threads, effort)).filter(|slot| slot.weight < MOST_WEIGHT) {
        slot.weight += weight + LEAST_WEIGHT;
        return Ok(slot.planner.clone());
    }
    let planner = Arc::new(Planner::builder().threads(threads).effort(effort).build()?);
    if planners.len() >= MOST_PLANNERS {
        let other = planners.keys().find(|key| **key != (threads, effort)).copied();
        other.map(|key| planners.remove(&key));
    }
    planners.insert((threads, effort), Slot { planner: planner.clone(), weight: weight + LEAST_WEIGHT });
    Ok(planner)
}

/// Plans a pipeline, which has a transform.
pub(crate) fn plan(pipeline: &Pipeline<'_>, threads: usize, effort: Effort) -> Result<Arc<Plan>> {
    let lengths = |problem: &Problem| problem.transforms().iter().map(|transform| transform.n).sum::<usize>();
    let weight = pipeline.problems().map(lengths).sum();
    planner(threads, effort, weight)?.plan(pipeline.borrowed()).map(Arc::new)
}

/// The plan of a problem that is given as text. It is for callers who keep no plan: XLA, and forked
/// children, whose plans have threads that exist in the parent only.
pub(crate) fn cached(problem: &str, threads: usize) -> Result<Arc<Plan>> {
    let key = (problem.to_owned(), threads);
    if let Some(plan) = lock(&shared().plans).get(&key) {
        return Ok(plan.clone());
    }
    let plan = plan(&problem.parse::<Problem>()?.into(), threads, Effort::Estimate)?;
    let mut plans = lock(&shared().plans);
    if plans.len() >= MOST_CACHED {
        plans.clear();
    }
    plans.insert(key, plan.clone());
    Ok(plan)
}

/// Calls `work` with scratch for a plan, which is kept for the next execution.
pub(crate) fn with_scratch(plan: &Plan, work: impl FnOnce(&mut Scratch) -> Result<()>) -> Result<()> {
    let needs = plan.scratch_bytes();
    let mut kept = lock(&shared().scratch);
    let found = kept.iter().position(|scratch| scratch.bytes() >= needs).map(|at| kept.swap_remove(at));
    drop(kept);
    let mut scratch = found.map_or_else(|| plan.try_scratch(), Ok)?;
    let outcome = work(&mut scratch);
    keep(scratch);
    outcome
}

/// Keeps scratch for the next execution, and drops the smallest if there is enough.
fn keep(scratch: Scratch) {
    if scratch.bytes() > LARGEST_SCRATCH {
        return;
    }
    let mut kept = lock(&shared().scratch);
    kept.push(scratch);
    let smallest = (0..kept.len()).min_by_key(|&at| kept[at].bytes());
    let dropped = smallest.filter(|_| kept.len() > MOST_SCRATCH).map(|at| kept.swap_remove(at));
    drop(kept);
    drop(dropped);
}

/// Calls `work` without the GIL if it is long, so that other threads of Python run meanwhile.
pub(crate) fn detached<T: Send>(py: Python<'_>, is_long: bool, work: impl Send + FnOnce() -> T) -> T {
    if !is_long || EXITING.load(Ordering::SeqCst) {
        return work();
    }
    RUNNING.fetch_add(1, Ordering::SeqCst);
    let outcome = py.detach(work);
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    outcome
}

/// Called in a forked child: forgets threads, locks and scratch of the parent.
#[pyfunction]
pub(crate) fn _after_fork_in_child() {
    GENERATION.fetch_add(1, Ordering::SeqCst);
    RUNNING.store(0, Ordering::SeqCst);
    renewed(SHARED.load(Ordering::Acquire));
}

/// Called when the interpreter ends: waits for executions without the GIL, and lets none begin. A
/// thread that wanted the GIL back from an interpreter that has ended would be killed.
#[pyfunction]
pub(crate) fn _at_exit(py: Python<'_>) {
    EXITING.store(true, Ordering::SeqCst);
    py.detach(|| {
        while RUNNING.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// An error for a number of threads that is not possible.
pub(crate) fn checked_threads(workers: usize) -> Result<usize> {
    match workers {
        1..=1024 => Ok(workers),
        _ => Err(Error::new(fourfold::ErrorKind::Argument, format!("{workers} workers: expected 1 to 1024"))),
    }
}

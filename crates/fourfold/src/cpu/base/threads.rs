//! A fixed set of threads that compute the tiles of a pass.
//!
//! The threads start when planning, so that execution does not allocate. A pass of a small array
//! takes some tens of microseconds, and as long as waking a thread that sleeps. So threads spin for
//! a while before they sleep, and the caller never waits for a thread that has not begun.
//!
//! The caller opens a round and shares its tasks out. Helpers that see it open enter it, and all
//! take tasks until none is left. The caller then closes the round, and waits for those inside:
//!
//! ```text
//! caller: store the body; round := (number, open); …; round := closed; wait until inside = 0
//! helper: wait for a new number; inside += 1; if the round is open, call the body; inside −= 1
//! ```
//!
//! These accesses of `round` and `inside` are in one order that all threads agree on (`SeqCst`). So
//! either the helper finds the round closed, or the caller finds the helper inside.

use crate::cpu::base::shares::{CacheLine, Shares};
use crate::cpu::base::spin::Spin;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::{self, JoinHandle, Thread};

/// The threads of a planner. One of them is the thread of the caller.
pub struct Pool {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    /// Locked by the caller whose tasks the helpers execute. Meanwhile, other callers execute
    /// theirs on their own threads.
    active: Mutex<()>,
}

/// What runs in a round, with the number of a worker.
type Body<'a> = &'a (dyn Fn(usize) + Sync);

struct Shared {
    /// The word of the present round, see [`Round`].
    round: CacheLine<AtomicUsize>,
    /// The number of helpers that are in the round, or find out that it is closed.
    inside: CacheLine<AtomicUsize>,
    /// The address of the [`Body`] of the round.
    body: CacheLine<AtomicPtr<()>>,
    shares: Shares,
    sleepers: Box<[CacheLine<Sleeper>]>,
    stop: AtomicBool,
    /// Whether the caller sleeps until `inside` is 0.
    caller_sleeps: AtomicBool,
    caller: Mutex<()>,
    done: Condvar,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    spin: Spin,
}

/// A helper as those see it that wake it.
#[derive(Default)]
struct Sleeper {
    sleeps: AtomicBool,
    thread: OnceLock<Thread>,
}

/// A round in one word: its number, and below it the number of workers, which is 0 in a closed
/// round. The number wraps around. A helper that takes an open round for one that it knows does
/// not enter it, and nobody waits for it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Round(usize);

impl Round {
    const WORKERS: u32 = 12;
    const MOST_WORKERS: usize = (1 << Round::WORKERS) - 1;

    fn number(self) -> usize {
        self.0 >> Round::WORKERS
    }

    fn workers(self) -> usize {
        self.0 & Round::MOST_WORKERS
    }

    fn next(self, workers: usize) -> Round {
        Round((self.number().wrapping_add(1) << Round::WORKERS) | workers)
    }

    fn closed(self) -> Round {
        Round(self.0 & !Round::MOST_WORKERS)
    }
}

/// The most helpers that one thread wakes. Each takes about 2 µs, and the helpers that wake
/// continue.
const WAKES: usize = 4;

impl Pool {
    /// Starts a pool of `threads` threads, including that of the caller. Zero counts as one.
    ///
    /// # Errors
    /// If the system does not start a thread.
    pub fn new(threads: usize) -> std::io::Result<Pool> {
        let mut pool = Pool::of(threads.max(1));
        for index in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let helper = thread::Builder::new().name(format!("fourfold-{index}"));
            let helper = helper.spawn(move || shared.help(index))?;
            let _ = pool.shared.sleepers[index - 1].0.thread.set(helper.thread().clone());
            pool.helpers.push(helper);
        }
        Ok(pool)
    }

    /// The thread of the caller alone.
    pub fn of_caller() -> Pool {
        Pool::of(1)
    }

    /// A pool with room for so many threads, which have not started.
    fn of(threads: usize) -> Pool {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            round: CacheLine(AtomicUsize::new(0)),
            inside: CacheLine(AtomicUsize::new(0)),
            body: CacheLine(AtomicPtr::new(std::ptr::null_mut())),
            shares: Shares::new(threads),
            sleepers: (1..threads).map(|_| CacheLine::default()).collect(),
            stop: AtomicBool::new(false),
            caller_sleeps: AtomicBool::new(false),
            caller: Mutex::new(()),
            done: Condvar::new(),
            panic: Mutex::new(None),
            spin: Spin::new(threads <= cores),
        });
        Pool { shared, helpers: vec![], active: Mutex::new(()) }
    }

    /// The number of threads, including that of the caller.
    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `work(worker, task)` once for every task below `tasks`, and returns when all are done.
    /// Simultaneous calls have different values of `worker`, which is below [`Pool::threads`]. A
    /// panic of `work` is passed on to the caller.
    pub fn run_tasks(&self, tasks: usize, work: &(dyn Fn(usize, usize) + Sync)) {
        self.run_tasks_on(self.threads(), tasks, work);
    }

    /// As [`Pool::run_tasks`], on at most `workers` threads.
    pub(crate) fn run_tasks_on(&self, workers: usize, tasks: usize, work: &(dyn Fn(usize, usize) + Sync)) {
        let workers = workers.min(tasks).min(self.threads()).min(Round::MOST_WORKERS);
        let guard = match self.active.try_lock() {
            _ if workers < 2 => None,
            Ok(guard) => Some(guard),
            // An earlier panic has already been passed on to its caller.
            Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let Some(_guard) = guard else { return (0..tasks).for_each(|task| work(0, task)) };
        let shares = &self.shared.shares;
        shares.deal(workers, tasks);
        self.shared.run(workers, &|worker| shares.take([workers, tasks], worker, |task| work(worker, task)));
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.open(0);
        self.shared.wake(usize::MAX, usize::MAX);
        for helper in self.helpers.drain(..) {
            let _ = helper.join();
        }
    }
}

impl Shared {
    /// Calls `body` on this thread, and on the helpers below `workers` that come before it ends
    /// here. Only one thread calls this at a time.
    fn run(&self, workers: usize, body: Body<'_>) {
        self.body.0.store((&raw const body).cast_mut().cast(), Ordering::Relaxed);
        let round = self.open(workers);
        self.wake(workers, WAKES);
        let own = catch_unwind(AssertUnwindSafe(|| body(0)));
        self.round.0.store(round.closed().0, Ordering::SeqCst);
        self.wait_until_left();
        let theirs = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = own.err().or(theirs) {
            resume_unwind(panic);
        }
    }

    /// Begins the next round.
    fn open(&self, workers: usize) -> Round {
        let round = Round(self.round.0.load(Ordering::Relaxed)).next(workers);
        self.round.0.store(round.0, Ordering::SeqCst);
        round
    }

    /// Wakes at most `most` of the helpers below `workers` that sleep.
    fn wake(&self, workers: usize, most: usize) {
        let helpers = self.sleepers.iter().take(workers.saturating_sub(1)).map(|line| &line.0);
        let sleeps =
            |helper: &&Sleeper| helper.sleeps.load(Ordering::SeqCst) && helper.sleeps.swap(false, Ordering::SeqCst);
        helpers.filter(sleeps).take(most).filter_map(|helper| helper.thread.get()).for_each(Thread::unpark);
    }

    /// Waits until no helper is in the closed round.
    fn wait_until_left(&self) {
        let is_left = || self.inside.0.load(Ordering::SeqCst) == 0;
        let mut spin = self.spin.clone();
        while !is_left() {
            if !spin.wait() {
                self.caller_sleeps.store(true, Ordering::SeqCst);
                let mut guard = self.lock_caller();
                while !is_left() {
                    guard = self.done.wait(guard).unwrap_or_else(PoisonError::into_inner);
                }
                self.caller_sleeps.store(false, Ordering::Relaxed);
            }
        }
    }

    fn lock_caller(&self) -> MutexGuard<'_, ()> {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of a helper thread.
    fn help(&self, index: usize) {
        let (mut seen, mut spin) = (0, self.spin.clone());
        loop {
            let (round, slept) = self.wait(index, seen, &mut spin);
            seen = round.number();
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            if index < round.workers() {
                self.enter(index, round, slept);
            }
            // A helper that no round needs does not spin for ever.
            if index < round.workers() || slept {
                spin = self.spin.clone();
            }
        }
    }

    /// Waits for a round whose number is not `seen`, and tells whether this thread slept.
    fn wait(&self, index: usize, seen: usize, spin: &mut Spin) -> (Round, bool) {
        loop {
            let round = Round(self.round.0.load(Ordering::SeqCst));
            if round.number() != seen {
                return (round, false);
            }
            if !spin.wait() {
                break;
            }
        }
        let sleeps = &self.sleepers[index - 1].0.sleeps;
        loop {
            // Whoever opens a round looks at `sleeps` afterwards.
            sleeps.store(true, Ordering::SeqCst);
            let round = Round(self.round.0.load(Ordering::SeqCst));
            if round.number() != seen {
                sleeps.store(false, Ordering::Relaxed);
                return (round, true);
            }
            thread::park();
        }
    }

    /// Calls the body of `round` if the round is still open.
    fn enter(&self, index: usize, round: Round, slept: bool) {
        self.inside.0.fetch_add(1, Ordering::SeqCst);
        if self.round.0.load(Ordering::SeqCst) == round.0 {
            if slept {
                self.wake(round.workers(), WAKES);
            }
            let body = self.body.0.load(Ordering::Relaxed).cast_const().cast::<Body<'_>>();
            // SAFETY: the round was open when this thread was inside, so `Shared::run` does not return
            // before `inside` is 0, and the closure still exists.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*body)(index) }));
            if let Err(panic) = outcome {
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
        if self.inside.0.fetch_sub(1, Ordering::SeqCst) == 1 && self.caller_sleeps.load(Ordering::SeqCst) {
            drop(self.lock_caller());
            self.done.notify_one();
        }
    }
}

//! A fixed set of threads that share the tiles of a pass.
//!
//! Not a general pool: starting one costs nothing at execution, which allocates nothing.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

/// The threads of a planner, one of which is the caller's own.
pub struct Pool {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    /// Held by the caller whose work is being shared; another caller meanwhile works alone.
    turn: Mutex<()>,
}

struct Shared {
    state: Mutex<State>,
    start: Condvar,
    done: Condvar,
    /// Copy of `State::round` to be watched for a moment before sleeping.
    round: AtomicUsize,
}

#[derive(Default)]
struct State {
    job: Option<Job>,
    round: usize,
    running: usize,
    stop: bool,
    panic: Option<Box<dyn Any + Send>>,
}

/// A borrowed closure whose lifetime is hidden from the helpers.
#[derive(Clone, Copy)]
struct Job(*const (dyn Fn(usize) + Sync));

// SAFETY: the closure is Sync, and `Pool::share` does not return before the helpers are done with
// it.
unsafe impl Send for Job {}

/// How often a helper looks for new work before it sleeps: some ten microseconds.
const SPINS: usize = 1 << 11;

impl Pool {
    /// A pool of `threads` ≥ 1 threads in all.
    ///
    /// # Errors
    /// If the system will not start them.
    pub fn new(threads: usize) -> std::io::Result<Pool> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            start: Condvar::new(),
            done: Condvar::new(),
            round: AtomicUsize::new(0),
        });
        let mut pool = Pool { shared, helpers: vec![], turn: Mutex::new(()) };
        for index in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let helper = std::thread::Builder::new().name(format!("fourfold-{index}"));
            pool.helpers.push(helper.spawn(move || shared.help(index))?);
        }
        Ok(pool)
    }

    /// Threads in all.
    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `work(worker, task)` once for every task below `tasks`, `worker` < `threads` telling
    /// simultaneous calls apart.
    pub fn run(&self, tasks: usize, work: &(dyn Fn(usize, usize) + Sync)) {
        // Portions small enough to even out the ends, large enough to stay on neighbouring memory.
        let portion = (tasks / (8 * self.threads())).max(1);
        let next = AtomicUsize::new(0);
        self.share(&|worker| {
            loop {
                let start = next.fetch_add(portion, Ordering::Relaxed);
                if start >= tasks {
                    break;
                }
                (start..tasks.min(start + portion)).for_each(|task| work(worker, task));
            }
        });
    }

    /// Calls `body` on every thread with its number, or on this one alone if the helpers are busy
    /// for another caller.
    fn share(&self, body: &(dyn Fn(usize) + Sync)) {
        let turn = match self.turn.try_lock() {
            _ if self.helpers.is_empty() => None,
            Ok(turn) => Some(turn),
            // A panic of before has been handed on.
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let Some(_turn) = turn else { return body(0) };
        // SAFETY: only the lifetime changes; the wait below outlasts every use.
        let job = Job(unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), *const (dyn Fn(usize) + Sync)>(body) });
        self.shared.begin(job, self.helpers.len());
        let own = catch_unwind(AssertUnwindSafe(|| body(0)));
        let theirs = self.shared.finish();
        if let Some(panic) = own.err().or(theirs) {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.next_round();
        for helper in self.helpers.drain(..) {
            let _ = helper.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, job: Job, helpers: usize) {
        let mut state = self.lock();
        state.job = Some(job);
        state.running = helpers;
        drop(state);
        self.next_round();
    }

    fn next_round(&self) {
        let mut state = self.lock();
        state.round += 1;
        self.round.store(state.round, Ordering::Release);
        drop(state);
        self.start.notify_all();
    }

    /// Waits for the helpers; gives what one of them panicked with.
    fn finish(&self) -> Option<Box<dyn Any + Send>> {
        let mut state = self.lock();
        while state.running > 0 {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
        state.panic.take()
    }

    /// What a helper does all its life.
    fn help(&self, index: usize) {
        let mut seen = 0;
        while let Some(job) = self.wait(&mut seen) {
            // SAFETY: `Pool::share` waits until `running` is 0, so the closure is still there.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*job.0)(index) }));
            let mut state = self.lock();
            state.running -= 1;
            state.panic = state.panic.take().or(outcome.err());
            if state.running == 0 {
                self.done.notify_one();
            }
        }
    }

    /// The job of the next round, or none when the pool ends.
    fn wait(&self, seen: &mut usize) -> Option<Job> {
        for _ in 0..SPINS {
            if self.round.load(Ordering::Acquire) != *seen {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = self.lock();
        while state.round == *seen {
            state = self.start.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        *seen = state.round;
        if state.stop { None } else { state.job }
    }
}

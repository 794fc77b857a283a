//! A fixed set of threads that compute the tiles of a pass.
//!
//! The threads start when planning, so that execution does not allocate.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

/// The threads of a planner. One of them is the thread of the caller.
pub struct Pool {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    /// Locked by the caller whose tasks the helpers execute. Meanwhile, other callers execute
    /// theirs on their own threads.
    active: Mutex<()>,
}

struct Shared {
    state: Mutex<State>,
    start: Condvar,
    done: Condvar,
    /// A copy of `State::round`, on which helpers spin before they sleep.
    round: AtomicUsize,
}

#[derive(Default)]
struct State {
    body: Option<Body>,
    round: usize,
    running: usize,
    stop: bool,
    panic: Option<Box<dyn Any + Send>>,
}

/// A borrowed closure without its lifetime.
#[derive(Clone, Copy)]
struct Body(*const (dyn Fn(usize) + Sync));

// SAFETY: the closure is Sync, and `Pool::run_on_all` does not return before the helpers have
// finished with it.
unsafe impl Send for Body {}

/// How often a helper looks for a new round before it sleeps: about 10 µs.
const SPINS: usize = 1 << 11;

impl Pool {
    /// Starts a pool of `threads` threads, including that of the caller. Zero counts as one.
    ///
    /// # Errors
    /// If the system does not start a thread.
    pub fn new(threads: usize) -> std::io::Result<Pool> {
        let mut pool = Pool::of_caller();
        for index in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let helper = std::thread::Builder::new().name(format!("fourfold-{index}"));
            pool.helpers.push(helper.spawn(move || shared.help(index))?);
        }
        Ok(pool)
    }

    /// The thread of the caller alone.
    pub fn of_caller() -> Pool {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            start: Condvar::new(),
            done: Condvar::new(),
            round: AtomicUsize::new(0),
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
        // About 8 portions for each thread: threads then finish at about the same time, and tasks
        // of a portion use neighbouring memory.
        let portion = (tasks / (8 * self.threads())).max(1);
        let next = AtomicUsize::new(0);
        self.run_on_all(&|worker| {
            loop {
                let start = next.fetch_add(portion, Ordering::Relaxed);
                if start >= tasks {
                    break;
                }
                (start..tasks.min(start + portion)).for_each(|task| work(worker, task));
            }
        });
    }

    /// Calls `body` with the number of the thread on every thread, or only on this one if the
    /// helpers work for another caller.
    fn run_on_all(&self, body: &(dyn Fn(usize) + Sync)) {
        let guard = match self.active.try_lock() {
            _ if self.helpers.is_empty() => None,
            Ok(guard) => Some(guard),
            // An earlier panic has already been passed on to its caller.
            Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let Some(_guard) = guard else { return body(0) };
        // SAFETY: only the lifetime changes, and `finish` waits until no thread uses the closure.
        let erased =
            Body(unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), *const (dyn Fn(usize) + Sync)>(body) });
        self.shared.begin(erased, self.helpers.len());
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

    fn begin(&self, body: Body, helpers: usize) {
        let mut state = self.lock();
        state.body = Some(body);
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

    /// Waits for the helpers, and returns the panic of one of them, if there is one.
    fn finish(&self) -> Option<Box<dyn Any + Send>> {
        let mut state = self.lock();
        while state.running > 0 {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.body = None;
        state.panic.take()
    }

    /// The loop of a helper thread.
    fn help(&self, index: usize) {
        let mut seen = 0;
        while let Some(body) = self.wait(&mut seen) {
            // SAFETY: `Pool::run_on_all` waits until `running` is 0, so the closure still exists.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*body.0)(index) }));
            let mut state = self.lock();
            state.running -= 1;
            state.panic = state.panic.take().or(outcome.err());
            if state.running == 0 {
                self.done.notify_one();
            }
        }
    }

    /// Waits for the closure of the next round. Returns `None` when the pool is dropped.
    fn wait(&self, seen: &mut usize) -> Option<Body> {
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
        if state.stop { None } else { state.body }
    }
}

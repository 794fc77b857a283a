//! What can be timed, and by which clock.

use std::time::{Duration, Instant};

/// The default of [`Work::least_batch`]: a thousand times what a CPU's clock resolves.
const LEAST_BATCH: Duration = Duration::from_micros(20);

/// What can be timed.
pub trait Work {
    /// Why a run may fail.
    type Error;

    /// Runs once. A device only enqueues the run.
    ///
    /// # Errors
    /// Whatever the work fails with; then nothing is timed any more.
    fn run(&mut self) -> Result<(), Self::Error>;

    /// Waits for all runs that were enqueued.
    ///
    /// # Errors
    /// As [`Work::run`].
    fn synchronize(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Brings back the input that runs in place have overwritten. Called before every batch.
    ///
    /// # Errors
    /// As [`Work::run`].
    fn restore(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// How many runs may follow each other before [`Work::restore`].
    fn most_runs(&self) -> usize {
        usize::MAX
    }

    /// How long a batch takes at least: 20 µs. Synchronising a device costs about 10 µs, so its
    /// batches should take some milliseconds.
    fn least_batch(&self) -> Duration {
        LEAST_BATCH
    }

    /// The time of so many runs, from one synchronisation to the next. Work that is timed by other
    /// means, such as events of a device, replaces this.
    ///
    /// # Errors
    /// As [`Work::run`].
    fn time(&mut self, runs: usize, clock: &dyn Clock) -> Result<Duration, Self::Error> {
        self.synchronize()?;
        let start = clock.now();
        (0..runs).try_for_each(|_| self.run())?;
        self.synchronize()?;
        Ok(clock.now().saturating_sub(start))
    }
}

impl<W: Work + ?Sized> Work for Box<W> {
    type Error = W::Error;

    fn run(&mut self) -> Result<(), W::Error> {
        (**self).run()
    }

    fn synchronize(&mut self) -> Result<(), W::Error> {
        (**self).synchronize()
    }

    fn restore(&mut self) -> Result<(), W::Error> {
        (**self).restore()
    }

    fn most_runs(&self) -> usize {
        (**self).most_runs()
    }

    fn least_batch(&self) -> Duration {
        (**self).least_batch()
    }

    fn time(&mut self, runs: usize, clock: &dyn Clock) -> Result<Duration, W::Error> {
        (**self).time(runs, clock)
    }
}

/// A function as work; made by [`from_fn`].
pub struct FromFn<F> {
    run: F,
    least_batch: Duration,
}

/// Work of which each run calls a function.
pub fn from_fn<E, F: FnMut() -> Result<(), E>>(run: F) -> FromFn<F> {
    FromFn { run, least_batch: LEAST_BATCH }
}

impl<F> FromFn<F> {
    /// Sets [`Work::least_batch`].
    pub fn least_batch(self, least_batch: Duration) -> FromFn<F> {
        FromFn { least_batch, ..self }
    }
}

impl<E, F: FnMut() -> Result<(), E>> Work for FromFn<F> {
    type Error = E;

    fn run(&mut self) -> Result<(), E> {
        (self.run)()
    }

    fn least_batch(&self) -> Duration {
        self.least_batch
    }
}

/// Tells the time.
pub trait Clock {
    /// The time since some moment, which stays the same.
    fn now(&self) -> Duration;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> Duration {
        (**self).now()
    }
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(Instant);

impl WallClock {
    /// A clock that counts from now.
    pub fn new() -> WallClock {
        WallClock(Instant::now())
    }
}

impl Default for WallClock {
    fn default() -> WallClock {
        WallClock::new()
    }
}

impl Clock for WallClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

//! Waiting without sleeping.

use std::hint::spin_loop;
use std::thread;
use std::time::{Duration, Instant};

/// How long a thread spins before it sleeps. Waking it takes about as long.
const LONGEST: Duration = Duration::from_micros(50);

/// How often a thread only spins before it also yields its core to other threads: about 3 µs on
/// processors whose pause takes 140 cycles.
const SPINS: u32 = 64;

/// How often a thread spins between two yields.
const SPINS_PER_YIELD: u32 = 8;

/// The waiting of a thread for something that another thread does soon.
#[derive(Clone)]
pub(crate) struct Spin {
    /// How often this thread still only spins.
    spins: u32,
    /// The time of the first yield.
    since: Option<Instant>,
}

impl Spin {
    /// `enough_cores` tells whether every thread has a core. Otherwise the other thread may be
    /// waiting for this one's, which is yielded at once.
    pub(crate) fn new(enough_cores: bool) -> Spin {
        Spin { spins: if enough_cores { SPINS } else { 0 }, since: None }
    }

    /// Waits for a moment. Returns `false` if it is time to sleep.
    pub(crate) fn wait(&mut self) -> bool {
        if self.spins > 0 {
            self.spins -= 1;
            spin_loop();
            return true;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        (0..SPINS_PER_YIELD).for_each(|_| spin_loop());
        thread::yield_now();
        since.elapsed() < LONGEST
    }
}

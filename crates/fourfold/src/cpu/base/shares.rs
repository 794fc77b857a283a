//! The tasks of a round, shared out to workers.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Two cache lines, which processors fetch together.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct CacheLine<T>(pub(crate) T);

/// For each worker, the next task of its share. Shares are ranges that follow each other, so that
/// the worker of a task is mostly the same in all passes of an array, and finds it in its cache. A
/// worker whose share is done takes tasks from the shares of others.
pub(crate) struct Shares(Box<[CacheLine<AtomicUsize>]>);

impl Shares {
    pub(crate) fn new(workers: usize) -> Shares {
        Shares((0..workers).map(|_| CacheLine::default()).collect())
    }

    /// Deals `tasks` out to `workers`. No worker takes tasks meanwhile.
    pub(crate) fn deal(&self, workers: usize, tasks: usize) {
        for (worker, share) in self.0[..workers].iter().enumerate() {
            share.0.store(start([workers, tasks], worker), Ordering::Relaxed);
        }
    }

    /// Calls `work` for each task that `worker` takes, until no share has tasks left.
    pub(crate) fn take(&self, dealt: [usize; 2], worker: usize, mut work: impl FnMut(usize)) {
        for owner in (worker..dealt[0]).chain(0..worker) {
            let (next, end) = (&self.0[owner].0, start(dealt, owner + 1));
            // Looking first leaves the counter in its owner's cache if nothing is left.
            while next.load(Ordering::Relaxed) < end {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= end {
                    break;
                }
                work(task);
            }
        }
    }
}

/// The first task of a worker's share.
fn start([workers, tasks]: [usize; 2], worker: usize) -> usize {
    tasks / workers * worker + (tasks % workers).min(worker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_ranges_of_about_the_same_length() {
        for (workers, tasks) in [(1, 5), (3, 0), (3, 2), (3, 10), (16, 64), (16, 65)] {
            let starts: Vec<usize> = (0..=workers).map(|worker| start([workers, tasks], worker)).collect();
            assert_eq!((starts[0], starts[workers]), (0, tasks));
            let lengths = starts.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1, "{starts:?}");
        }
    }

    #[test]
    fn a_worker_begins_with_its_share_and_then_takes_the_others() {
        let (shares, dealt, mut taken) = (Shares::new(4), [3, 8], vec![]);
        shares.deal(3, 8);
        shares.take(dealt, 1, |task| taken.push(task));
        assert_eq!(taken, [3, 4, 5, 6, 7, 0, 1, 2]);
        shares.take(dealt, 0, |task| panic!("task {task} is done already"));
    }
}

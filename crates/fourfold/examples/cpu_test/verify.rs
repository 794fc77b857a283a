//! Every kind at every length against the definition, in both precisions on every instruction set.

use crate::common::exact_lines::{Arrangement, Comparison, Lines, PRECISIONS};
use fourfold::{Isa, Kind, Planner};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// One line, and so many rows and columns that a vector of 16 lanes is filled, and one more begun.
const ARRANGEMENTS: [Arrangement; 3] =
    [Arrangement { outer: 1, inner: 1 }, Arrangement { outer: 17, inner: 1 }, Arrangement { outer: 1, inner: 17 }];

/// What has been compared.
#[derive(Default)]
struct Tally {
    compared: usize,
    wrong: usize,
    /// The largest error, in units of its bound, and where it was.
    largest: (f64, String),
}

impl Tally {
    fn add(&mut self, comparison: Comparison) {
        self.compared += 1;
        if !comparison.holds() {
            self.wrong += 1;
            println!("WRONG {:e} above {:e}: {}", comparison.error, comparison.bound, comparison.what);
        }
        let ratio = comparison.error / comparison.bound;
        if ratio > self.largest.0 {
            self.largest = (ratio, comparison.what.lines().next().unwrap_or_default().to_owned());
        }
    }

    fn join(&mut self, other: Tally) {
        self.compared += other.compared;
        self.wrong += other.wrong;
        if other.largest.0 > self.largest.0 {
            self.largest = other.largest;
        }
    }
}

/// Whether all kinds are right at all lengths up to `longest`, or those of a part of them. Each
/// exact transform is summed once.
pub(crate) fn verify(longest: usize, part: (usize, usize), threads: usize) -> bool {
    let (start, isas) = (Instant::now(), Isa::available());
    let lengths = |kind: Kind| (kind.min_length()..=longest).map(move |n| (n, kind));
    let mut problems: Vec<_> = Kind::ALL.into_iter().flat_map(lengths).collect();
    // The longest first: so all threads end at about the same time. The sort keeps the kinds' order.
    problems.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let problems: Vec<_> = problems.into_iter().skip(part.0).step_by(part.1).collect();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        let mut own = Tally::default();
        while let Some((n, kind)) = problems.get(next.fetch_add(1, Ordering::Relaxed)) {
            compare(*kind, *n, &isas, &mut own);
        }
        tally.lock().expect("no thread panics").join(own);
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let Tally { compared, wrong, largest } = tally.into_inner().expect("no thread panics");
    let names: Vec<_> = isas.iter().map(Isa::to_string).collect();
    println!(
        "verify: {} kinds and lengths up to {longest}, {compared} executions on {} and f32, f64 in {:.0} s: {wrong} wrong",
        problems.len(),
        names.join(", "),
        start.elapsed().as_secs_f64()
    );
    println!("the largest error is {:.2} of its bound: {}", largest.0, largest.1);
    wrong == 0 && compared > 0
}

/// Planners are made here and dropped, since they keep the tables of all their plans.
fn compare(kind: Kind, n: usize, isas: &[Isa], tally: &mut Tally) {
    let lines = Lines::new(kind, n, 1, n);
    for isa in isas {
        let planner = Planner::builder().isa(*isa).build().expect("the instruction set is there");
        for (precision, at) in PRECISIONS.iter().flat_map(|precision| ARRANGEMENTS.map(|at| (*precision, at))) {
            let comparison = lines.compare(&planner, precision, at);
            tally.add(comparison.unwrap_or_else(|error| panic!("{kind} {n}: {error}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_all_lengths_is_right() {
        assert!(verify(4096, (77, 40_000), 2));
    }
}

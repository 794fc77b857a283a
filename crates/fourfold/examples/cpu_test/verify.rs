//! Every kind at every length against the definition, in both precisions on every instruction set.

use crate::common::exact_lines::{Arrangement, Comparison, Lines, PRECISIONS};
use fourfold::{Isa, Kind, Planner, Precision};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What has been compared.
#[derive(Default)]
struct Tally {
    problems: usize,
    compared: usize,
    wrong: usize,
    /// The largest error, in units of its bound, and where it was.
    largest: (f64, String),
}

impl Tally {
    fn add(&mut self, comparison: &Comparison) {
        self.compared += 1;
        if !comparison.holds() {
            self.wrong += 1;
            println!("WRONG {:e} above {:e}: {}", comparison.error, comparison.bound, comparison.what());
        }
        let ratio = comparison.error / comparison.bound;
        if ratio > self.largest.0 {
            self.largest = (ratio, comparison.what().lines().next().unwrap_or_default().to_owned());
        }
    }

    fn join(&mut self, other: Tally) {
        self.problems += other.problems;
        self.compared += other.compared;
        self.wrong += other.wrong;
        if other.largest.0 > self.largest.0 {
            self.largest = other.largest;
        }
    }
}

/// How far all threads are. Work is counted in elements of lines.
struct Progress {
    start: Instant,
    all: usize,
    done: AtomicUsize,
}

/// How often it is said how far the test is.
const STEPS: usize = 20;

impl Progress {
    fn advance(&self, work: usize) {
        let before = self.done.fetch_add(work, Ordering::Relaxed);
        let [before, now] = [before, before + work].map(|done| done * STEPS / self.all);
        if now > before {
            eprintln!("{} % after {:.0} s", now * 100 / STEPS, self.start.elapsed().as_secs_f64());
        }
    }
}

/// Whether all kinds are right at all lengths up to `longest`, or those of a part of them.
pub(crate) fn verify(longest: usize, part: (usize, usize), threads: usize) -> bool {
    let (isas, sums) = (Isa::available(), sums());
    let lines: Vec<_> = lines(&sums, longest).into_iter().skip(part.0).step_by(part.1).collect();
    let all = lines.iter().map(|(n, kinds)| n * kinds.len()).sum();
    let progress = Progress { start: Instant::now(), all, done: AtomicUsize::new(0) };
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        let mut own = Tally::default();
        while let Some((n, kinds)) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            compare(kinds, *n, &isas, &mut own);
            progress.advance(n * kinds.len());
        }
        tally.lock().expect("no thread panics").join(own);
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let Tally { problems, compared, wrong, largest } = tally.into_inner().expect("no thread panics");
    let names = isas.iter().map(Isa::to_string).collect::<Vec<_>>().join(", ");
    println!(
        "verify: part {}/{}: {problems} kinds and lengths, {compared} executions on {names} in f32 and f64, {wrong} wrong, {:.0} s",
        part.0 + 1,
        part.1,
        progress.start.elapsed().as_secs_f64()
    );
    println!("the largest error is {:.2} of its bound: {}", largest.0, largest.1);
    wrong == 0 && compared > 0
}

/// Kinds whose sums are the same, but for the scale.
fn sums() -> Vec<Vec<Kind>> {
    let mut sums: Vec<Vec<Kind>> = vec![];
    for kind in Kind::ALL {
        match sums.iter_mut().find(|kinds| kinds[0].transform1d() == kind.transform1d()) {
            Some(kinds) => kinds.push(kind),
            None => sums.push(vec![kind]),
        }
    }
    sums
}

/// All lengths of all sums, the longest first: so all threads end at about the same time.
fn lines<'a>(sums: &'a [Vec<Kind>], longest: usize) -> Vec<(usize, &'a [Kind])> {
    let lengths = |kinds: &'a [Kind]| (kinds[0].min_length()..=longest).map(move |n| (n, kinds));
    let mut lines: Vec<_> = sums.iter().map(Vec::as_slice).flat_map(lengths).collect();
    lines.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    lines
}

/// The exact transform is summed once. Planners are made here and dropped, since they keep the
/// tables of all their plans.
fn compare(kinds: &[Kind], n: usize, isas: &[Isa], tally: &mut Tally) {
    let first = Lines::new(kinds[0], n, 1, n);
    let planners: Vec<_> = isas.iter().map(|isa| Planner::builder().isa(*isa).build().expect("it is there")).collect();
    for &kind in kinds {
        tally.problems += 1;
        let lines = if kind == kinds[0] { first.clone() } else { first.with_kind(kind) };
        for (planner, precision) in planners.iter().flat_map(|planner| PRECISIONS.map(|precision| (planner, precision)))
        {
            for at in arrangements(planner.isa(), precision) {
                let comparison = lines.compare(planner, precision, at);
                tally.add(&comparison.unwrap_or_else(|error| panic!("{kind} {n}: {error}")));
            }
        }
    }
}

/// One line, and so many rows and columns that a vector is filled, and one more begun.
fn arrangements(isa: Isa, precision: Precision) -> [Arrangement; 3] {
    let vector = match precision {
        Precision::F32 => isa.vector_bytes::<f32>(),
        Precision::F64 => isa.vector_bytes::<f64>(),
    };
    let lines = vector / precision.bytes() + 1;
    [(1, 1), (lines, 1), (1, lines)].map(|(outer, inner)| Arrangement { outer, inner })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_all_lengths_is_right() {
        assert!(verify(4096, (77, 20_000), 2));
    }

    #[test]
    fn every_kind_and_length_is_there_once() {
        let sums = sums();
        let mut all: Vec<_> =
            lines(&sums, 9).iter().flat_map(|(n, kinds)| kinds.iter().map(|kind| (*kind, *n))).collect();
        for kind in Kind::ALL {
            for n in kind.min_length()..=9 {
                let at = all.iter().position(|other| *other == (kind, n));
                all.swap_remove(at.unwrap_or_else(|| panic!("{kind} {n}")));
            }
        }
        assert!(all.is_empty(), "{all:?}");
    }

    #[test]
    fn shared_sums_are_those_of_each_kind() {
        for kinds in sums() {
            let shared = Lines::new(kinds[0], 12, 1, 12);
            for &kind in &kinds[1..] {
                assert_eq!(shared.with_kind(kind).exact, Lines::new(kind, 12, 1, 12).exact, "{kind}");
            }
        }
    }
}

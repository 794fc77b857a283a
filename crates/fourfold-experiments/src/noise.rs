//! By how much times of the same problem differ within a run, and which measurements other work on
//! the machine disturbed.

use std::ops::Range;

use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// A time of a job on a problem.
pub(crate) struct Recorded {
    pub(crate) what: String,
    pub(crate) ms: f64,
}

/// A copy that was timed beside what a row of a table has.
struct Copied {
    /// The row.
    what: String,
    /// The array, which several rows may share.
    array: String,
    ms: f64,
}

/// All times of a run, whatever table asked for them, and the copies beside them.
#[derive(Default)]
pub(crate) struct Record {
    times: Vec<Recorded>,
    copies: Vec<Copied>,
}

/// Copies of the same array that differ by more than this were disturbed. The page of `noise` says
/// so.
pub(crate) const DISTURBED: f64 = 1.3;

impl Record {
    pub(crate) fn add(&mut self, times: impl IntoIterator<Item = Recorded>) {
        self.times.extend(times);
    }

    /// Notes the copy beside a row.
    pub(crate) fn add_copy(&mut self, what: &str, array: &str, ms: f64) {
        self.copies.push(Copied { what: what.to_owned(), array: array.to_owned(), ms });
    }

    /// A copy's time over the least of its array in this run until now.
    pub(crate) fn excess(&self, array: &str, ms: f64) -> f64 {
        let of_array = self.copies.iter().filter(|copied| copied.array == array);
        of_array.map(|copied| ms / copied.ms).fold(1.0, f64::max)
    }

    /// How many copies were timed until now.
    pub(crate) fn copies(&self) -> usize {
        self.copies.len()
    }

    /// Of the copies with these numbers, the rows that were disturbed, each with its excess.
    pub(crate) fn disturbed(&self, copies: Range<usize>) -> Vec<String> {
        let excess = |copied: &Copied| (self.excess(&copied.array, copied.ms), copied.what.clone());
        let all = self.copies[copies].iter().map(excess).filter(|(excess, _)| *excess > DISTURBED);
        all.map(|(excess, what)| format!("{what} ({} times)", ratio(excess))).collect()
    }

    /// What was measured more than once, in the order of its first time.
    pub(crate) fn repeated(&self) -> Vec<Repeated> {
        let mut all: Vec<Repeated> = vec![];
        for Recorded { what, ms } in &self.times {
            match all.iter_mut().find(|one| one.what == *what) {
                Some(one) => one.ms.push(*ms),
                None => all.push(Repeated { what: what.clone(), ms: vec![*ms] }),
            }
        }
        all.retain(|one| one.ms.len() > 1);
        all
    }

    /// The least time of what was measured, if it was.
    pub(crate) fn least(&self, what: &str) -> Option<f64> {
        self.times.iter().filter(|one| one.what == what).map(|one| one.ms).reduce(f64::min)
    }

    /// The mean of the longest time over the shortest of what was measured more than once.
    pub(crate) fn noise(&self) -> f64 {
        Ratios::new(self.repeated().iter().map(Repeated::spread)).mean()
    }
}

/// The times of one job on one problem.
pub(crate) struct Repeated {
    pub(crate) what: String,
    ms: Vec<f64>,
}

impl Repeated {
    /// The longest over the shortest.
    pub(crate) fn spread(&self) -> f64 {
        let all = Ratios::new(self.ms.iter().copied());
        all.most() / all.least()
    }

    pub(crate) fn cells(&self) -> Vec<String> {
        let all = Ratios::new(self.ms.iter().copied());
        let times = [all.least(), all.most()].map(digits);
        let head = [self.what.clone(), self.ms.len().to_string()].into_iter();
        head.chain(times).chain([ratio(self.spread())]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_measured_again_counts() {
        let mut record = Record::default();
        let of = |(what, ms): (&str, f64)| Recorded { what: what.into(), ms };
        record.add([("a", 2.0), ("b", 9.0), ("c", 3.0), ("a", 3.0), ("c", 18.0)].map(of));
        let cells: Vec<_> = record.repeated().iter().map(Repeated::cells).collect();
        assert_eq!(cells, [["a", "2", "2.00", "3.00", "1.50"], ["c", "2", "3.00", "18.0", "6.00"]]);
        assert_eq!([record.least("a"), record.least("d")], [Some(2.0), None]);
        assert!((record.noise() - 3.0).abs() < 1e-12, "the geometric mean of 1.5 and 6");
    }

    #[test]
    fn copies_that_take_long_tell_disturbed_rows() {
        let mut record = Record::default();
        record.add_copy("first", "f64 8x8", 2.0);
        record.add_copy("other", "f32 8x8", 9.0);
        assert_eq!([record.excess("f64 8x8", 3.0), record.excess("f64 9x9", 3.0)], [1.5, 1.0]);
        record.add_copy("second", "f64 8x8", 1.0);
        record.add_copy("third", "f64 8x8", 1.2);
        // The first is known to be disturbed only afterwards.
        assert_eq!((record.disturbed(0..4), record.disturbed(1..4)), (vec!["first (2.00 times)".to_owned()], vec![]));
    }
}

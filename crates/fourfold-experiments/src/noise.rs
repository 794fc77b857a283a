//! By how much times of the same row of a table differ, and which measurements other work on the
//! machine disturbed.

use std::ops::Range;

use crate::ratios::Ratios;
use crate::rounding::ratio;

/// A time of a job on a problem, or of a copy beside it.
pub(crate) struct Recorded {
    pub(crate) what: String,
    pub(crate) ms: f64,
}

/// By how much the times of a row of a table vary.
struct Row {
    name: String,
    variation: f64,
}

/// All times of a run, each with the table that asked for it, and the rows that they are in.
#[derive(Default)]
pub(crate) struct Record {
    times: Vec<(&'static str, Recorded)>,
    rows: Vec<Row>,
}

/// Rows whose times vary by more than this were disturbed. The page of `noise` says so.
pub(crate) const DISTURBED: f64 = 1.3;

impl Record {
    pub(crate) fn add(&mut self, table: &'static str, times: impl IntoIterator<Item = Recorded>) {
        self.times.extend(times.into_iter().map(|one| (table, one)));
    }

    /// Notes by how much the times of a row vary.
    pub(crate) fn add_row(&mut self, name: &str, variation: f64) {
        self.rows.push(Row { name: name.to_owned(), variation });
    }

    /// How many rows were timed until now.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Of the rows with these numbers, those that were disturbed, each with what its times vary by.
    pub(crate) fn disturbed(&self, rows: Range<usize>) -> Vec<String> {
        let disturbed = self.rows[rows].iter().filter(|row| row.variation > DISTURBED);
        disturbed.map(|Row { name, variation }| format!("{name} ({} times)", ratio(*variation))).collect()
    }

    /// What a table measured more than once, in the order of its first time.
    pub(crate) fn repeated(&self, table: &str) -> Vec<Repeated> {
        self.together(|other| other == table)
    }

    /// What several tables measured, minutes apart: the least time of each.
    pub(crate) fn shared(&self) -> Vec<Repeated> {
        let mut all = self.together(|_| true);
        for one in &mut all {
            let mut tables: Vec<_> = self.times.iter().filter(|(_, time)| time.what == one.what).collect();
            tables.sort_by(|a, b| a.0.cmp(b.0).then(a.1.ms.total_cmp(&b.1.ms)));
            tables.dedup_by_key(|(table, _)| *table);
            one.ms = tables.into_iter().map(|(_, time)| time.ms).collect();
        }
        all.retain(|one| one.ms.len() > 1);
        all
    }

    /// What these tables measured more than once.
    fn together(&self, is_asked: impl Fn(&str) -> bool) -> Vec<Repeated> {
        let mut all: Vec<Repeated> = vec![];
        for (_, Recorded { what, ms }) in self.times.iter().filter(|(table, _)| is_asked(table)) {
            match all.iter_mut().find(|one| one.what == *what) {
                Some(one) => one.ms.push(*ms),
                None => all.push(Repeated { what: what.clone(), ms: vec![*ms] }),
            }
        }
        all.retain(|one| one.ms.len() > 1);
        all
    }

    /// The tables that measured anything, in their order.
    pub(crate) fn tables(&self) -> Vec<&'static str> {
        let mut tables: Vec<_> = self.times.iter().map(|(table, _)| *table).collect();
        tables.dedup();
        tables
    }

    /// The least time of what was measured, if it was.
    pub(crate) fn least(&self, what: &str) -> Option<f64> {
        self.times.iter().filter(|(_, one)| one.what == what).map(|(_, one)| one.ms).reduce(f64::min)
    }

    /// The noise of a table, if it measured anything again.
    pub(crate) fn noise(&self, table: &str) -> Option<Noise> {
        let spreads = Ratios::new(self.repeated(table).iter().map(Repeated::spread));
        (spreads.count() > 0).then(|| Noise { mean: spreads.mean(), most: spreads.most() })
    }
}

/// The factor by which times of the same row of a table differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    /// In the geometric mean, by which claims are judged.
    pub(crate) mean: f64,
    pub(crate) most: f64,
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(table: &'static str, times: &[(&str, f64)]) -> Record {
        let mut record = Record::default();
        record.add(table, times.iter().map(|&(what, ms)| Recorded { what: what.into(), ms }));
        record
    }

    #[test]
    fn only_what_a_table_measured_again_counts() {
        let mut record = record("t", &[("a", 2.0), ("b", 9.0), ("c", 3.0), ("a", 3.0), ("c", 18.0)]);
        let spreads = |all: Vec<Repeated>| all.iter().map(|one| (one.what.clone(), one.spread())).collect::<Vec<_>>();
        assert_eq!(spreads(record.repeated("t")), [("a".into(), 1.5), ("c".into(), 6.0)]);
        assert_eq!([record.least("a"), record.least("d")], [Some(2.0), None]);
        let noise = record.noise("t").unwrap();
        assert!((noise.mean - 3.0).abs() < 1e-12 && noise.most == 6.0, "the geometric mean of 1.5 and 6");
        assert_eq!(record.noise("u"), None);
        record.add("u", [Recorded { what: "c".into(), ms: 12.0 }]);
        assert_eq!(record.noise("u"), None, "other tables do not count");
        assert_eq!(spreads(record.shared()), [("c".into(), 4.0)], "the least of `t` is 3");
        assert_eq!(record.tables(), ["t", "u"]);
    }

    #[test]
    fn rows_whose_times_vary_were_disturbed() {
        let mut record = Record::default();
        for (name, variation) in [("first", 2.0), ("second", 1.0), ("third", 1.2)] {
            record.add_row(name, variation);
        }
        assert_eq!((record.disturbed(0..3), record.disturbed(1..3)), (vec!["first (2.00 times)".to_owned()], vec![]));
        assert_eq!(record.rows(), 3);
    }
}

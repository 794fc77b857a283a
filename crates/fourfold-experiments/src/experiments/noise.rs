//! How much times of the same row differ within a run: in each table, which measures some rows once
//! more, and between tables that measure the same.

use anyhow::Result;

use crate::measure::Setting;
use crate::noise::{DISTURBED, Record, Repeated};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::ratio;

/// What several tables measured, among the names of tables.
const SHARED: &str = "between tables";

/// What differs in a table, or between tables.
struct Differences {
    table: &'static str,
    all: Vec<Repeated>,
}

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let record = setting.record();
    let all = differences(&record);
    if all.is_empty() {
        return Ok(Outcome::LeftOut("no other table of this run measured times".into()));
    }
    let disturbed = record.disturbed(0..record.rows());
    let bars = all.iter().enumerate().map(|(i, one)| (i as f64, one.spreads().most()));
    Ok(Outcome::page(Page {
        title: format!("Noise: times of the same row, on {}", setting.engine()),
        text: vec![
            "Each table measures its first row and its middle one once more when it has measured all, with new plans and new arrays. First rows have the smallest arrays, so that on a device launches bound them. \
             Compared are the times of every algorithm and of the copy. Their longest over their shortest, in the geometric mean, is the noise of the table, by which its claims are judged; where rows were disturbed, the largest is. The last row compares what several tables measured, minutes apart."
                .into(),
            disturbances(&disturbed, setting.most_tries()),
        ],
        columns: strings(&["table", "compared", "longest/shortest, mean", "longest/shortest, most", "of"]),
        parts: vec![],
        claims: vec![],
        teaches: sentence(&all.iter().map(|one| (one.table, one.spreads())).collect::<Vec<_>>()),
        rows: all.iter().map(Differences::cells).collect(),
        plot: Plot {
            title: "Times of the same row".into(),
            labels: ["".into(), "longest / shortest, most".into()],
            lines: vec![Line { name: "ratio".into(), points: bars.collect() }],
            bars: all.iter().map(|one| one.table.to_owned()).collect(),
        },
    }))
}

fn differences(record: &Record) -> Vec<Differences> {
    let of_tables = record.tables().into_iter().map(|table| Differences { table, all: record.repeated(table) });
    let shared = Differences { table: SHARED, all: record.shared() };
    of_tables.chain([shared]).filter(|one| !one.all.is_empty()).collect()
}

impl Differences {
    fn spreads(&self) -> Ratios {
        Ratios::new(self.all.iter().map(Repeated::spread))
    }

    fn cells(&self) -> Vec<String> {
        let spreads = self.spreads();
        let most = self.all.iter().max_by(|a, b| a.spread().total_cmp(&b.spread()));
        let numbers = [spreads.count().to_string(), ratio(spreads.mean()), ratio(spreads.most())];
        let of = most.map(|most| most.what.clone()).unwrap_or_default();
        [self.table.to_owned()].into_iter().chain(numbers).chain([of]).collect()
    }
}

/// From the rows that were disturbed.
fn disturbances(rows: &[String], tries: usize) -> String {
    let times = ratio(DISTURBED);
    let what = format!(
        "A row is disturbed where the medians of its times, of every algorithm and of the copy, are more than {times} times the shortest, in the geometric mean."
    );
    let done = match tries {
        1 => "A quick run only marks such rows.".to_owned(),
        _ => format!("Such rows were measured up to {tries} times, and the measurement whose times vary least counts."),
    };
    match rows {
        [] => format!("{what} {done} No row stayed disturbed."),
        rows => format!("{what} {done} These stayed disturbed, by so much: {}.", rows.join("; ")),
    }
}

/// From the longest over the shortest in each table, and between tables.
pub(super) fn sentence(all: &[(&str, Ratios)]) -> String {
    let within = || all.iter().filter(|(table, _)| *table != SHARED);
    let (means, most) = (Ratios::new(within().map(|one| one.1.mean())), Ratios::new(within().map(|one| one.1.most())));
    let shared = all.iter().find(|(table, _)| *table == SHARED);
    let between = shared.map(|(_, shared)| format!(", and {} times at most between tables", ratio(shared.most())));
    format!(
        "Times of the same row differ by {} times in the mean of a table, {} times at most within one{}.",
        means.range(),
        ratio(most.most()),
        between.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Recorded;

    #[test]
    fn rows_that_stayed_disturbed_are_named() {
        assert!(
            disturbances(&[], 3).ends_with(
                "up to 3 times, and the measurement whose times vary least counts. No row stayed disturbed."
            )
        );
        assert!(
            disturbances(&["a (2.00 times)".into()], 1)
                .ends_with(" These stayed disturbed, by so much: a (2.00 times).")
        );
    }

    #[test]
    fn tables_are_apart_and_compared() {
        let mut record = Record::default();
        let of = |what: &str, ms: f64| Recorded { what: what.into(), ms };
        record.add("t", [of("a", 2.0), of("b", 9.0), of("a", 3.0)]);
        record.add("u", [of("a", 2.5), of("c", 1.0)]);
        let all = differences(&record);
        let cells: Vec<_> = all.iter().map(Differences::cells).collect();
        assert_eq!(cells, [["t", "1", "1.50", "1.50", "a"], [SHARED, "1", "1.25", "1.25", "a"]]);
        let spreads: Vec<_> = all.iter().map(|one| (one.table, one.spreads())).collect();
        assert_eq!(
            sentence(&spreads),
            "Times of the same row differ by 1.50 times in the mean of a table, 1.50 times at most within one, and 1.25 \
             times at most between tables."
        );
    }
}

//! How much times of the same problem differ within a run: what two tables measured, and what is
//! measured again at the end.

use anyhow::Result;

use crate::measure::{Recorded, Setting, Timed};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// Problems that this table measures itself, each so often.
const AGAIN: [&str; 2] = ["dct2 f64 512x512", "dct2 f64 1024x1024"];
const TIMES: usize = 2;

const JOBS: [Timed; 3] = [Timed::Whole("row-column"), Timed::Whole("three-stage"), Timed::Whole("fused")];

/// The times of one job on one problem.
struct Repeated {
    name: String,
    ms: Vec<f64>,
}

impl Repeated {
    /// The longest over the shortest.
    fn spread(&self) -> f64 {
        let all = Ratios::new(self.ms.iter().copied());
        all.most() / all.least()
    }

    fn cells(&self) -> Vec<String> {
        let all = Ratios::new(self.ms.iter().copied());
        let times = [all.least(), all.most()].map(digits);
        let head = [self.name.clone(), self.ms.len().to_string()].into_iter();
        head.chain(times).chain([ratio(self.spread())]).collect()
    }
}

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    for problem in AGAIN.iter().cycle().take(TIMES * AGAIN.len()) {
        setting.times(&problem.parse()?, &JOBS)?;
    }
    let all = repeated(&setting.record());
    let bars = all.iter().enumerate().map(|(i, one)| (i as f64, one.spread()));
    Ok(Outcome::page(Page {
        title: format!("Noise: times of the same problem, on {}", setting.engine()),
        text: vec![
            "Milliseconds of what several tables of this run measured, minutes apart, and of what this table measured twice at its end. Every measurement makes its own plans and arrays. \
             A ratio on this page that differs from 1 by less than the last column is noise."
                .into(),
            setting.how(),
        ],
        columns: strings(&["what", "measurements", "shortest", "longest", "longest/shortest"]),
        parts: vec![],
        claims: vec![],
        teaches: teaches(&all),
        rows: all.iter().map(Repeated::cells).collect(),
        plot: Plot {
            title: "Times of the same problem".into(),
            labels: ["".into(), "longest / shortest".into()],
            lines: vec![Line { name: "ratio".into(), points: bars.collect() }],
            bars: all.iter().map(|one| one.name.clone()).collect(),
        },
    }))
}

/// What was measured more than once, in the order of its first time.
fn repeated(record: &[Recorded]) -> Vec<Repeated> {
    let mut all: Vec<Repeated> = vec![];
    for Recorded { problem, job, ms } in record {
        let name = format!("`{problem}`, {}", job.in_words());
        match all.iter_mut().find(|one| one.name == name) {
            Some(one) => one.ms.push(*ms),
            None => all.push(Repeated { name, ms: vec![*ms] }),
        }
    }
    all.retain(|one| one.ms.len() > 1);
    all
}

fn teaches(all: &[Repeated]) -> String {
    let spreads = Ratios::new(all.iter().map(Repeated::spread));
    sentence(&spreads)
}

/// From the longest over the shortest of each.
pub(super) fn sentence(spreads: &Ratios) -> String {
    format!(
        "The same problem takes up to {} times as long in one measurement as in another, and {} times in the mean.",
        ratio(spreads.most()),
        ratio(spreads.mean())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_measured_again_counts() {
        let of = |problem: &str, job, ms| Recorded { problem: problem.into(), job, ms };
        let [fused, stage] = [Timed::Whole("fused"), Timed::Stage("fused", 1)];
        let record = [of("a", fused, 2.0), of("a", stage, 9.0), of("b", fused, 3.0), of("a", fused, 3.0)];
        let all = repeated(&record);
        assert_eq!(all.iter().map(Repeated::cells).collect::<Vec<_>>(), [["`a`, fused", "2", "2.00", "3.00", "1.50"]]);
        let sentence = "The same problem takes up to 1.50 times as long in one measurement as in another, and 1.50 times in the mean.";
        assert_eq!(teaches(&all), sentence);
    }
}

//! How much times of the same problem differ within a run: what two tables measured, and what is
//! measured again at the end.

use anyhow::Result;

use crate::measure::Setting;
use crate::noise::{DISTURBED, Repeated};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::ratio;

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    setting.learn_noise()?;
    setting.measure_again()?;
    let record = setting.record();
    let (all, disturbed) = (record.repeated(), record.disturbed(0..record.copies()));
    let bars = all.iter().enumerate().map(|(i, one)| (i as f64, one.spread()));
    Ok(Outcome::page(Page {
        title: format!("Noise: times of the same problem, on {}", setting.engine()),
        text: vec![
            "Milliseconds of what several tables of this run measured, minutes apart. The run itself measures some problems three times after its first table with claims on times, and once more here. \
             Every measurement makes its own plans and arrays. The mean of the last column is the noise, by which all claims of the run are judged."
                .into(),
            disturbances(&disturbed, setting.most_tries()),
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
            bars: all.iter().map(|one| one.what.clone()).collect(),
        },
    }))
}

/// From the rows that copies tell to be disturbed.
fn disturbances(rows: &[String], tries: usize) -> String {
    let times = ratio(DISTURBED);
    let what = format!(
        "A row is disturbed where a copy beside it took more than {times} times the least of its array in this run."
    );
    let done = match tries {
        1 => "A quick run only marks such rows.".to_owned(),
        _ => format!("Such rows were measured up to {tries} times, and the measurement with the shortest copy counts."),
    };
    match rows {
        [] => format!("{what} {done} No row stayed so."),
        rows => format!("{what} {done} These stayed so, with the copy's excess: {}.", rows.join("; ")),
    }
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
    fn rows_that_stayed_disturbed_are_named() {
        assert!(
            disturbances(&[], 3)
                .ends_with("up to 3 times, and the measurement with the shortest copy counts. No row stayed so.")
        );
        assert!(
            disturbances(&["a (2.00 times)".into()], 1)
                .ends_with(" These stayed so, with the copy's excess: a (2.00 times).")
        );
        let sentence = "The same problem takes up to 6.00 times as long in one measurement as in another, and 3.00 times in the mean.";
        assert_eq!(self::sentence(&Ratios::new([1.5, 6.0])), sentence);
    }
}

//! Table II: the reorder before a 2D DCT, following the output or the input.

use anyhow::Result;

use crate::claims::{Claim, margin_within};
use crate::measure::{Setting, Timed, Times, sides};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// N, and milliseconds of gather and scatter on a Titan Xp, as published.
const PUBLISHED: [(usize, [&str; 2]); 5] = [
    (512, ["0.013", "0.014"]),
    (1024, ["0.042", "0.043"]),
    (2048, ["0.160", "0.163"]),
    (4096, ["0.627", "0.633"]),
    (8192, ["2.568", "2.524"]),
];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let jobs = [Timed::Stage("three-stage-gather", 0), Timed::Stage("three-stage-scatter", 0)];
    let (mut rows, mut lines, mut quotients) = (vec![], [vec![], vec![], vec![]], [vec![], vec![]]);
    let sides = sides(setting, &PUBLISHED.map(|(side, _)| side))?;
    let all = setting.each(&sides, |side| setting.times(&format!("dct2 f64 {side}x{side}").parse()?, &jobs))?;
    for (side, Times { ms: times, copy, .. }) in sides.into_iter().zip(all) {
        let published = PUBLISHED.iter().find(|(n, _)| *n == side).map_or([""; 2], |(_, times)| *times);
        let today = [times[0], times[1], copy];
        lines.iter_mut().zip(today).for_each(|(line, time)| line.push((side as f64, time)));
        quotients[0].push(times[0] / times[1]);
        quotients[1].push(times[1] / copy);
        let cells = published.map(str::to_owned).into_iter().chain(today.map(digits));
        let ratios = [times[0] / times[1], times[1] / copy].map(ratio);
        rows.push([side.to_string()].into_iter().chain(cells).chain(ratios).collect());
    }
    let quotients = quotients.map(Ratios::new);
    let line = |(name, points): (&str, Vec<(f64, f64)>)| Line { name: name.into(), points };
    Ok(Outcome::page(Page {
        title: format!("Table II: reordering an N × N array, on {}", setting.engine()),
        text: vec![
            "Milliseconds of the first stage of a 2D DCT in f64. It puts the even indices first, ascending, then the odd ones, descending, along both axes (eq. 13). \
             Gather goes through the output in order, scatter through the input. Published: one element a thread, on a Titan Xp."
                .into(),
            setting.how(),
        ],
        columns: strings(&[
            "N", "gather, published", "scatter, published", "gather", "scatter", "copy", "gather/scatter", "scatter/copy",
        ]),
        parts: vec![],
        claims: vec![claim(&quotients[0])],
        teaches: teaches(&quotients),
        rows,
        plot: Plot {
            title: "Reordering an N × N array".into(),
            labels: ["N".into(), "ms".into()],
            lines: ["gather", "scatter", "copy"].into_iter().zip(lines).map(line).collect(),
            bars: vec![],
        },
    }))
}

/// From gather over scatter.
fn claim(gather: &Ratios) -> Claim {
    Claim::timed(
        "gather and scatter take similar times (within 10 %)",
        format!("gather takes {} as long as scatter", gather.times()),
        margin_within([1.0 / 1.1, 1.1], [gather.least(), gather.most()]),
    )
}

/// From gather over scatter, and scatter over a copy.
pub(super) fn teaches([gather, copies]: &[Ratios; 2]) -> String {
    format!("Scatter is {} as fast as gather, and takes {} as long as a copy.", gather.times(), copies.times())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn one_that_is_not_similar_decides() {
        let held = |ratios: [f64; 2]| verdicts(&[claim(&Ratios::new(ratios))])[0];
        assert_eq!([[0.95, 1.05], [0.95, 1.2], [0.8, 1.0]].map(held), [true, false, false]);
    }
}

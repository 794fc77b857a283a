//! The transpose fused into the reorder and the combine, where one length is much the larger
//! (section IV-C of the paper).

use std::ops::RangeInclusive;

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::table::{digits, ratio};

use crate::measure::{Setting, Timed};
use crate::page::{Outcome, Page, Part};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;

/// Rows and columns, and the published milliseconds of the FFTs before a DCT and before an IDCT.
const SHAPES: [([usize; 2], [&str; 2]); 5] = [
    ([100, 10000], ["0.39", "0.41"]),
    ([10000, 100], ["0.48", "0.49"]),
    ([64, 16384], ["", ""]),
    ([16384, 64], ["", ""]),
    ([1000, 1000], ["", ""]),
];

/// Of those, a quick run's.
const QUICK: usize = 2;

/// The names of the paper, and ours of what costs the same.
const TRANSFORMS: [(&str, &str); 2] = [("DCT", "dct2"), ("IDCT", "dct3")];

const JOBS: [(&str, Timed); 8] = [
    ("FFT", Timed::Stage("three-stage", 1)),
    ("FFT of the transposed", Timed::Stage("three-stage-transposed", 1)),
    ("not transposed", Timed::Whole("three-stage")),
    ("transposed by two trips", Timed::Whole("three-stage-transposed-trips")),
    ("reorder and a trip", Timed::Whole("three-stage-transposed-reorder")),
    ("a trip and combine", Timed::Whole("three-stage-transposed-combine")),
    ("reorder and combine", Timed::Whole("three-stage-transposed")),
    ("fused", Timed::Whole("fused")),
];

/// Where [`JOBS`] has what the last columns and the sentence compare.
const FFT: usize = 0;
const TRANSPOSED_FFT: usize = 1;
const PLAIN: usize = 2;
const TRANSPOSED: usize = 6;
/// All ways to transpose.
const WAYS: RangeInclusive<usize> = 3..=TRANSPOSED;

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let shapes: &[([usize; 2], [&str; 2])] = if setting.quick { &SHAPES[..QUICK] } else { &SHAPES };
    let (mut rows, mut all) = (vec![], vec![vec![]; JOBS.len()]);
    let mut lines: Vec<Line> = vec![];
    for &([n1, n2], published) in shapes {
        for ((name, kind), published) in TRANSFORMS.into_iter().zip(published) {
            let problem: Problem = format!("{kind} f64 {n1}x{n2}").parse()?;
            let (times, _) = setting.times(&problem, &JOBS.map(|(_, job)| job))?;
            let shape = format!("{n1} × {n2}");
            let quotients = [times[TRANSPOSED_FFT] / times[FFT], times[TRANSPOSED] / times[PLAIN]].map(ratio);
            let head = [shape.clone(), name.to_owned(), published.to_owned()].into_iter();
            rows.push(head.chain(times.iter().copied().map(digits)).chain(quotients).collect());
            let bars = times.iter().enumerate().map(|(i, ms)| (i as f64, *ms));
            lines.push(Line { name: format!("{shape}, {name}"), points: bars.collect() });
            all.iter_mut().zip(times).for_each(|(list, ms)| list.push(ms));
        }
    }
    let heads = ["N₁ × N₂", "transform", "FFT, published"].into_iter().chain(JOBS.map(|(name, _)| name));
    let columns = heads.chain(["FFT of the transposed/FFT", "reorder and combine/not transposed"]);
    Ok(Outcome::page(Page {
        title: format!("Section IV-C: transposing within the reorder and the combine, on {}", setting.engine()),
        text: vec![
            "Milliseconds of 2D DCTs by three stages, in f64. The paper found that the FFT of 100 × 10000 takes less time than that of 10000 × 100. It proposes to transpose an array \
             where that helps, and says that the transpose is part of the reorder and of the combine without overhead; it does not measure this. \
             Here all columns after `not transposed` compute the FFT of the N₂ × N₁ array. The transpose before it and the one after it are each a trip through memory, or part of \
             the reorder or of the combine. `fused` is fourfold's own method. Published: on a Titan Xp."
                .into(),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 100x10000".parse()?)?),
        ],
        columns: columns.map(str::to_owned).collect(),
        parts: vec![Part::whole(teaches(&all))],
        rows,
        plot: Plot {
            title: "2D DCTs by FFTs of transposed arrays".into(),
            labels: ["".into(), "ms".into()],
            lines,
            bars: JOBS.map(|(name, _)| name.to_owned()).to_vec(),
        },
    }))
}

/// From the times of each job: whether the fastest way to transpose is without overhead.
pub(super) fn teaches(all: &[Vec<f64>]) -> String {
    let best = |i: usize| WAYS.map(|way| all[way][i]).fold(f64::INFINITY, f64::min);
    let best: Vec<f64> = (0..all[PLAIN].len()).map(best).collect();
    let overhead = Ratios::of(&best, &all[PLAIN]);
    format!(
        "The fastest way to transpose takes {} times as long as `not transposed`, saving time {}: it has {}overhead.",
        overhead.range(),
        Ratios::of(&all[PLAIN], &best).above_one(),
        if overhead.all_within(0.0..=1.0) { "no " } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_whether_transposing_pays() {
        let mut all = vec![vec![1.0, 1.0]; JOBS.len()];
        WAYS.for_each(|way| all[way] = vec![3.0, 3.0]);
        (all[4][0], all[TRANSPOSED][1]) = (2.0, 0.5);
        assert_eq!(
            teaches(&all),
            "The fastest way to transpose takes 0.50 to 2.00 times as long as `not transposed`, saving time in 1 of 2 cases: \
             it has overhead."
        );
        all[5][0] = 1.0;
        assert!(teaches(&all).ends_with("in 1 of 2 cases: it has no overhead."));
    }
}

//! Figure 6: what each stage of a 2D DCT takes.

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::table::digits;

use crate::measure::{AUTHORS, Setting, Timed};
use crate::page::{Outcome, Page, WHOLE, strings};
use crate::plot::{Line, Plot};

const STAGES: [&str; 3] = ["reorder", "FFT", "combine"];

/// Milliseconds of the three stages of the authors' code at 4096 × 4096: see [`AUTHORS`].
const ON_H200: (usize, [&str; 3]) = (4096, ["0.081", "0.218", "0.078"]);

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let sides: &[usize] = if setting.quick { &[1024] } else { &[1024, 4096] };
    let stages = [0, 1, 2].map(|stage| Timed::Stage("three-stage", stage));
    let jobs: Vec<Timed> = [Timed::Whole("three-stage")].into_iter().chain(stages).collect();
    let (mut rows, mut lines, mut shares) = (vec![], vec![], vec![]);
    for &side in sides {
        let problem: Problem = format!("dct2 f64 {side}x{side}").parse()?;
        let (times, copy) = setting.times(&problem, &jobs)?;
        let (whole, parts) = (times[0], &times[1..]);
        let sum: f64 = parts.iter().sum();
        shares.push(format!("{:.0} % at {side} × {side}", 100.0 * (sum - parts[1]) / sum));
        let bars = parts.iter().enumerate().map(|(i, part)| (i as f64, 100.0 * part / sum));
        lines.push(Line { name: format!("{side} × {side}"), points: bars.collect() });
        rows.extend(rows_of(side, parts, whole, copy));
    }
    Ok(Outcome::page(Page {
        title: format!("Figure 6: the stages of a 2D DCT, on {}", setting.engine()),
        text: vec![
            format!(
                "Milliseconds of each stage alone, and of the three one after another, in f64. Shares are of the sum of the three. Published: the text that goes with the figure, \
                 at 1024 × 1024 on a Titan Xp. {AUTHORS}"
            ),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 1024x1024".parse()?)?),
        ],
        columns: strings(&[
            "N × N",
            "stage",
            "share, published",
            "authors' code, 2026-11-21, ms",
            "ms",
            "share",
            "× copy",
        ]),
        parts: WHOLE,
        rows,
        teaches: format!(
            "Reorder and combine together take {} of the three stages' time; published: about 20 % at 1024 × 1024.",
            shares.join(" and ")
        ),
        plot: Plot {
            title: "Stages of a 2D DCT".into(),
            labels: ["".into(), "% of their sum".into()],
            lines,
            bars: strings(&STAGES),
        },
    }))
}

/// The rows of an array of this side: the stages, and the three in order.
fn rows_of(side: usize, parts: &[f64], whole: f64, copy: f64) -> Vec<Vec<String>> {
    let (array, sum): (_, f64) = (format!("{side} × {side}"), parts.iter().sum());
    let row = |(i, (stage, part)): (usize, (&&str, &f64))| {
        let authors = if side == ON_H200.0 { ON_H200.1[i] } else { "" };
        let published = if side == 1024 { PUBLISHED[i] } else { "" };
        let share = format!("{:.0} %", 100.0 * part / sum);
        let cells = [(*stage).to_owned(), published.to_owned(), authors.to_owned(), digits(*part), share];
        [array.clone()].into_iter().chain(cells).chain([digits(part / copy)]).collect()
    };
    let mut rows: Vec<Vec<String>> = STAGES.iter().zip(parts).enumerate().map(row).collect();
    let together = ["the three in order".to_owned(), String::new(), String::new(), digits(whole), String::new()];
    rows.push([array.clone()].into_iter().chain(together).chain([digits(whole / copy)]).collect());
    rows
}

/// Shares at 1024 × 1024.
const PUBLISHED: [&str; 3] = ["with the combine about 20 %", "most", "with the reorder about 20 %, and more than it"];

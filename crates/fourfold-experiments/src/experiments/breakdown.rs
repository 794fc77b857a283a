//! Figure 6: what each stage of a 2D DCT takes.

use anyhow::Result;

use crate::claims::{Claim, margin_within};
use crate::how::AUTHORS;
use crate::measure::{Setting, Timed, Times};
use crate::page::{Outcome, Page};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

const STAGES: [&str; 3] = ["reorder", "FFT", "combine"];

/// Milliseconds of the three stages of the authors' code at 4096 × 4096: see [`AUTHORS`].
const ON_H200: (usize, [&str; 3]) = (4096, ["0.081", "0.218", "0.078"]);

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let sides: &[usize] = if setting.quick { &[1024] } else { &[1024, 4096] };
    let stages = [0, 1, 2].map(|stage| Timed::Stage("three-stage", stage));
    let jobs: Vec<Timed> = [Timed::Whole("three-stage")].into_iter().chain(stages).collect();
    let (mut rows, mut lines, mut all) = (vec![], vec![], vec![]);
    let measured = setting.each(sides, |side| setting.times(&format!("dct2 f64 {side}x{side}").parse()?, &jobs))?;
    for (&side, Times { ms, copy, .. }) in sides.iter().zip(measured) {
        let (whole, parts) = (ms[0], &ms[1..]);
        let sum: f64 = parts.iter().sum();
        all.push([parts[0], parts[1], parts[2]]);
        let bars = parts.iter().enumerate().map(|(i, part)| (i as f64, 100.0 * part / sum));
        lines.push(Line { name: format!("{side} × {side}"), points: bars.collect() });
        rows.extend(rows_of(side, parts, whole, copy, setting.is_cuda()));
    }
    Ok(Outcome::page(Page {
        title: format!("Figure 6: the stages of a 2D DCT, on {}", setting.engine()),
        text: vec![
            format!(
                "Milliseconds of each stage alone, and of the three one after another, in f64. Shares are of the sum of the three. Published: the text that goes with the figure, \
                 at 1024 × 1024 on a Titan Xp.{}",
                if setting.is_cuda() { format!(" {AUTHORS}") } else { String::new() }
            ),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 1024x1024".parse()?)?),
        ],
        columns: columns(setting.is_cuda()),
        parts: vec![],
        claims: claims(&all),
        teaches: teaches(&all),
        rows,
        plot: Plot {
            title: "Stages of a 2D DCT".into(),
            labels: ["".into(), "% of their sum".into()],
            lines,
            bars: STAGES.map(str::to_owned).to_vec(),
        },
    }))
}

/// Where the columns have the time of the authors' code, which only pages of CUDA show.
const AUTHORS_COLUMN: usize = 3;

fn columns(is_cuda: bool) -> Vec<String> {
    let all = ["N × N", "stage", "share, published", "authors' code, 2026-11-21, ms", "ms", "share", "× copy"];
    shown(all.map(str::to_owned), is_cuda)
}

/// The cells of the columns that a page shows.
fn shown(cells: [String; 7], is_cuda: bool) -> Vec<String> {
    cells.into_iter().enumerate().filter(|(i, _)| is_cuda || *i != AUTHORS_COLUMN).map(|(_, cell)| cell).collect()
}

/// The share of reorder and combine in the stages.
fn share(stages: &[f64; 3]) -> f64 {
    1.0 - stages[1] / stages.iter().sum::<f64>()
}

/// From the milliseconds of the stages at 1024 × 1024 and larger.
fn claims(all: &[[f64; 3]]) -> Vec<Claim> {
    let first = &all[0];
    let [share_there, combine] = [share(first), first[2] / first[0]];
    let ffts: Vec<String> = all.iter().map(|stages| format!("{:.0} %", 100.0 * (1.0 - share(stages)))).collect();
    vec![
        Claim::timed(
            "reorder and combine take about 20 % at 1024 × 1024 (15 % to 25 %)",
            format!("{:.0} %", 100.0 * share_there),
            margin_within([0.15, 0.25], [share_there; 2]),
        ),
        Claim::timed(
            "the FFT takes most",
            format!("it takes {}", ffts.join(" and ")),
            Ratios::new(all.iter().map(|stages| stages[1] / (stages[0] + stages[2]))).least(),
        ),
        Claim::timed(
            "the combine takes relatively longer than the reorder at 1024 × 1024",
            format!("{} times as long", ratio(combine)),
            combine,
        ),
    ]
}

/// From the same.
pub(super) fn teaches(all: &[[f64; 3]]) -> String {
    let first = &all[0];
    format!(
        "At 1024 × 1024 reorder and combine take {:.0} % (published: about 20 %) and the FFT {:.0} %; the combine takes {} times as long as the reorder.",
        100.0 * share(first),
        100.0 * (1.0 - share(first)),
        ratio(first[2] / first[0])
    )
}

/// The rows of an array of this side: the stages, and the three in order.
fn rows_of(side: usize, parts: &[f64], whole: f64, copy: f64, is_cuda: bool) -> Vec<Vec<String>> {
    let (array, sum): (_, f64) = (format!("{side} × {side}"), parts.iter().sum());
    let row = |(i, (stage, part)): (usize, (&&str, &f64))| {
        let authors = if side == ON_H200.0 { ON_H200.1[i] } else { "" };
        let published = if side == 1024 { PUBLISHED[i] } else { "" };
        let share = format!("{:.0} %", 100.0 * part / sum);
        let [stage, published, authors] = [*stage, published, authors].map(str::to_owned);
        shown([array.clone(), stage, published, authors, digits(*part), share, ratio(part / copy)], is_cuda)
    };
    let mut rows: Vec<Vec<String>> = STAGES.iter().zip(parts).enumerate().map(row).collect();
    let nothing = String::new;
    let together =
        ["the three in order".to_owned(), nothing(), nothing(), digits(whole), nothing(), ratio(whole / copy)];
    let [stage, published, authors, whole, share, copies] = together;
    rows.push(shown([array, stage, published, authors, whole, share, copies], is_cuda));
    rows
}

/// Shares at 1024 × 1024.
const PUBLISHED: [&str; 3] = ["with the combine about 20 %", "most", "with the reorder about 20 %, and more than it"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn all_three_claims_are_judged() {
        let held = |all: &[[f64; 3]]| verdicts(&claims(all));
        assert_eq!(held(&[[0.9, 8.0, 1.1], [2.0, 6.0, 2.0]]), [true, true, true]);
        assert_eq!(held(&[[2.1, 6.0, 1.9], [3.0, 4.0, 3.0]]), [false, false, false]);
        assert_eq!(
            teaches(&[[1.0, 8.0, 1.5]]),
            "At 1024 × 1024 reorder and combine take 24 % (published: about 20 %) and the FFT 76 %; the combine \
             takes 1.50 times as long as the reorder."
        );
    }

    #[test]
    fn only_pages_of_cuda_show_the_authors_times() {
        let rows = |is_cuda| rows_of(4096, &[1.0, 2.0, 1.0], 4.5, 0.5, is_cuda);
        assert_eq!(rows(true)[0], ["4096 × 4096", "reorder", "", "0.081", "1.00", "25 %", "2.00"]);
        assert_eq!(rows(false)[0], ["4096 × 4096", "reorder", "", "1.00", "25 %", "2.00"]);
        for is_cuda in [true, false] {
            assert!(rows(is_cuda).iter().all(|row| row.len() == columns(is_cuda).len()));
        }
    }
}

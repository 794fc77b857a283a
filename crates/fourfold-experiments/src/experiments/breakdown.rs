//! Figure 6: what each stage of a 2D DCT takes.

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::table::digits;

use crate::measure::{AUTHORS, Setting, Timed};
use crate::page::{Outcome, Page, Part};
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
        shares.push(1.0 - parts[1] / sum);
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
        parts: vec![Part::whole(teaches(&shares))],
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

/// From the shares of reorder and combine at 1024 × 1024 and larger.
pub(super) fn teaches(shares: &[f64]) -> String {
    let verdict = |holds: bool| if holds { "holds" } else { "fails" };
    format!(
        "Reorder and combine take {:.0} % at 1024 × 1024, so the claim of about 20 % {}; that the FFT takes most {}.",
        100.0 * shares[0],
        verdict((0.15..0.25).contains(&shares[0])),
        verdict(shares.iter().all(|share| *share < 0.5))
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
        shown([array.clone(), stage, published, authors, digits(*part), share, digits(part / copy)], is_cuda)
    };
    let mut rows: Vec<Vec<String>> = STAGES.iter().zip(parts).enumerate().map(row).collect();
    let nothing = String::new;
    let together =
        ["the three in order".to_owned(), nothing(), nothing(), digits(whole), nothing(), digits(whole / copy)];
    let [stage, published, authors, whole, share, copies] = together;
    rows.push(shown([array, stage, published, authors, whole, share, copies], is_cuda));
    rows
}

/// Shares at 1024 × 1024.
const PUBLISHED: [&str; 3] = ["with the combine about 20 %", "most", "with the reorder about 20 %, and more than it"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_whether_both_claims_hold() {
        assert_eq!(
            teaches(&[0.2, 0.4]),
            "Reorder and combine take 20 % at 1024 × 1024, so the claim of about 20 % holds; that the FFT takes most holds."
        );
        assert!(teaches(&[0.39, 0.6]).ends_with("20 % fails; that the FFT takes most fails."));
    }

    #[test]
    fn only_pages_of_cuda_show_the_authors_times() {
        let rows = |is_cuda| rows_of(4096, &[1.0, 2.0, 1.0], 4.5, 0.5, is_cuda);
        assert_eq!(rows(true)[0], ["4096 × 4096", "reorder", "", "0.081", "1.000", "25 %", "2.000"]);
        assert_eq!(rows(false)[0], ["4096 × 4096", "reorder", "", "1.000", "25 %", "2.000"]);
        for is_cuda in [true, false] {
            assert!(rows(is_cuda).iter().all(|row| row.len() == columns(is_cuda).len()));
        }
    }
}

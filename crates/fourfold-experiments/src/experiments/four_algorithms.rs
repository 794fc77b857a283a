//! Table IV: four algorithms for a 1D DCT by FFTs of different lengths.

use anyhow::Result;
use fourfold::timing::table::{digits, ratio};

use crate::measure::{AUTHORS, Setting, Timed};
use crate::page::{Outcome, Page, Part};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;

const METHODS: [&str; 4] = ["four-n", "two-n-mirrored", "two-n-padded", "n-point"];

/// log₂ N, and microseconds of the four on a Titan Xp, as published.
const PUBLISHED: [(u32, [&str; 4]); 5] = [
    (14, ["190.41", "155.34", "144.32", "101.62"]),
    (15, ["292.34", "207.29", "208.76", "122.60"]),
    (16, ["416.20", "301.66", "309.32", "133.50"]),
    (17, ["639.64", "414.04", "443.18", "158.96"]),
    (18, ["1099.31", "645.24", "652.23", "215.99"]),
];

/// The same of the authors' code on one H200, replayed from a CUDA graph, for the lengths that were
/// measured: see [`AUTHORS`].
const ON_H200: [(u32, [&str; 4]); 3] = [
    (14, ["12.0", "29.6", "29.7", "14.7"]),
    (16, ["16.8", "13.7", "13.8", "13.6"]),
    (18, ["31.5", "22.2", "21.9", "18.1"]),
];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let (mut rows, mut lines, mut all) = (vec![], vec![vec![]; METHODS.len() + 1], vec![vec![]; METHODS.len() + 1]);
    let jobs: Vec<Timed> = METHODS.into_iter().chain(["fused"]).map(Timed::Whole).collect();
    for (log, published) in PUBLISHED {
        let n = 1usize << log;
        let (times, _) = setting.times(&format!("dct2 f64 {n}").parse()?, &jobs)?;
        let times: Vec<f64> = times.into_iter().map(|ms| 1e3 * ms).collect();
        lines.iter_mut().zip(&times).for_each(|(line, time)| line.push((n as f64, *time)));
        all.iter_mut().zip(&times).for_each(|(list, time)| list.push(*time));
        let authors = ON_H200.iter().find(|(known, _)| *known == log).map(|(_, times)| *times).unwrap_or_default();
        let authors = authors.into_iter().filter(|_| setting.is_cuda());
        let cells = published.into_iter().chain(authors).map(str::to_owned);
        let (today, ratios) = (times.iter().copied().map(digits), times[..3].iter().map(|time| ratio(time / times[3])));
        rows.push([format!("2^{log}")].into_iter().chain(cells).chain(today).chain(ratios).collect());
    }
    let heads = |of: &'static str| METHODS.into_iter().map(move |method| format!("{method}{of}"));
    let authors = heads(", authors' code, 2026-11-21").filter(|_| setting.is_cuda());
    let columns = ["N".to_owned()].into_iter().chain(heads(", published")).chain(authors);
    let columns = columns.chain(heads("")).chain(["fused".to_owned()]);
    let columns = columns.chain(METHODS[..3].iter().map(|method| format!("{method}/n-point"))).collect();
    let names = METHODS.into_iter().chain(["fused"]);
    Ok(Outcome::page(Page {
        title: format!("Table IV: four algorithms for a 1D DCT, on {}", setting.engine()),
        text: vec![
            text(setting.is_cuda()),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 16384".parse()?)?),
        ],
        columns,
        parts: vec![Part::whole(teaches(&all))],
        rows,
        plot: Plot {
            title: "1D DCT by four algorithms".into(),
            labels: ["N".into(), "µs".into()],
            lines: names.zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

fn text(is_cuda: bool) -> String {
    let authors = format!(
        " {AUTHORS} It ran from a CUDA graph, with the same arrays in every run; the other columns launch their kernels one by one."
    );
    format!("Microseconds, in f64. Published: on a Titan Xp.{}", if is_cuda { &authors } else { "" })
}

/// From the times of the four and of fused passes.
pub(super) fn teaches(all: &[Vec<f64>]) -> String {
    let lengths = all[3].len();
    let is_beaten = |i: &usize| (0..3).any(|method| all[method][*i] < all[3][*i]);
    let verdict = match (0..lengths).filter(is_beaten).count() {
        0 => format!("holds at all {lengths} lengths"),
        beaten => format!("fails at {beaten} of {lengths} lengths"),
    };
    format!(
        "The claim that the N-point algorithm is the fastest {verdict}; fused passes are {} times as fast.",
        Ratios::of(&all[3], &all[4]).range()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_where_the_claim_fails() {
        let mut all = vec![vec![3.0, 3.0], vec![4.0, 4.0], vec![5.0, 5.0], vec![2.0, 2.0], vec![1.0, 0.5]];
        assert_eq!(
            teaches(&all),
            "The claim that the N-point algorithm is the fastest holds at all 2 lengths; fused passes are 2.00 to 4.00 \
             times as fast."
        );
        all[2][1] = 1.5;
        assert!(teaches(&all).contains("the fastest fails at 1 of 2 lengths; "));
    }
}

//! Table IV: four algorithms for a 1D DCT by FFTs of different lengths.

use anyhow::Result;
use fourfold::timing::table::{digits, ratio};

use crate::measure::{AUTHORS, Setting, Timed};
use crate::page::{Outcome, Page, WHOLE};
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
        let h200 = ON_H200.iter().find(|(known, _)| *known == log).map(|(_, times)| *times);
        let cells = published.into_iter().chain(h200.unwrap_or_default()).map(str::to_owned);
        let (today, ratios) = (times.iter().copied().map(digits), times[..3].iter().map(|time| ratio(time / times[3])));
        rows.push([format!("2^{log}")].into_iter().chain(cells).chain(today).chain(ratios).collect());
    }
    let heads = |of: &'static str| METHODS.into_iter().map(move |method| format!("{method}{of}"));
    let columns = ["N".to_owned()].into_iter().chain(heads(", published")).chain(heads(", authors' code, 2026-11-21"));
    let columns = columns.chain(heads("")).chain(["fused".to_owned()]);
    let columns = columns.chain(METHODS[..3].iter().map(|method| format!("{method}/n-point"))).collect();
    let names = METHODS.into_iter().chain(["fused"]);
    Ok(Outcome::page(Page {
        title: format!("Table IV: four algorithms for a 1D DCT, on {}", setting.engine()),
        text: vec![
            format!(
                "Microseconds, in f64. Published: on a Titan Xp. {AUTHORS} It ran from a CUDA graph, with the same arrays in every run; the other columns launch their kernels one by one."
            ),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 16384".parse()?)?),
        ],
        columns,
        parts: WHOLE,
        rows,
        teaches: teaches(&all),
        plot: Plot {
            title: "1D DCT by four algorithms".into(),
            labels: ["N".into(), "µs".into()],
            lines: names.zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

/// From the times of the four and of fused passes.
fn teaches(all: &[Vec<f64>]) -> String {
    let others = (0..all[3].len()).flat_map(|i| [0, 1, 2].map(|method| all[method][i] / all[3][i]));
    format!(
        "The algorithm of N points is {} as fast as the other three, and fused passes are {} as fast as it.",
        Ratios::new(others).times(),
        Ratios::of(&all[3], &all[4]).times()
    )
}

//! Table V: 2D DCT and IDCT by rows and columns, in three stages, and the FFT that these have.

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::table::{digits, ratio};
use fourfold_gpu::Api;

use crate::measure::{Job, QUICK_SIDE, Setting, only_for};
use crate::page::{Outcome, Page, Part, strings};
use crate::plot::{Line, Plot};

/// A transform of a shape with what others measured of it, in milliseconds; empty where there is no
/// figure.
struct Row {
    shape: [usize; 2],
    transform: Transform,
    /// On a Titan Xp, as published: MATLAB, row-column, three stages, the FFT alone.
    published: [&'static str; 4],
    /// MATLAB, row-column and the FFT alone over three stages, as published.
    ratios: [&'static str; 3],
    /// The authors' code on one H200, f64: row-column, three stages, cuFFT.
    h200: [&'static str; 3],
}

/// The paper's name, and ours of what costs the same.
type Transform = (&'static str, &'static str);

const DCT: Transform = ("DCT", "dct2");
const IDCT: Transform = ("IDCT", "dct3");
const IDCT_IDXST: Transform = ("IDCT_IDXST", "idct_idxst");

const ROWS: [Row; 18] = [
    row([512, 512], DCT, ["2.43", "0.19", "0.12", "0.10"], ["20.18", "1.61", "0.81"], ["0.0269", "0.0187", "0.0120"]),
    row([512, 512], IDCT, ["", "0.24", "0.13", "0.10"], ["", "1.87", "0.81"], ["", "0.0199", "0.0112"]),
    row([512, 512], IDCT_IDXST, ["", "", "0.13", ""], ["", "", ""], ["", "", ""]),
    row([1024, 1024], DCT, ["9.83", "0.66", "0.37", "0.33"], ["26.34", "1.76", "0.88"], ["0.0540", "0.0344", "0.0214"]),
    row([1024, 1024], IDCT, ["", "0.88", "0.42", "0.35"], ["", "2.10", "0.83"], ["", "0.0365", "0.0223"]),
    row([1024, 1024], IDCT_IDXST, ["", "", "0.42", ""], ["", "", ""], ["", "", ""]),
    row(
        [2048, 2048],
        DCT,
        ["30.62", "2.58", "1.46", "1.12"],
        ["20.91", "1.76", "0.77"],
        ["0.1924", "0.1047", "0.0599"],
    ),
    row([2048, 2048], IDCT, ["", "3.45", "1.62", "1.28"], ["", "2.13", "0.79"], ["", "0.1060", "0.0644"]),
    row([2048, 2048], IDCT_IDXST, ["", "", "1.63", ""], ["", "", ""], ["", "", ""]),
    row(
        [4096, 4096],
        DCT,
        ["122.79", "12.28", "5.80", "4.44"],
        ["21.15", "2.11", "0.77"],
        ["0.6777", "0.3913", "0.2263"],
    ),
    row([4096, 4096], IDCT, ["", "15.80", "6.44", "5.04"], ["", "2.45", "0.78"], ["", "0.3955", "0.2263"]),
    row([4096, 4096], IDCT_IDXST, ["", "", "6.80", ""], ["", "", ""], ["", "0.395", ""]),
    row(
        [8192, 8192],
        DCT,
        ["525.03", "54.18", "25.78", "20.11"],
        ["20.37", "2.10", "0.78"],
        ["3.038", "1.720", "1.081"],
    ),
    row([8192, 8192], IDCT, ["", "67.39", "28.64", "22.50"], ["", "2.35", "0.79"], ["", "1.727", "1.079"]),
    row([100, 10000], DCT, ["9.52", "1.04", "0.46", "0.39"], ["20.85", "2.29", "0.86"], ["0.0634", "0.0407", "0.0268"]),
    row([100, 10000], IDCT, ["", "1.44", "0.51", "0.41"], ["", "2.82", "0.81"], ["", "0.0416", "0.0278"]),
    row([10000, 100], DCT, ["9.47", "1.03", "0.46", "0.48"], ["20.74", "2.26", "1.05"], ["0.0649", "0.0382", "0.0240"]),
    row([10000, 100], IDCT, ["", "1.43", "0.51", "0.49"], ["", "2.80", "0.96"], ["", "0.0387", "0.0247"]),
];

const fn row(
    shape: [usize; 2],
    transform: Transform,
    published: [&'static str; 4],
    ratios: [&'static str; 3],
    h200: [&'static str; 3],
) -> Row {
    Row { shape, transform, published, ratios, h200 }
}

/// Bytes of an array of f64 beside the milliseconds of a copy of it, in the run that measured the
/// authors' code.
const COPIES: [(usize, f64); 6] = [
    (2 << 20, 0.0037),
    (8_000_000, 0.0076),
    (8 << 20, 0.0070),
    (32 << 20, 0.0192),
    (128 << 20, 0.0663),
    (512 << 20, 0.2575),
];

const PARTS: [Part; 3] = [
    Part { title: "Milliseconds, published and today", columns: 10 },
    Part { title: "Quotients of them, as published and today", columns: 6 },
    Part { title: "The authors' code on an H200: milliseconds, multiples of a copy, and those of today", columns: 12 },
];

/// What is timed, in its order.
const NAMES: [&str; 5] = ["row-column", "three-stage", "three-stage-transposed", "FFT alone", "fused"];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let quick = |row: &&Row| !setting.quick || row.shape[0] * row.shape[1] <= QUICK_SIDE * QUICK_SIDE;
    let (mut rows, mut lines) = (vec![], vec![vec![]; NAMES.len()]);
    for row in ROWS.iter().filter(quick) {
        let (times, copy) = times(setting, row)?;
        rows.push(cells(row, &times, copy, only_for(Api::Cuda, setting).is_ok()));
        let [n1, n2] = row.shape;
        if row.transform == DCT && n1 == n2 {
            lines.iter_mut().zip(times).for_each(|(line, time)| line.push((n1 as f64, time)));
        }
    }
    Ok(Outcome::page(Page {
        title: format!("Table V: 2D DCT and IDCT, on {}", setting.engine()),
        text: vec![
            "The paper's IDCT is half a DCT-III per axis, which costs the same; its times of IDCT_IDXST stand in the text of section V-B. The FFT is the second stage of three-stage alone. \
             `transposed`: by the FFT of the transposed array (section IV-C), where one of the lengths is much the larger (the text says N₂ ≫ N₁; in its own table the FFT of 100 × 10000 is the faster one); the reorder transposes on the way, a stage after the combine transposes back. \
             Published: on a Titan Xp, with MATLAB 2019a; its column has no IDCT. The authors' code and cuFFT on one H200: f64, over arrays of 320 MB in turn so that no cache holds them. `× copy`: a time over that of a copy of the array, in the same run and memory."
                .into(),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 512x512".parse()?)?),
        ],
        columns: columns(),
        parts: PARTS.to_vec(),
        rows,
        teaches: String::new(),
        plot: Plot {
            title: "2D DCT of N × N reals".into(),
            labels: ["N".into(), "ms".into()],
            lines: NAMES.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

#[rustfmt::skip]
fn columns() -> Vec<String> {
    strings(&[
        "N₁ × N₂", "transform",
        "MATLAB, published", "row-column, published", "three-stage, published", "FFT, published",
        "row-column", "three-stage", "transposed", "FFT", "fused", "copy",
        "MATLAB/three-stage, published", "row-column/three-stage, published", "FFT/three-stage, published",
        "row-column/three-stage", "FFT/three-stage", "three-stage/fused",
        "authors' row-column", "authors' three-stage", "their cuFFT",
        "authors' row-column × copy", "authors' three-stage × copy", "their cuFFT × copy",
        "row-column × copy", "three-stage × copy", "FFT × copy", "fused × copy", "row-column/authors'", "three-stage/authors'",
    ])
}

/// Of what is timed, and of a copy.
fn times(setting: &Setting, row: &Row) -> Result<(Vec<f64>, f64)> {
    let ([n1, n2], (_, kind)) = (row.shape, row.transform);
    let problem: Problem = format!("{kind} f64 {n1}x{n2}").parse()?;
    let whole = ["row-column", "three-stage", "three-stage-transposed"].map(Job::Whole);
    let jobs: Vec<Job> = whole.into_iter().chain([Job::Stage("three-stage", 1), Job::Whole("fused")]).collect();
    setting.times(&problem, &jobs)
}

/// `on_cuda`: whether the authors' code runs where this is.
fn cells(row: &Row, times: &[f64], copy: f64, on_cuda: bool) -> Vec<String> {
    let ([n1, n2], (name, _)) = (row.shape, row.transform);
    let first = [format!("{n1} × {n2}"), name.into()];
    let quoted = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let today = times.iter().copied().chain([copy]).map(digits);
    let quotients = [times[0] / times[1], times[3] / times[1], times[1] / times[4]].map(ratio);
    let beside = beside_the_authors(row, &[times[0], times[1], times[3], times[4]].map(|time| time / copy), on_cuda);
    let cells = first.into_iter().chain(quoted(&row.published)).chain(today);
    cells.chain(quoted(&row.ratios)).chain(quotients).chain(quoted(&row.h200)).chain(beside).collect()
}

/// Multiples of a copy: the authors' row-column, three stages and cuFFT; today's row-column, three
/// stages, FFT and fused, which are given; and of the first two, today's over theirs, where both
/// run on CUDA.
fn beside_the_authors(row: &Row, today: &[f64; 4], on_cuda: bool) -> Vec<String> {
    let bytes = size_of::<f64>() * row.shape.iter().product::<usize>();
    let copy = COPIES.iter().find(|(known, _)| *known == bytes).map(|(_, ms)| *ms);
    let theirs = row.h200.map(|ms| Some(ms.parse::<f64>().ok()? / copy?));
    let quotients = [0, 1].map(|i| theirs[i].filter(|_| on_cuda).map(|theirs| today[i] / theirs));
    let cell = |x: Option<f64>| x.map(ratio).unwrap_or_default();
    theirs.into_iter().chain(today.map(Some)).chain(quotients).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_rows_have_all_columns() {
        let parts: usize = PARTS.iter().map(|part| part.columns).sum();
        assert_eq!(columns().len(), 2 + parts);
        assert!(ROWS.iter().all(|row| cells(row, &[1.0; NAMES.len()], 1.0, true).len() == columns().len()));
    }

    #[test]
    fn every_size_has_the_copy_that_goes_with_the_authors_code() {
        let beside = |row: &Row| beside_the_authors(row, &[8.0, 4.0, 3.0, 2.0], true);
        assert!(ROWS.iter().all(|row| row.h200[1].is_empty() == beside(row)[1].is_empty()));
        // 1024²: 0.0540, 0.0344 and 0.0214 ms beside a copy of 0.0070.
        assert_eq!(beside(&ROWS[3]), ["7.71", "4.91", "3.06", "8.00", "4.00", "3.00", "2.00", "1.04", "0.81"]);
        assert_eq!(beside_the_authors(&ROWS[3], &[8.0; 4], false)[7..], ["", ""]);
    }
}

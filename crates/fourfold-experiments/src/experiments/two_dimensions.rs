//! Table V: 2D DCT and IDCT by rows and columns, in three stages, and the FFT that these have; in
//! double precision as published, and in single precision.

mod figures;

use anyhow::Result;
use fourfold::timing::table::{digits, ratio};
use fourfold::{Precision, Problem};
use fourfold_gpu::Api;

use crate::experiments::two_dimensions::figures::{AuthorsCode, PUBLISHED, Published, copy_of, of_authors};
use crate::measure::{AUTHORS, QUICK_SIDE, Setting, Timed, only_for};
use crate::page::{Outcome, Page, Part};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;

/// What is timed, in its order.
const NAMES: [&str; 4] = ["row-column", "three-stage", "FFT", "fused"];

/// What follows the shape and the transform: published figures stand before those of today.
const DOUBLE: [Part; 3] = [
    Part { title: "Milliseconds, published and measured", columns: 9 },
    Part { title: "Ratios of these, and multiples of a copy", columns: 10 },
    Part { title: AUTHORS_TITLE, columns: 8 },
];

const SINGLE: [Part; 3] = [
    Part { title: "Milliseconds", columns: 5 },
    Part { title: "Ratios of these, and multiples of a copy", columns: 7 },
    Part { title: AUTHORS_TITLE, columns: 8 },
];

const AUTHORS_TITLE: &str = "The authors' code on an H200 on 21 November 2026: milliseconds and multiples of a copy";

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    run_in(setting, Precision::F64)
}

pub(crate) fn run_in_single(setting: &Setting) -> Result<Outcome> {
    run_in(setting, Precision::F32)
}

fn run_in(setting: &Setting, precision: Precision) -> Result<Outcome> {
    let quick = |row: &&Published| !setting.quick || row.shape[0] * row.shape[1] <= QUICK_SIDE * QUICK_SIDE;
    let on_cuda = only_for(Api::Cuda, setting).is_ok();
    let (mut table, mut lines, mut all) = (vec![], vec![vec![]; NAMES.len()], vec![vec![]; NAMES.len()]);
    for row in PUBLISHED.iter().filter(quick) {
        let (times, copy) = times(setting, row, precision)?;
        table.push(cells(row, &times, copy, precision, on_cuda));
        let [n1, n2] = row.shape;
        if row.name == "DCT" && n1 == n2 {
            lines.iter_mut().zip(&times).for_each(|(line, time)| line.push((n1 as f64, *time)));
        }
        all.iter_mut().zip(times).for_each(|(list, time)| list.push(time));
    }
    let (name, parts) = match precision {
        Precision::F64 => ("Table V: 2D DCT and IDCT", &DOUBLE),
        Precision::F32 => ("Table V in single precision: 2D DCT and IDCT", &SINGLE),
    };
    let title = format!("{name}, on {}", setting.engine());
    let heads = table.first().map(|row| row.iter().map(|(head, _)| (*head).to_owned()).collect()).unwrap_or_default();
    Ok(Outcome::page(Page {
        title,
        text: vec![
            text(precision),
            format!(
                "{} FFTs: {}.",
                setting.how_in(precision),
                setting.fft_library(&format!("dct2 {} 512x512", precision.name()).parse()?)?
            ),
        ],
        columns: heads,
        parts: parts.to_vec(),
        rows: table.into_iter().map(|row| row.into_iter().map(|(_, cell)| cell).collect()).collect(),
        teaches: teaches(&all),
        plot: Plot {
            title: format!("2D DCT of N × N reals in {}", precision.name()),
            labels: ["N".into(), "ms".into()],
            lines: NAMES.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

fn text(precision: Precision) -> String {
    let published = match precision {
        Precision::F64 => {
            "Published: on a Titan Xp, with MATLAB 2019a, whose column has no IDCT; the times of IDCT_IDXST stand in the text of section V-B."
        }
        Precision::F32 => {
            "The paper has no times in single precision, and says that the speed-up is similar to that in double precision."
        }
    };
    format!(
        "The paper's IDCT is half a DCT-III for each axis, which takes the same time. `FFT` is the second of the three stages alone. `fused` is fourfold's own method. {published} \
         `× copy` is a time over that of a copy of the array in the same run and memory. {AUTHORS} Its runs took turns through 320 MB of arrays, and its times are medians, where ours are the shortest."
    )
}

/// From the times of [`NAMES`].
fn teaches(all: &[Vec<f64>]) -> String {
    format!(
        "Three stages are {} as fast as rows and columns, and take {} the time of their FFT alone; fused passes are {} as fast as three stages.",
        Ratios::of(&all[0], &all[1]).times(),
        Ratios::of(&all[1], &all[2]).times(),
        Ratios::of(&all[1], &all[3]).times()
    )
}

/// Of what is timed, and of a copy.
fn times(setting: &Setting, row: &Published, precision: Precision) -> Result<(Vec<f64>, f64)> {
    let [n1, n2] = row.shape;
    let problem: Problem = format!("{} {} {n1}x{n2}", row.kind, precision.name()).parse()?;
    let jobs = [
        Timed::Whole("row-column"),
        Timed::Whole("three-stage"),
        Timed::Stage("three-stage", 1),
        Timed::Whole("fused"),
    ];
    setting.times(&problem, &jobs)
}

/// A cell below the head of its column.
type Cell = (&'static str, String);

/// `on_cuda`: whether the authors' code runs where this is.
fn cells(row: &Published, times: &[f64], copy: f64, precision: Precision, on_cuda: bool) -> Vec<Cell> {
    let [rows, stages, fft, fused] = [0, 1, 2, 3].map(|i| times[i]);
    let [n1, n2] = row.shape;
    let is_published = precision == Precision::F64;
    let quoted = |cells: &[(&'static str, &str)]| -> Vec<Cell> {
        cells.iter().filter(|_| is_published).map(|(head, cell)| (*head, (*cell).to_owned())).collect()
    };
    let [matlab, row_column, three_stage, rfft] = row.times;
    let mut all = vec![("N₁ × N₂", format!("{n1} × {n2}")), ("transform", row.name.to_owned())];
    all.extend(quoted(&[
        ("MATLAB, published", matlab),
        ("row-column, published", row_column),
        ("three-stage, published", three_stage),
        ("FFT, published", rfft),
    ]));
    all.extend(NAMES.into_iter().zip(times.iter().copied().map(digits)).chain([("copy", digits(copy))]));
    let [matlab, row_column, rfft] = row.ratios;
    all.extend(quoted(&[
        ("MATLAB/three-stage, published", matlab),
        ("row-column/three-stage, published", row_column),
        ("FFT/three-stage, published", rfft),
    ]));
    all.extend([
        ("row-column/three-stage", ratio(rows / stages)),
        ("FFT/three-stage", ratio(fft / stages)),
        ("three-stage/fused", ratio(stages / fused)),
        ("row-column × copy", ratio(rows / copy)),
        ("three-stage × copy", ratio(stages / copy)),
        ("FFT × copy", ratio(fft / copy)),
        ("fused × copy", ratio(fused / copy)),
    ]);
    all.extend(beside_the_authors(row, [rows, stages], precision, on_cuda));
    all
}

/// The authors' milliseconds and multiples of a copy; and today's milliseconds, which are given,
/// over theirs, where both ran on CUDA. Multiples are not compared: a copy of a small array takes
/// what its launch takes, which differs more between runs than what it copies.
fn beside_the_authors(row: &Published, today: [f64; 2], precision: Precision, on_cuda: bool) -> Vec<Cell> {
    let AuthorsCode { row_column, three_stage, fft } = of_authors(row, precision);
    let copy = copy_of(row.shape, precision);
    let multiple = |ms: &str| Some(ms.parse::<f64>().ok()? / copy?);
    let over = |today: f64, ms: &str| ms.parse::<f64>().ok().filter(|_| on_cuda).map(|theirs| today / theirs);
    let cell = |x: Option<f64>| x.map(ratio).unwrap_or_default();
    vec![
        ("authors' row-column, 2026-11-21", row_column.to_owned()),
        ("authors' three-stage, 2026-11-21", three_stage.to_owned()),
        ("authors' cuFFT, 2026-11-21", fft.to_owned()),
        ("authors' row-column × copy, 2026-11-21", cell(multiple(row_column))),
        ("authors' three-stage × copy, 2026-11-21", cell(multiple(three_stage))),
        ("authors' cuFFT × copy, 2026-11-21", cell(multiple(fft))),
        ("row-column/authors', 2026-11-21", cell(over(today[0], row_column))),
        ("three-stage/authors', 2026-11-21", cell(over(today[1], three_stage))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_all_columns() {
        for (parts, precision) in [(&DOUBLE, Precision::F64), (&SINGLE, Precision::F32)] {
            let columns = 2 + parts.iter().map(|part| part.columns).sum::<usize>();
            assert!(PUBLISHED.iter().all(|row| cells(row, &[1.0; 4], 1.0, precision, true).len() == columns));
        }
    }

    #[test]
    fn every_size_has_the_copy_that_goes_with_the_authors_code() {
        let texts = |cells: Vec<Cell>| cells.into_iter().map(|(_, cell)| cell).collect::<Vec<_>>();
        for precision in [Precision::F64, Precision::F32] {
            let beside = |row: &Published| texts(beside_the_authors(row, [8.0, 4.0], precision, true));
            assert!(PUBLISHED.iter().all(|row| beside(row)[1].is_empty() == beside(row)[4].is_empty()));
        }
        // 1024²: 0.0540, 0.0344 and 0.0214 ms beside a copy of 0.0070.
        let double = beside_the_authors(&PUBLISHED[3], [0.108, 0.0172], Precision::F64, true);
        assert_eq!(texts(double)[3..], ["7.71", "4.91", "3.06", "2.00", "0.50"]);
        // In f32: 0.0428, 0.0251 and 0.0143 ms beside a copy of 0.0050.
        let single = beside_the_authors(&PUBLISHED[3], [8.0, 4.0], Precision::F32, false);
        assert_eq!(texts(single)[3..], ["8.56", "5.02", "2.86", "", ""]);
    }

    #[test]
    fn the_sentence_has_the_ratios() {
        let text = teaches(&[vec![4.0, 9.0], vec![2.0, 3.0], vec![1.0, 1.5], vec![1.0, 1.0]]);
        assert!(text.starts_with("Three stages are 2.45 times (2.00 to 3.00) as fast as rows and columns"), "{text}");
    }
}

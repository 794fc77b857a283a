//! Table V: 2D DCT and IDCT by rows and columns, in three stages, and the FFT that these have; in
//! double precision as published, and in single precision.

mod figures;

use anyhow::Result;
use fourfold::timing::table::{digits, ratio};
use fourfold::{Precision, Problem};

use crate::experiments::two_dimensions::figures::{AuthorsCode, PUBLISHED, Published, copy_of, of_authors};
use crate::measure::{AUTHORS, QUICK_SIDE, Setting, Timed};
use crate::page::{Outcome, Page, Part};
use crate::plot::{Line, Plot};
use crate::ratios::{Ratios, of_methods};

/// What is timed, in its order.
const NAMES: [&str; 4] = ["row-column", "three-stage", "FFT", "fused"];

const AUTHORS_TITLE: &str =
    "The authors' code on an H200 on 21 November 2026: milliseconds, multiples of a copy, and ours over theirs";

/// The parts of a page: published figures stand before those of today, and the authors' code, which
/// runs on CUDA alone, comes last.
fn parts(precision: Precision, ours: String, beside_authors: Option<String>) -> Vec<Part> {
    let (milliseconds, columns) = match precision {
        Precision::F64 => ("Milliseconds, published and measured", [9, 10]),
        Precision::F32 => ("Milliseconds", [5, 7]),
    };
    let ours = [
        Part::begun(milliseconds, columns[0]),
        Part::new("Ratios of these, and multiples of a copy", columns[1], ours),
    ];
    ours.into_iter().chain(beside_authors.map(|teaches| Part::new(AUTHORS_TITLE, 8, teaches))).collect()
}

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    run_in(setting, Precision::F64)
}

pub(crate) fn run_in_single(setting: &Setting) -> Result<Outcome> {
    run_in(setting, Precision::F32)
}

fn run_in(setting: &Setting, precision: Precision) -> Result<Outcome> {
    let quick = |row: &&Published| !setting.quick || row.shape[0] * row.shape[1] <= QUICK_SIDE * QUICK_SIDE;
    let (mut table, mut lines, mut all) = (vec![], vec![vec![]; NAMES.len()], vec![vec![]; NAMES.len()]);
    let shown: Vec<&Published> = PUBLISHED.iter().filter(quick).collect();
    for row in &shown {
        let (times, copy) = times(setting, row, precision)?;
        table.push(cells(row, &times, copy, precision, setting.is_cuda()));
        let [n1, n2] = row.shape;
        if row.name == "DCT" && n1 == n2 {
            lines.iter_mut().zip(&times).for_each(|(line, time)| line.push((n1 as f64, *time)));
        }
        all.iter_mut().zip(times).for_each(|(list, time)| list.push(time));
    }
    let name = match precision {
        Precision::F64 => "Table V: 2D DCT and IDCT",
        Precision::F32 => "Table V in single precision: 2D DCT and IDCT",
    };
    let title = format!("{name}, on {}", setting.engine());
    let heads = table.first().map(|row| row.iter().map(|(head, _)| (*head).to_owned()).collect()).unwrap_or_default();
    Ok(Outcome::page(Page {
        title,
        text: vec![
            text(precision, setting.is_cuda()),
            format!(
                "{} FFTs: {}.",
                setting.how_in(precision),
                setting.fft_library(&format!("dct2 {} 512x512", precision.name()).parse()?)?
            ),
        ],
        columns: heads,
        parts: parts(
            precision,
            teaches(&shown, &all, precision),
            setting.is_cuda().then(|| teaches_beside_authors(&shown, &all, precision)),
        ),
        rows: table.into_iter().map(|row| row.into_iter().map(|(_, cell)| cell).collect()).collect(),
        plot: Plot {
            title: format!("2D DCT of N × N reals in {}", precision.name()),
            labels: ["N".into(), "ms".into()],
            lines: NAMES.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

fn text(precision: Precision, is_cuda: bool) -> String {
    let published = match precision {
        Precision::F64 => {
            "Published: on a Titan Xp, with MATLAB 2019a, whose column has no IDCT; the times of IDCT_IDXST stand in the text of section V-B."
        }
        Precision::F32 => {
            "The paper has no times in single precision, and says that the speed-up is similar to that in double precision."
        }
    };
    let authors = format!(
        " {AUTHORS} Its runs took turns through 320 MB of arrays, and its times are medians, where ours are the shortest."
    );
    format!(
        "The paper's IDCT is half a DCT-III for each axis, which takes the same time. `FFT` is the second of the three stages alone. `fused` is fourfold's own method. {published} \
         `× copy` is a time over that of a copy of the array in the same run and memory.{}",
        if is_cuda { &authors } else { "" }
    )
}

/// From the times of [`NAMES`], beside the published gain of three stages if there is one.
fn teaches(shown: &[&Published], all: &[Vec<f64>], precision: Precision) -> String {
    let [rows, stages, fused] = [0, 1, 3].map(|method| &*all[method]);
    if precision == Precision::F32 {
        return of_methods([rows, stages, fused]);
    }
    let published = Ratios::new(shown.iter().filter_map(|row| row.ratios[1].parse().ok()));
    format!(
        "`three-stage` is {} times as fast as `row-column` (published: {}); `fused` is {} times as fast as `three-stage`.",
        Ratios::of(rows, stages).range(),
        published.range(),
        Ratios::of(stages, fused).range()
    )
}

/// From the same times where the authors' code was measured, too.
fn teaches_beside_authors(shown: &[&Published], all: &[Vec<f64>], precision: Precision) -> String {
    let over = |ours: usize, theirs: fn(&AuthorsCode) -> &'static str| {
        let quotient =
            |(row, ms): (&&Published, &f64)| Some(ms / theirs(&of_authors(row, precision)).parse::<f64>().ok()?);
        Ratios::new(shown.iter().zip(&all[ours]).filter_map(quotient)).range()
    };
    format!(
        "Our `row-column` takes {} times the authors' time, our `three-stage` {}, and `fused` {} times their three stages'.",
        over(0, |code| code.row_column),
        over(1, |code| code.three_stage),
        over(3, |code| code.three_stage)
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

/// `is_cuda`: whether the authors' code runs where this is.
fn cells(row: &Published, times: &[f64], copy: f64, precision: Precision, is_cuda: bool) -> Vec<Cell> {
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
    if is_cuda {
        all.extend(beside_the_authors(row, [rows, stages], precision));
    }
    all
}

/// The authors' milliseconds and multiples of a copy; and today's milliseconds, which are given,
/// over theirs. Multiples are not compared: a copy of a small array takes
/// what its launch takes, which differs more between runs than what it copies.
fn beside_the_authors(row: &Published, today: [f64; 2], precision: Precision) -> Vec<Cell> {
    let AuthorsCode { row_column, three_stage, fft } = of_authors(row, precision);
    let copy = copy_of(row.shape, precision);
    let multiple = |ms: &str| Some(ms.parse::<f64>().ok()? / copy?);
    let over = |today: f64, ms: &str| ms.parse::<f64>().ok().map(|theirs| today / theirs);
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

/// All sentences, on CUDA and elsewhere, of times of [`NAMES`].
#[cfg(test)]
pub(super) fn sentences(all: &[Vec<f64>]) -> Vec<String> {
    let shown: Vec<&Published> = PUBLISHED.iter().take(all[0].len()).collect();
    let of = |precision| [teaches(&shown, all, precision), teaches_beside_authors(&shown, all, precision)];
    [Precision::F64, Precision::F32].into_iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_all_columns() {
        for (precision, is_cuda) in [Precision::F64, Precision::F32].into_iter().flat_map(|p| [(p, false), (p, true)]) {
            let parts = parts(precision, "S.".into(), is_cuda.then(|| "S.".into()));
            let columns = 2 + parts.iter().map(Part::columns).sum::<usize>();
            assert!(PUBLISHED.iter().all(|row| cells(row, &[1.0; 4], 1.0, precision, is_cuda).len() == columns));
        }
    }

    #[test]
    fn every_size_has_the_copy_that_goes_with_the_authors_code() {
        let texts = |cells: Vec<Cell>| cells.into_iter().map(|(_, cell)| cell).collect::<Vec<_>>();
        for precision in [Precision::F64, Precision::F32] {
            let beside = |row: &Published| texts(beside_the_authors(row, [8.0, 4.0], precision));
            assert!(PUBLISHED.iter().all(|row| beside(row)[1].is_empty() == beside(row)[4].is_empty()));
        }
        // 1024²: 0.0540, 0.0344 and 0.0214 ms beside a copy of 0.0070.
        let double = beside_the_authors(&PUBLISHED[3], [0.108, 0.0172], Precision::F64);
        assert_eq!(texts(double)[3..], ["7.71", "4.91", "3.06", "2.00", "0.50"]);
        // In f32: 0.0428, 0.0251 and 0.0143 ms beside a copy of 0.0050.
        let single = beside_the_authors(&PUBLISHED[3], [0.0856, 0.0502], Precision::F32);
        assert_eq!(texts(single)[3..], ["8.56", "5.02", "2.86", "2.00", "2.00"]);
    }

    #[test]
    fn the_sentence_has_the_ratios() {
        let shown: Vec<&Published> = PUBLISHED[..2].iter().collect();
        let all = [vec![0.0538, 9.0], vec![0.0374, 0.0199], vec![1.0, 1.5], vec![0.0187, 0.00995]];
        assert_eq!(
            teaches(&shown, &all, Precision::F64),
            "`three-stage` is 1.44 to 452.26 times as fast as `row-column` (published: 1.61 to 1.87); `fused` is 2.00 times as \
             fast as `three-stage`."
        );
        assert!(teaches(&shown, &all, Precision::F32).starts_with("`three-stage` is 25.5"));
        // Row-column of the IDCT is not among the authors' figures.
        assert_eq!(
            teaches_beside_authors(&shown, &all, Precision::F64),
            "Our `row-column` takes 2.00 times the authors' time, our `three-stage` 1.00 to 2.00, and `fused` 0.50 to 1.00 \
             times their three stages'."
        );
    }
}

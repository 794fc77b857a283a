//! Table V: 2D DCT and IDCT by rows and columns, in three stages, and the FFT that these have.

use anyhow::Result;
use fourfold::Problem;

use super::measure::{Job, Setting};
use super::page::{Page, digits, ratio, strings};
use super::plot::{Line, Plot};
use super::{Outcome, QUICK_SIDE};

/// A shape with what was measured of it, in milliseconds.
struct Row {
    shape: [usize; 2],
    /// On a Titan Xp, as published: MATLAB, row-column, three stages, the FFT; of the IDCT the last three.
    dct: [f64; 4],
    idct: [f64; 3],
    /// The authors' code on one H200, f64: row-column, three stages, cuFFT; of the IDCT the last two. Absent for 16 of them.
    h200: [f64; 5],
}

const ROWS: [Row; 7] = [
    Row {
        shape: [512, 512],
        dct: [2.43, 0.19, 0.12, 0.10],
        idct: [0.24, 0.13, 0.10],
        h200: [0.0269, 0.0187, 0.0120, 0.0199, 0.0112],
    },
    Row {
        shape: [1024, 1024],
        dct: [9.83, 0.66, 0.37, 0.33],
        idct: [0.88, 0.42, 0.35],
        h200: [0.0540, 0.0344, 0.0214, 0.0365, 0.0223],
    },
    Row {
        shape: [2048, 2048],
        dct: [30.62, 2.58, 1.46, 1.12],
        idct: [3.45, 1.62, 1.28],
        h200: [0.1924, 0.1047, 0.0599, 0.1060, 0.0644],
    },
    Row {
        shape: [4096, 4096],
        dct: [122.79, 12.28, 5.80, 4.44],
        idct: [15.80, 6.44, 5.04],
        h200: [0.6777, 0.3913, 0.2263, 0.3955, 0.2263],
    },
    Row {
        shape: [8192, 8192],
        dct: [525.03, 54.18, 25.78, 20.11],
        idct: [67.39, 28.64, 22.50],
        h200: [3.038, 1.720, 1.081, 1.727, 1.079],
    },
    Row {
        shape: [100, 10000],
        dct: [9.52, 1.04, 0.46, 0.39],
        idct: [1.44, 0.51, 0.41],
        h200: [0.0634, 0.0407, 0.0268, 0.0416, 0.0278],
    },
    Row {
        shape: [10000, 100],
        dct: [9.47, 1.03, 0.46, 0.48],
        idct: [1.43, 0.51, 0.49],
        h200: [0.0649, 0.0382, 0.0240, 0.0387, 0.0247],
    },
];

pub(super) fn run(setting: &Setting) -> Result<Outcome> {
    let quick = |row: &&Row| !setting.quick || row.shape[0] * row.shape[1] <= QUICK_SIDE * QUICK_SIDE;
    let (mut rows, mut lines) = (vec![], vec![vec![]; 5]);
    for row in ROWS.iter().filter(quick) {
        for kind in ["dct2", "dct3"] {
            let (cells, times) = line(setting, kind, row)?;
            rows.push(cells);
            if kind == "dct2" && row.shape[0] == row.shape[1] {
                lines.iter_mut().zip(times).for_each(|(line, time)| line.push((row.shape[0] as f64, time)));
            }
        }
    }
    let names = ["row-column", "three-stage", "three-stage-transposed", "FFT alone", "fused"];
    Ok(Outcome::Page(Page {
        title: format!("Table V: 2D DCT and IDCT, on {}", setting.engine()),
        text: vec![
            "Milliseconds. The paper's IDCT is half a DCT-III per axis, which costs the same. The FFT is the second stage of three-stage alone. \
             `transposed`: by the FFT of the transposed array (section IV-C), where one of the lengths is much the larger; the reorder transposes on the way, a stage after the combine transposes back. \
             Published: on a Titan Xp, with MATLAB 2019a; its column has no IDCT. `H200`: the authors' code and cuFFT on one H200, f64, over arrays of 320 MB in turn so that no cache holds them; today's arrays are the same in every run."
                .into(),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 512x512".parse()?)?),
        ],
        columns: strings(&[
            "N₁ × N₂", "transform", "MATLAB, published", "row-column, published", "three-stage, published", "FFT, published",
            "row-column, H200", "three-stage, H200", "FFT, H200", "row-column", "three-stage", "transposed", "FFT", "fused",
            "row-column/three-stage, published", "row-column/three-stage", "three-stage/FFT, published", "three-stage/FFT",
            "three-stage/fused",
        ]),
        rows,
        plot: Some(Plot {
            title: "2D DCT of N × N reals".into(),
            labels: ["N".into(), "ms".into()],
            lines: names.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        }),
    }))
}

/// One transform of a shape: its cells, and the times that are drawn.
fn line(setting: &Setting, kind: &str, row: &Row) -> Result<(Vec<String>, Vec<f64>)> {
    let [n1, n2] = row.shape;
    let problem: Problem = format!("{kind} f64 {n1}x{n2}").parse()?;
    let whole = ["row-column", "three-stage", "three-stage-transposed"].map(Job::Whole);
    let jobs: Vec<Job> = whole.into_iter().chain([Job::Stage("three-stage", 1), Job::Whole("fused")]).collect();
    let (times, _) = setting.times(&problem, &jobs)?;
    let ([published_rows, published_three, published_fft], matlab, h200) = match kind {
        "dct2" => ([row.dct[1], row.dct[2], row.dct[3]], digits(row.dct[0]), row.h200[..3].to_vec()),
        _ => (row.idct, String::new(), row.h200[3..].to_vec()),
    };
    let published = [published_rows, published_three, published_fft].map(digits);
    // There is no time of the row-column IDCT on the H200.
    let missing = vec![String::new(); 3 - h200.len()];
    let h200 = missing.into_iter().chain(h200.into_iter().map(digits));
    let ratios = [
        published_rows / published_three,
        times[0] / times[1],
        published_three / published_fft,
        times[1] / times[3],
        times[1] / times[4],
    ];
    let name = if kind == "dct2" { "DCT" } else { "IDCT" };
    let cells = [format!("{n1} × {n2}"), name.into(), matlab].into_iter().chain(published).chain(h200);
    let cells = cells.chain(times.iter().copied().map(digits)).chain(ratios.map(ratio)).collect();
    Ok((cells, times))
}

//! Table 3 of a course report on parallel Fourier transforms (J. Wang): sums, an FFT on the CPU, the same level by level on a GPU, and what the report did not come to.

use anyhow::Result;
use fourfold::{Precision, Problem};

use super::Outcome;
use super::measure::{Job, Setting};
use super::page::{Page, digits, ratio, strings};
use super::plot::{Line, Plot};

/// N, and the published times of sums, the FFT on the CPU, and the FFT on the GPU.
const PUBLISHED: [(usize, [f64; 3]); 4] = [
    (1024, [105.27, 1.14, 0.32]),
    (2048, [421.39, 2.50, 0.35]),
    (4096, [1681.68, 5.42, 0.38]),
    (8192, [6745.41, 11.67, 0.42]),
];

const METHODS: [&str; 4] = ["definition", "levels", "levels-in-blocks", "fused"];

pub(super) fn run(setting: &Setting) -> Result<Outcome> {
    let (mut rows, mut lines) = (vec![], vec![vec![]; METHODS.len()]);
    for (n, published) in PUBLISHED {
        // The report's forward transform has e^{+2πi/n} and no factor.
        let problem: Problem = format!("ifft f32 {n} forward").parse()?;
        let (times, _) = setting.times(&problem, &METHODS.map(Job::Whole))?;
        lines.iter_mut().zip(&times).for_each(|(line, time)| line.push((n as f64, *time)));
        let ratios =
            [published[0] / published[1], times[0] / times[1], published[1] / published[2], times[1] / times[3]];
        let cells = published.into_iter().chain(times).map(digits).chain(ratios.map(ratio));
        rows.push([n.to_string()].into_iter().chain(cells).collect());
    }
    Ok(Outcome::Page(Page {
        title: format!("Course report, Table 3: a complex Fourier transform of N points, on {}", setting.engine()),
        text: vec![
            "Milliseconds. Published, on machines that the report does not name: sums and an FFT on a CPU, the FFT on a GPU by a launch a level. Its caption says seconds; \
             N² = 2^20 terms of four sines and cosines each take about the 105.27 that it has for N = 1024 in milliseconds. \
             Today's columns are all of this engine: `definition` sums with a table of powers instead of sines and cosines; `levels` takes every level of radix 2 through memory, \
             and reverses bits last, each with a launch on a device; `levels-in-blocks` is the report's unbuilt idea: as soon as blocks of a level fit a work group (1024 points), one launch does \
             all that is left, with a barrier between levels; `fused` is ours. The sign is the report's, e^{+2πi/N}."
                .into(),
            setting.how_in(Precision::F32),
        ],
        columns: strings(&[
            "N", "sums on a CPU, published", "FFT on a CPU, published", "FFT on a GPU, published", "definition", "levels",
            "levels-in-blocks", "fused", "sums/FFT, published", "definition/levels", "CPU/GPU, published", "levels/fused",
        ]),
        rows,
        plot: Some(Plot {
            title: "Complex Fourier transform of N points".into(),
            labels: ["N".into(), "ms".into()],
            lines: METHODS.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        }),
    }))
}

//! Table 3 of a course report on parallel Fourier transforms (J. Wang): sums, an FFT on the CPU,
//! the same level by level on a GPU, and what the report did not come to.

use anyhow::Result;
use fourfold::timing::table::{digits, ratio};
use fourfold::{Precision, Problem};

use crate::measure::Setting;
use crate::page::{Outcome, Page, WHOLE, strings};
use crate::plot::{Line, Plot};

/// N, and the published times of sums, the FFT on the CPU, and the FFT on the GPU.
const PUBLISHED: [(usize, [&str; 3]); 4] = [
    (1024, ["105.27", "1.14", "0.32"]),
    (2048, ["421.39", "2.50", "0.35"]),
    (4096, ["1681.68", "5.42", "0.38"]),
    (8192, ["6745.41", "11.67", "0.42"]),
];

const METHODS: [&str; 5] = ["definition", "levels", "levels-in-blocks", "levels-in-clusters", "fused"];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let (mut rows, mut lines) = (vec![], vec![vec![]; METHODS.len()]);
    for (n, published) in PUBLISHED {
        // The report's forward transform has e^{+2πi/n} and no factor.
        let problem: Problem = format!("ifft f32 {n} forward").parse()?;
        let times = setting.times_if_any(&problem, &METHODS)?;
        for (line, time) in lines.iter_mut().zip(&times) {
            line.extend(time.map(|time| (n as f64, time)));
        }
        rows.push(cells(n, published, &times));
    }
    Ok(Outcome::page(Page {
        title: format!("Course report, Table 3: a complex Fourier transform of N points, on {}", setting.engine()),
        text: vec![
            "Milliseconds. Published, on machines that the report does not name: sums and an FFT on a CPU, the FFT on a GPU by a launch a level. Its caption says seconds; \
             N² = 2^20 terms of four sines and cosines each take about the 105.27 that it has for N = 1024 in milliseconds. \
             Today's columns are all of this engine: `definition` sums with a table of powers instead of sines and cosines; `levels` takes every level of radix 2 through memory, \
             and reverses bits last, each with a launch on a device; `levels-in-blocks` is the report's unbuilt idea: as soon as blocks of a level fit a work group (1024 points), one launch does \
             all that is left, with a barrier between levels; in `levels-in-clusters` up to eight work groups have a block of up to 8192 points together and wait for one another too, which takes NVIDIA's \
             clusters (since sm_90; the cell is empty on devices without them, and the processor has no groups to tell the two apart); `fused` is ours. The sign is the report's, e^{+2πi/N}."
                .into(),
            setting.how_in(Precision::F32),
        ],
        columns: strings(&[
            "N", "sums on a CPU, published", "FFT on a CPU, published", "FFT on a GPU, published", "definition", "levels",
            "levels-in-blocks", "levels-in-clusters", "fused", "definition/levels", "levels/fused",
        ]),
        parts: WHOLE,
        rows,
        teaches: String::new(),
        plot: Plot {
            title: "Complex Fourier transform of N points".into(),
            labels: ["N".into(), "ms".into()],
            lines: METHODS
                .into_iter()
                .zip(lines)
                .filter(|(_, points)| points.len() > 1)
                .map(|(name, points)| Line { name: name.into(), points })
                .collect(),
            bars: vec![],
        },
    }))
}

fn cells(n: usize, published: [&str; 3], times: &[Option<f64>]) -> Vec<String> {
    let quotient = |a: usize, b: usize| times[a].zip(times[b]).map(|(a, b)| ratio(a / b));
    let today = times.iter().map(|time| time.map(digits)).chain([quotient(0, 1), quotient(1, 4)]);
    let head = [n.to_string()].into_iter().chain(published.map(str::to_owned));
    head.chain(today.map(Option::unwrap_or_default)).collect()
}

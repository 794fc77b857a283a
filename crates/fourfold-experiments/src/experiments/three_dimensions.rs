//! 3D DCTs by rows and columns, in three stages, and fused (section III-D of the paper).

use anyhow::Result;

use crate::claims::Claim;
use crate::measure::{Setting, Timed, Times};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::{Ratios, of_methods};
use crate::rounding::{digits, ratio};

const SHAPES: [[usize; 3]; 5] = [[64, 64, 64], [128, 128, 128], [100, 120, 150], [256, 256, 256], [512, 512, 64]];

/// Of those, a quick run's.
const QUICK: usize = 2;

/// The names of the paper, and ours of what costs the same.
const TRANSFORMS: [(&str, &str); 2] = [("DCT", "dct2"), ("IDCT", "dct3")];

const NAMES: [&str; 4] = ["row-column", "three-stage", "FFT", "fused"];

const COLUMNS: [&str; 11] = [
    "N₁ × N₂ × N₃",
    "transform",
    "row-column",
    "three-stage",
    "FFT",
    "fused",
    "copy",
    "row-column/three-stage",
    "three-stage/fused",
    "three-stage × copy",
    "fused × copy",
];

const ABOUT: &str = "Milliseconds, in f64. The paper describes the three stages of a 3D DCT: a reorder along all axes, a 3D FFT, and a combine. A thread of the combine reads 4 complex numbers and \
     writes 8 reals. The paper does not measure them. By rows and columns, every axis takes three stages and a transpose. `FFT` is the second of the three stages alone; \
     `fused` is fourfold's own method.";

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let jobs = [
        Timed::Whole("row-column"),
        Timed::Whole("three-stage"),
        Timed::Stage("three-stage", 1),
        Timed::Whole("fused"),
    ];
    let shapes: &[[usize; 3]] = if setting.quick { &SHAPES[..QUICK] } else { &SHAPES };
    let (mut rows, mut all, mut lines) = (vec![], vec![vec![]; NAMES.len()], vec![vec![]; NAMES.len()]);
    let cases: Vec<_> = shapes.iter().flat_map(|shape| TRANSFORMS.map(|transform| (*shape, transform))).collect();
    let measured = setting.each(&cases, |([n1, n2, n3], (_, kind))| {
        setting.times(&format!("{kind} f64 {n1}x{n2}x{n3}").parse()?, &jobs)
    })?;
    for (([n1, n2, n3], (name, _)), Times { ms: times, copy, .. }) in cases.into_iter().zip(measured) {
        let quotients = [times[0] / times[1], times[1] / times[3], times[1] / copy, times[3] / copy].map(ratio);
        let head = [format!("{n1} × {n2} × {n3}"), name.to_owned()].into_iter();
        let today = times.iter().copied().chain([copy]).map(digits);
        rows.push(head.chain(today).chain(quotients).collect());
        if name == "DCT" && n1 == n2 && n2 == n3 {
            lines.iter_mut().zip(&times).for_each(|(line, ms)| line.push((n1 as f64, *ms)));
        }
        all.iter_mut().zip(times).for_each(|(list, ms)| list.push(ms));
    }
    Ok(Outcome::page(Page {
        title: format!("Section III-D: 3D DCT and IDCT, on {}", setting.engine()),
        text: vec![
            ABOUT.into(),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 64x64x64".parse()?)?),
        ],
        columns: strings(&COLUMNS),
        parts: vec![],
        claims: vec![claim(&all)],
        teaches: of_methods([0, 1, 3].map(|method| &*all[method])),
        rows,
        plot: Plot {
            title: "3D DCT of N × N × N reals".into(),
            labels: ["N".into(), "ms".into()],
            lines: NAMES.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

/// From the times of [`NAMES`].
fn claim(all: &[Vec<f64>]) -> Claim {
    let gains = Ratios::of(&all[0], &all[1]);
    Claim::timed(
        "three stages are at least as fast beside rows and columns as in 2D (implied; 1.6 times or more)",
        format!("{} as fast", gains.times()),
        gains.least() / 1.6,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn the_least_gain_decides() {
        let held = |rows: [f64; 2]| verdicts(&[claim(&[rows.to_vec(), vec![1.0, 2.0]])])[0];
        assert_eq!([[1.7, 3.3], [1.7, 3.1], [1.5, 9.0]].map(held), [true, false, false]);
    }
}

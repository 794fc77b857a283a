//! Equation 19: Amdahl's law, for the compression of an image (Algorithm 3): DCT, small
//! coefficients dropped, IDCT.

use anyhow::Result;
use fourfold::{Precision, Problem};

use crate::claims::{Claim, margin_within};
use crate::codec::{self, Part};
use crate::measure::{Setting, sides};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

const PARTS: [(&str, Part); 5] = [
    ("row-column", Part::Transforms),
    ("three-stage", Part::Transforms),
    ("three-stage", Part::Dropping),
    ("row-column", Part::Apart),
    ("three-stage", Part::Apart),
];

const SIDES: [usize; 3] = [512, 1024, 2048];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let (mut rows, mut lines, mut speed_ups, mut gains) = (vec![], [vec![], vec![]], [vec![], vec![]], vec![]);
    let sides = sides(setting, &SIDES)?;
    let all = setting.each(&sides, |side| {
        let forward: Problem = format!("dct2 f64 {side}x{side} ortho").parse()?;
        codec::times(setting, "noise", PARTS, [&forward, &forward.inverse()?], &codec::noise(side * side))
    })?;
    for (side, times) in sides.into_iter().zip(all) {
        let [old, new, dropping, whole_old, whole_new] = times;
        // By the dropping alone: the difference of two times would say more about other work on the
        // machine.
        let (p, s) = (old / (old + dropping), old / new);
        let (predicted, measured) = (1.0 / ((1.0 - p) + p / s), whole_old / whole_new);
        gains.push(s);
        speed_ups.iter_mut().zip([predicted, measured]).for_each(|(list, x)| list.push(x));
        lines.iter_mut().zip([predicted, measured]).for_each(|(line, y)| line.push((side as f64, y)));
        let cells = [side.to_string()].into_iter().chain(times.map(digits));
        rows.push(cells.chain([p, s, predicted, measured].map(ratio)).collect());
    }
    let line = |(name, points): (&str, Vec<(f64, f64)>)| Line { name: name.into(), points };
    Ok(Outcome::page(Page {
        title: format!("Equation 19: image compression by three stages instead of rows and columns, on {}", setting.engine()),
        text: vec![
            "Milliseconds of DCT → threshold → IDCT in f64, where the threshold sets small coefficients to 0. By rows and columns, p is the share of the transforms in the sum of both. s is the \
             speed-up of the transforms by three stages, and 1/((1 − p) + p/s) is the predicted speed-up of the whole. The paper has p = 1, since it fuses the threshold with the combine, and s of about 2. \
             Here the threshold is a separate trip through memory, by all threads, so that p is below 1. In the table algorithm-3 it is part of the combine. Since p is close to 1, the prediction is close to s: the equation is of use here only if it is closer to what is measured than s is."
                .into(),
            format!(
                "{} FFTs: {}.",
                setting.how_of_steps(Precision::F64, "every algorithm's transforms with those of fused passes"),
                setting.fft_library(&"dct2 f64 512x512".parse()?)?
            ),
        ],
        columns: strings(&[
            "N", "transforms, row-column", "transforms, three-stage", "threshold", "whole, row-column", "whole, three-stage", "p", "s",
            "predicted speed-up", "measured speed-up",
        ]),
        parts: vec![],
        claims: claims(&speed_ups, &gains),
        teaches: teaches(&speed_ups),
        rows,
        plot: Plot {
            title: "Speed-up of image compression".into(),
            labels: ["N".into(), "by three stages".into()],
            lines: ["predicted", "measured"].into_iter().zip(lines).map(line).collect(),
            bars: vec![],
        },
    }))
}

/// How far a prediction of the whole's speed-up may be off.
const BOUND: f64 = 0.03;

/// The mean of |ln(prediction / measured)|, about the relative error.
fn mean_error(predictions: &[f64], measured: &[f64]) -> f64 {
    predictions.iter().zip(measured).map(|(a, b)| (a / b).ln().abs()).sum::<f64>() / measured.len() as f64
}

/// From the predicted speed-ups, the measured ones, and those of the transforms alone.
fn claims([predicted, measured]: &[Vec<f64>; 2], gains: &[f64]) -> Vec<Claim> {
    let quotients = Ratios::of(predicted, measured);
    let [by_equation, by_gains] = [predicted, gains].map(|predictions| mean_error(predictions, measured));
    let speed_ups = Ratios::new(measured.iter().copied());
    // If the measured speed-ups change by this factor, both may be off as much.
    let margin = ((by_gains - by_equation) / 2.0).exp();
    vec![
        Claim::timed(
            "equation 19 predicts the speed-up of the whole (within 3 %)",
            format!("it predicts {} times the measured one", quotients.range()),
            margin_within([1.0 - BOUND, 1.0 + BOUND], [quotients.least(), quotients.most()]),
        ),
        Claim::timed(
            "its p matters: p = 1, which predicts s, is off by more (implied; the margin is the change of the measured speed-ups that makes both as much off)",
            format!("{:.1} % off in the mean, and {:.1} % with p = 1", 100.0 * by_equation, 100.0 * by_gains),
            margin,
        ),
        Claim::timed("the speed-up is about 2 (1.8 or more)", speed_ups.range(), speed_ups.least() / 1.8),
    ]
}

/// How near the equation is, by the predicted speed-ups and the measured ones.
pub(super) fn teaches([predicted, measured]: &[Vec<f64>; 2]) -> String {
    let quotients = Ratios::of(predicted, measured);
    format!(
        "Equation 19 predicts {} times the measured speed-up, which is {} (published: about 2).",
        quotients.range(),
        Ratios::new(measured.iter().copied()).range()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn the_sentence_says_how_near_the_equation_is() {
        assert_eq!(
            teaches(&[vec![1.5, 1.95], vec![1.5, 2.0]]),
            "Equation 19 predicts 0.97 to 1.00 times the measured speed-up, which is 1.50 to 2.00 (published: about 2)."
        );
    }

    #[test]
    fn predictions_are_compared_with_those_for_p_of_1() {
        let held = |predicted: f64, gain: f64| verdicts(&claims(&[vec![predicted], vec![2.0]], &[gain]));
        assert_eq!(held(1.98, 2.2), [true, true, true]);
        assert_eq!(held(1.9, 2.05), [false, false, true]);
    }
}

//! Equation 19: Amdahl's law, for the compression of an image (Algorithm 3): DCT, small coefficients dropped, IDCT.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use fourfold::Problem;
use fourfold::verify::Data;

use super::measure::{Job, Setting};
use super::page::{Page, digits, ratio, strings};
use super::plot::{Line, Plot};
use super::{Outcome, sides};
use crate::array::{random, zeros_of};
use crate::engine::Engine;
use crate::ready::Ready;

const SIDES: [usize; 3] = [512, 1024, 2048];

/// Coefficients of reals from −1 to 1, in orthonormal scale, that are dropped: about half.
const THRESHOLD: f64 = 0.4;

pub(super) fn run(setting: &Setting) -> Result<Outcome> {
    if !matches!(setting.engine(), Engine::Cpu(_)) {
        return Ok(Outcome::LeftOut(
            "devices have no pass that only drops coefficients: they drop them as they transform".into(),
        ));
    }
    let (mut rows, mut lines) = (vec![], [vec![], vec![]]);
    for side in sides(setting, &SIDES)? {
        let forward: Problem = format!("dct2 f64 {side}x{side} ortho").parse()?;
        let backward = forward.inverse()?;
        let one =
            |problem: &Problem, method| -> Result<f64> { Ok(setting.times(problem, &[Job::Whole(method)])?.0[0]) };
        let transforms = |method| -> Result<f64> { Ok(one(&forward, method)? + one(&backward, method)?) };
        let [old, new] = [transforms("row-column")?, transforms("three-stage")?];
        let [whole_old, whole_new] =
            ["row-column", "three-stage"].map(|method| compress(setting, method, [&forward, &backward]));
        let (whole_old, whole_new) = (whole_old?, whole_new?);
        let (p, s) = (old / whole_old, old / new);
        let (predicted, measured) = (1.0 / ((1.0 - p) + p / s), whole_old / whole_new);
        lines.iter_mut().zip([predicted, measured]).for_each(|(line, y)| line.push((side as f64, y)));
        let times = [old, new, whole_old, whole_new].map(digits);
        rows.push([side.to_string()].into_iter().chain(times).chain([p, s, predicted, measured].map(ratio)).collect());
    }
    let line = |(name, points): (&str, Vec<(f64, f64)>)| Line { name: name.into(), points };
    Ok(Outcome::Page(Page {
        title: format!("Equation 19: image compression by three stages instead of rows and columns, on {}", setting.engine()),
        text: vec![
            "Milliseconds. p is the share of the transforms in DCT → drop → IDCT by the row-column method, s their own speed-up, and 1/((1 − p) + p/s) what that \
             predicts of the whole. The paper has p = 1, since it fuses the dropping with the combine, and s of about 2; here it is a pass of its own, by one thread, so \
             that there is something to predict."
                .into(),
            setting.how(),
        ],
        columns: strings(&[
            "N", "transforms, row-column", "transforms, three-stage", "whole, row-column", "whole, three-stage", "p", "s",
            "predicted speed-up", "measured speed-up",
        ]),
        rows,
        plot: Some(Plot {
            title: "Speed-up of image compression".into(),
            labels: ["N".into(), "by three stages".into()],
            lines: ["predicted", "measured"].into_iter().zip(lines).map(line).collect(),
            bars: vec![],
        }),
    }))
}

/// Milliseconds of Algorithm 3: the median of warm runs.
fn compress(setting: &Setting, method: &str, [forward, backward]: [&Problem; 2]) -> Result<f64> {
    let contender = setting.by(method)?;
    let (Ready::Cpu(dct), Ready::Cpu(idct)) = (contender.plan(forward)?, contender.plan(backward)?) else {
        unreachable!("a processor's plans")
    };
    let input = random(forward.precision(), forward.input_domain(), forward.input().len)?;
    let zeros = || zeros_of(forward.precision(), forward.input_domain(), forward.input().len);
    let (Data::F64(x), Data::F64(mut a), Data::F64(mut y)) = (input, zeros()?, zeros()?) else {
        unreachable!("f64 was asked for")
    };
    let mut scratch = [dct.try_scratch()?, idct.try_scratch()?];
    let (mut times, begin) = (vec![], Instant::now());
    while times.len() < 6 || begin.elapsed() < Duration::from_secs_f64(setting.seconds()) {
        let start = Instant::now();
        dct.execute_with(black_box(&x), &mut a, &mut scratch[0])?;
        a.iter_mut().for_each(|a| *a = if a.abs() < THRESHOLD { 0.0 } else { *a });
        idct.execute_with(&a, black_box(&mut y), &mut scratch[1])?;
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    // The first run brings everything into the caches.
    let times = &mut times[1..];
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

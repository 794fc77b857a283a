//! Equation 19: Amdahl's law, for the compression of an image (Algorithm 3): DCT, small coefficients dropped, IDCT.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use fourfold::{Plan, Problem, Scratch};

use super::measure::{Job, Setting};
use super::page::{Page, digits, ratio, strings};
use super::plot::{Line, Plot};
use super::{Outcome, sides};
use crate::array::zeros;
use crate::engine::Engine;
use crate::ready::Ready;

const SIDES: [usize; 3] = [512, 1024, 2048];

/// Coefficients of reals from −1 to 1, in orthonormal scale, that are dropped: about half.
pub(super) const THRESHOLD: f64 = 0.4;

/// Runs that are timed at least.
const LEAST_RUNS: usize = 5;

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
        let times = compress(setting, ["row-column", "three-stage"], [&forward, &backward])?;
        let [[old, whole_old], [new, whole_new]] = times;
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

/// Milliseconds of the two transforms of Algorithm 3, and of all of it, by each method: of its fastest warm run, as the methods take turns.
pub(super) fn compress(
    setting: &Setting,
    methods: [&'static str; 2],
    problems: [&Problem; 2],
) -> Result<[[f64; 2]; 2]> {
    problems.iter().try_for_each(|problem| setting.check(problem, &methods.map(Job::Whole)))?;
    let mut codecs = [Codec::new(setting, methods[0], problems)?, Codec::new(setting, methods[1], problems)?];
    let (begin, long) = (Instant::now(), Duration::from_secs_f64(2.0 * setting.seconds()));
    while codecs[0].times.len() <= LEAST_RUNS || begin.elapsed() < long {
        codecs.iter_mut().try_for_each(Codec::run)?;
    }
    Ok(codecs.each_ref().map(Codec::fastest))
}

/// The two plans of a method, with arrays.
struct Codec {
    plans: [Plan; 2],
    scratch: [Scratch; 2],
    input: Vec<f64>,
    coefficients: Vec<f64>,
    output: Vec<f64>,
    /// Milliseconds of the transforms, and of all.
    times: Vec<[f64; 2]>,
}

impl Codec {
    fn new(setting: &Setting, method: &str, [forward, backward]: [&Problem; 2]) -> Result<Codec> {
        let contender = setting.by(method)?;
        let (Ready::Cpu(dct), Ready::Cpu(idct)) = (contender.plan(forward)?, contender.plan(backward)?) else {
            unreachable!("a processor's plans")
        };
        let zeros = || zeros::<f64>(forward.input().len);
        let mut rng = fastrand::Rng::with_seed(1);
        let mut input = zeros()?;
        input.iter_mut().for_each(|x| *x = 2.0 * rng.f64() - 1.0);
        let scratch = [dct.try_scratch()?, idct.try_scratch()?];
        Ok(Codec { plans: [*dct, *idct], scratch, input, coefficients: zeros()?, output: zeros()?, times: vec![] })
    }

    fn run(&mut self) -> Result<()> {
        let Codec { plans, scratch, input, coefficients, output, times } = self;
        let start = Instant::now();
        plans[0].execute_with(black_box(&*input), coefficients, &mut scratch[0])?;
        let middle = Instant::now();
        coefficients.iter_mut().for_each(|a| *a = if a.abs() < THRESHOLD { 0.0 } else { *a });
        let drop = middle.elapsed();
        plans[1].execute_with(&*coefficients, black_box(output), &mut scratch[1])?;
        let whole = start.elapsed();
        times.push([whole - drop, whole].map(|time| 1e3 * time.as_secs_f64()));
        Ok(())
    }

    /// Without the first run, which brings everything into the caches.
    fn fastest(&self) -> [f64; 2] {
        let run = self.times[1..].iter().min_by(|a, b| a[1].total_cmp(&b[1]));
        *run.expect("there are several runs")
    }
}

//! Algorithm 3 by a method: DCT, small coefficients dropped, IDCT.

use std::hint::black_box;

use anyhow::{Error, Result};
use fourfold::timing::Work;
use fourfold::{Pipeline, Plan, Planner, Problem, Scratch};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::array::zeros;
use fourfold_cli::bench_targets::{Contestant, contestant};
use fourfold_gpu::{Device, GpuArray, GpuPlan, GpuPlanner};

use crate::measure::{Job, Setting};

/// Coefficients of reals from −1 to 1, in orthonormal scale, that are dropped: about half.
const THRESHOLD: f64 = 0.4;

/// What is timed of it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Part {
    Transforms,
    Dropping,
    Whole,
}

/// Milliseconds of parts of Algorithm 3 by methods; with the transform and its inverse.
pub(crate) fn times<const N: usize>(
    setting: &Setting,
    parts: [(&'static str, Part); N],
    problems: [&Problem; 2],
) -> Result<[f64; N]> {
    let methods = parts.map(|(method, _)| Job::Whole(method));
    problems.iter().try_for_each(|problem| setting.check(problem, &methods))?;
    let works = parts.iter().map(|(method, part)| codec(setting, method.parse()?, problems, *part));
    let ms = setting.fastest(works.collect::<Result<_>>()?)?;
    Ok(std::array::from_fn(|i| ms[i]))
}

/// Ready to be timed.
fn codec(setting: &Setting, method: AlgorithmName, problems: [&Problem; 2], part: Part) -> Result<Contestant> {
    setting.contender().0.with_planner(
        |planner| contestant(Codec::new(planner, method, problems, part)?),
        |device, planner| contestant(DeviceCodec::new(device, planner, method, problems, part)?),
    )
}

/// Samples, as many as a problem takes.
fn samples(problem: &Problem) -> Result<Vec<f64>> {
    let (mut rng, mut samples) = (fastrand::Rng::with_seed(1), zeros(problem.input().len)?);
    samples.iter_mut().for_each(|x| *x = 2.0 * rng.f64() - 1.0);
    Ok(samples)
}

/// On the processor, which drops in a loop after the transform.
struct Codec {
    plans: [Plan; 2],
    scratch: [Scratch; 2],
    input: Vec<f64>,
    coefficients: Vec<f64>,
    output: Vec<f64>,
    part: Part,
}

impl Codec {
    fn new(planner: &Planner, method: AlgorithmName, problems: [&Problem; 2], part: Part) -> Result<Codec> {
        let plan = |problem: &Problem| match method.0 {
            None => planner.plan(problem),
            Some(algorithm) => planner.plan_recipe(algorithm.recipe(problem)?),
        };
        let plans = [plan(problems[0])?, plan(problems[1])?];
        let scratch = [plans[0].try_scratch()?, plans[1].try_scratch()?];
        let input = samples(problems[0])?;
        let (coefficients, output) = (zeros(input.len())?, zeros(input.len())?);
        Ok(Codec { plans, scratch, input, coefficients, output, part })
    }
}

impl Work for Codec {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Codec { plans, scratch, input, coefficients, output, part } = self;
        if *part != Part::Dropping {
            plans[0].execute_with(black_box(&**input), coefficients, &mut scratch[0])?;
        }
        if *part != Part::Transforms {
            black_box(&mut *coefficients).iter_mut().for_each(|a| *a = if a.abs() < THRESHOLD { 0.0 } else { *a });
        }
        if *part != Part::Dropping {
            plans[1].execute_with(coefficients, black_box(output), &mut scratch[1])?;
        }
        Ok(())
    }
}

/// On a device: plans in order, each from one array to the next.
struct DeviceCodec {
    plans: Vec<GpuPlan>,
    arrays: Vec<GpuArray<f64>>,
    device: Device,
}

impl DeviceCodec {
    /// The default method drops in a pass of its transform, others in a trip through memory.
    fn new(
        device: &Device,
        planner: &GpuPlanner,
        method: AlgorithmName,
        [forward, backward]: [&Problem; 2],
        part: Part,
    ) -> Result<DeviceCodec> {
        let by = |problem| planner.plan_recipe(method.recipe(problem)?);
        let dropping = |problem| planner.plan(Pipeline::from(problem).threshold(THRESHOLD));
        // Of one element along the last axis, a DCT-III changes nothing: what is left is the
        // dropping.
        let [height, width] = [0, 1].map(|axis| forward.input().shape[axis]);
        let nothing: Problem = format!("dct3 f64 {height}x{width}x1 axes=2").parse()?;
        let plans = match part {
            Part::Transforms => vec![by(forward)?, by(backward)?],
            Part::Dropping => vec![dropping(&nothing)?],
            Part::Whole if method == AlgorithmName::FUSED => vec![dropping(forward)?, by(backward)?],
            Part::Whole => vec![by(forward)?, dropping(&nothing)?, by(backward)?],
        };
        let input = samples(forward)?;
        let arrays = (0..=plans.len()).map(|_| device.upload(&input)).collect::<fourfold::Result<_>>()?;
        Ok(DeviceCodec { plans, arrays, device: device.clone() })
    }
}

impl Work for DeviceCodec {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        for (i, plan) in self.plans.iter().enumerate() {
            let (before, after) = self.arrays.split_at_mut(i + 1);
            plan.execute_on(&before[i], &mut after[0])?;
        }
        Ok(())
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(self.device.finish()?)
    }
}

//! Algorithm 3 by an algorithm: DCT, small coefficients set to 0, IDCT.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Error, Result};
use fourfold::baseline::AnyRecipe;
use fourfold::engine::Pool;
use fourfold::timing::Work;
use fourfold::{Pipeline, Plan, Planner, Problem, Scratch};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::array::zeros;
use fourfold_cli::bench_targets::{Contestant, contestant};
use fourfold_gpu::{Device, GpuArray, GpuPlan, GpuPlanner};

use crate::measure::{Setting, Timed};

/// Coefficients of a smaller magnitude are set to 0, in orthonormal scale, for samples from 0 to
/// 255: that of the MATLAB example that the paper cites.
pub(crate) const THRESHOLD: f64 = 10.0;

/// The largest sample.
pub(crate) const WHITE: f64 = 255.0;

/// What is timed of it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Part {
    Transforms,
    /// The threshold as a separate trip through memory.
    Dropping,
    /// All, with that trip.
    Apart,
    /// All, with the threshold in the last combine of the DCT.
    Within,
}

/// The results of Algorithm 3.
pub(crate) struct Compressed {
    /// After the threshold.
    pub(crate) coefficients: Vec<f64>,
    pub(crate) samples: Vec<f64>,
}

impl Part {
    /// As the record of times names it.
    fn in_words(self) -> &'static str {
        match self {
            Part::Transforms => "transforms",
            Part::Dropping => "threshold",
            Part::Apart => "whole, threshold apart",
            Part::Within => "whole",
        }
    }
}

/// Milliseconds of parts of Algorithm 3 by algorithms, on an image that has a name; with the transform
/// and its inverse.
pub(crate) fn times<const N: usize>(
    setting: &Setting,
    image: &str,
    parts: [(&'static str, Part); N],
    problems: [&Problem; 2],
    samples: &[f64],
) -> Result<[f64; N]> {
    let methods = parts.map(|(method, _)| Timed::Whole(method));
    problems.iter().try_for_each(|problem| setting.check(problem, &methods))?;
    let works = parts.iter().map(|(method, part)| -> Result<(String, Contestant)> {
        let work = setting.contender().0.with_planner(
            |planner| contestant(Codec::new(planner, setting.threads, method.parse()?, problems, *part, samples)?),
            |device, planner| contestant(DeviceCodec::new(device, planner, method.parse()?, problems, *part, samples)?),
        );
        Ok((format!("{method} ({})", part.in_words()), work?))
    });
    let ms = setting.fastest(&format!("{image}, `{}`", problems[0]), works.collect::<Result<_>>()?)?;
    Ok(std::array::from_fn(|i| ms[i]))
}

/// What an algorithm makes of samples, with the threshold in the last combine of the DCT.
pub(crate) fn compress(
    setting: &Setting,
    method: &str,
    problems: [&Problem; 2],
    samples: &[f64],
) -> Result<Compressed> {
    let method: AlgorithmName = method.parse()?;
    setting.contender().0.with_planner(
        |planner| Codec::new(planner, setting.threads, method, problems, Part::Within, samples)?.compressed(),
        |device, planner| DeviceCodec::new(device, planner, method, problems, Part::Within, samples)?.compressed(),
    )
}

/// So many random samples from 0 to 255.
pub(crate) fn noise(count: usize) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(1);
    (0..count).map(|_| WHITE * rng.f64()).collect()
}

/// The recipe of a baseline for the transform with a threshold; `None` for fused passes.
fn with_threshold(method: AlgorithmName, problem: &Problem) -> Result<Option<AnyRecipe>> {
    let recipe = method.0.map(|algorithm| algorithm.recipe(Pipeline::from(problem).threshold(THRESHOLD)));
    Ok(recipe.transpose()?.map(AnyRecipe::from))
}

/// On the processor. Fused passes have no threshold there: it follows them as a loop by all
/// threads.
struct Codec {
    plans: [Plan; 2],
    scratch: [Scratch; 2],
    /// The threads of the loop, if there is one.
    drops: Option<Pool>,
    arrays: [Vec<f64>; 3],
    part: Part,
}

impl Codec {
    fn new(
        planner: &Planner,
        threads: usize,
        method: AlgorithmName,
        [forward, backward]: [&Problem; 2],
        part: Part,
        samples: &[f64],
    ) -> Result<Codec> {
        let plan = |problem: &Problem| Ok::<_, Error>(planner.plan_recipe(method.recipe(problem)?)?);
        let within = if part == Part::Within { with_threshold(method, forward)? } else { None };
        let drops = (within.is_none() && part != Part::Transforms).then(|| Pool::new(threads));
        let drops = drops.transpose().context("cannot start threads for the threshold")?;
        let first = within.map_or_else(|| plan(forward), |recipe| Ok(planner.plan_recipe(recipe)?))?;
        let plans = [first, plan(backward)?];
        let scratch = [plans[0].try_scratch()?, plans[1].try_scratch()?];
        let arrays = [samples.to_vec(), zeros(samples.len())?, zeros(samples.len())?];
        Ok(Codec { plans, scratch, drops, arrays, part })
    }

    fn compressed(mut self) -> Result<Compressed> {
        self.run()?;
        let [_, coefficients, samples] = self.arrays;
        Ok(Compressed { coefficients, samples })
    }
}

impl Work for Codec {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Codec { plans, scratch, drops, arrays: [input, coefficients, output], part } = self;
        if *part != Part::Dropping {
            plans[0].execute_with(black_box(&**input), coefficients, &mut scratch[0])?;
        }
        if let Some(pool) = drops {
            drop_small(pool, coefficients);
        }
        if *part != Part::Dropping {
            plans[1].execute_with(coefficients, black_box(output), &mut scratch[1])?;
        }
        Ok(())
    }
}

/// Sets small coefficients to 0, by all threads.
fn drop_small(pool: &Pool, coefficients: &mut [f64]) {
    let share = coefficients.len().div_ceil(pool.threads()).max(1);
    let shares: Vec<Mutex<&mut [f64]>> = coefficients.chunks_mut(share).map(Mutex::new).collect();
    pool.run_tasks(shares.len(), &|_, i| {
        let mut share = shares[i].lock().unwrap_or_else(PoisonError::into_inner);
        share.iter_mut().for_each(|a| *a = if a.abs() < THRESHOLD { 0.0 } else { *a });
    });
}

/// On a device: plans in order, each from one array to the next.
struct DeviceCodec {
    plans: Vec<GpuPlan>,
    arrays: Vec<GpuArray<f64>>,
    device: Device,
}

impl DeviceCodec {
    fn new(
        device: &Device,
        planner: &GpuPlanner,
        method: AlgorithmName,
        [forward, backward]: [&Problem; 2],
        part: Part,
        samples: &[f64],
    ) -> Result<DeviceCodec> {
        let by = |problem| planner.plan_recipe(method.recipe(problem)?);
        let dropping = |problem| planner.plan(Pipeline::from(problem).threshold(THRESHOLD));
        // Of one element along the last axis, a DCT-III changes nothing, so that only the threshold
        // is left.
        let [height, width] = [0, 1].map(|axis| forward.input().shape[axis]);
        let nothing: Problem = format!("dct3 f64 {height}x{width}x1 axes=2").parse()?;
        let plans = match part {
            Part::Transforms => vec![by(forward)?, by(backward)?],
            Part::Dropping => vec![dropping(&nothing)?],
            Part::Apart => vec![by(forward)?, dropping(&nothing)?, by(backward)?],
            Part::Within => {
                let first = with_threshold(method, forward)?.map(|recipe| planner.plan_recipe(recipe));
                vec![first.unwrap_or_else(|| dropping(forward))?, by(backward)?]
            }
        };
        let arrays = (0..=plans.len()).map(|_| device.upload(samples)).collect::<fourfold::Result<_>>()?;
        Ok(DeviceCodec { plans, arrays, device: device.clone() })
    }

    fn compressed(mut self) -> Result<Compressed> {
        self.run()?;
        let [mut coefficients, mut samples] = [zeros(self.arrays[0].len())?, zeros(self.arrays[0].len())?];
        self.arrays[1].download(&mut coefficients)?;
        self.arrays[2].download(&mut samples)?;
        Ok(Compressed { coefficients, samples })
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

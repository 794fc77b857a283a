//! Algorithm 3: an image compressed by a DCT, dropped coefficients and an IDCT, fused and in three stages.

use anyhow::Result;
use fourfold::{Method, Problem};
use fourfold_gpu::{Device, GpuArray, GpuPlan, GpuPlanner};

use super::measure::{Job, Setting};
use super::page::{Page, digits, ratio, strings};
use super::plot::{Line, Plot};
use super::speedup::{THRESHOLD, compress};
use super::{Outcome, QUICK_SIDE};
use crate::timing::{Timed, Work};

/// Rows and columns of images.
const IMAGES: [[usize; 2]; 6] = [[512, 512], [720, 1280], [1024, 1024], [1080, 1920], [2160, 3840], [4096, 4096]];

const METHODS: [&str; 2] = ["three-stage", "fused"];

pub(super) fn run(setting: &Setting) -> Result<Outcome> {
    let quick = |image: &&[usize; 2]| !setting.quick || image[0] * image[1] <= QUICK_SIDE * QUICK_SIDE;
    let (mut rows, mut lines) = (vec![], [vec![], vec![]]);
    for &[height, width] in IMAGES.iter().filter(quick) {
        let forward: Problem = format!("dct2 f64 {height}x{width} ortho").parse()?;
        let [staged, fused] = times(setting, [&forward, &forward.inverse()?])?;
        let megapixels = (height * width) as f64 / 1e6;
        lines.iter_mut().zip([staged, fused]).for_each(|(line, ms)| line.push((megapixels, ms)));
        let cells = [staged, fused, 1e3 * megapixels / fused].map(digits);
        rows.push([format!("{height} × {width}")].into_iter().chain(cells).chain([ratio(staged / fused)]).collect());
    }
    Ok(Outcome::Page(Page {
        title: format!("Algorithm 3: image compression, on {}", setting.engine()),
        text: vec![
            "Milliseconds of DCT → drop → IDCT on one channel of an image. A device drops as the DCT's last pass writes where the method is fused, and in a trip through \
             memory of its own where it is three-stage; a processor drops in a loop of its own, by one thread, both times. The samples are random, and half of the \
             coefficients are dropped; times do not depend on either. The paper gives no times for this, but the speed-up of its transforms (table-v)."
                .into(),
            setting.how(),
        ],
        columns: strings(&["image", "three-stage", "fused", "fused, megapixels/s", "three-stage/fused"]),
        rows,
        plot: Some(Plot {
            title: "Compression of an image".into(),
            labels: ["megapixels".into(), "ms".into()],
            lines: METHODS.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        }),
    }))
}

/// Milliseconds by both methods.
fn times(setting: &Setting, problems: [&Problem; 2]) -> Result<[f64; 2]> {
    let (contender, _) = setting.contender();
    let on_device = contender.with_planner(
        |_| None,
        |device, planner| Some(METHODS.map(|method| Codec::new(device, planner, method, problems))),
    );
    let Some(codecs) = on_device else {
        return Ok(compress(setting, METHODS, problems)?.map(|[_, whole]| whole));
    };
    problems.iter().try_for_each(|problem| setting.check(problem, &METHODS.map(Job::Whole)))?;
    let works = codecs.into_iter().map(|codec| Timed::warm(codec?)).collect::<Result<Vec<_>>>()?;
    let times = setting.fastest(works)?;
    Ok([times[0], times[1]])
}

/// The plans of a method on a device, in order, each from one array to the next.
struct Codec {
    plans: Vec<GpuPlan>,
    arrays: Vec<GpuArray<f64>>,
    device: Device,
}

impl Codec {
    fn new(device: &Device, planner: &GpuPlanner, method: &str, [forward, backward]: [&Problem; 2]) -> Result<Codec> {
        let method: Method = method.parse()?;
        let shape = &forward.input().shape;
        let plans = if method == Method::ALL[0] {
            vec![planner.threshold(forward, THRESHOLD)?, planner.plan(backward)?]
        } else {
            // Of one element along the last axis, a DCT-III changes nothing: what is left is the dropping.
            let nothing: Problem = format!("dct3 f64 {}x{}x1 axes=2", shape[0], shape[1]).parse()?;
            let by = |problem| planner.plan_recipe(method.recipe(problem)?);
            vec![by(forward)?, planner.threshold(&nothing, THRESHOLD)?, by(backward)?]
        };
        let mut rng = fastrand::Rng::with_seed(1);
        let input: Vec<f64> = (0..forward.input().len).map(|_| 2.0 * rng.f64() - 1.0).collect();
        let array = |_| device.upload(&input);
        let arrays = (0..=plans.len()).map(array).collect::<fourfold::Result<_>>()?;
        Ok(Codec { plans, arrays, device: device.clone() })
    }
}

impl Work for Codec {
    fn run(&mut self) -> Result<()> {
        for (i, plan) in self.plans.iter().enumerate() {
            let (before, after) = self.arrays.split_at_mut(i + 1);
            plan.execute_on(&before[i], &mut after[0])?;
        }
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        Ok(self.device.finish()?)
    }
}

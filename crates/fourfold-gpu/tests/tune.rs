//! Plans that follow what was measured, or is said to have been.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::{present, verdict};
use fourfold::{Multiplier, Pipeline, Planner, Problem, Wisdom};
use fourfold_gpu::{Device, GpuPlanner};
use num_complex::Complex;

fn planner(device: Device) -> GpuPlanner {
    GpuPlanner::with_cache(device, fourfold_gpu::cache::Cache::standard().unwrap())
}

/// As wisdom names it.
fn engine(device: &Device) -> String {
    format!("{}:{}", device.info().id.api, device.name())
}

#[test]
fn what_is_measured_is_remembered_and_right() {
    let Some(device) = present() else { return };
    let problem: Problem = "fft f32 4".parse().unwrap();
    let planner = planner(device.clone());
    let text = planner.tune(&problem).unwrap();
    assert!(text.starts_with("complex ") && text.lines().count() == 1, "{text}");
    assert_eq!(planner.wisdom().get(&problem, &engine(&device)), Some(text));
    assert!(verdict(&planner, Planner::new().recipe(&problem).unwrap(), 1).unwrap().holds());
}

#[test]
fn wisdom_is_followed() {
    let Some(device) = present() else { return };
    let problem: Problem = "dct2 f32 24x16".parse().unwrap();
    let with = |text: &str| {
        let mut wisdom = Wisdom::new();
        wisdom.insert(&problem, &engine(&device), text).unwrap();
        planner(device.clone()).with_wisdom(wisdom)
    };
    let tuned = with("lines 2 8 tile 2 threads 32\npairs 4 3");
    assert_eq!(tuned.stale_wisdom(), []);
    assert!(verdict(&tuned, Planner::new().recipe(&problem).unwrap(), 1).unwrap().holds());
    let sources = tuned.plan(&problem).unwrap().sources();
    assert!(sources[0].contains("DFTs of 8") && sources[0].contains("DFTs of 2"), "{}", sources[0]);
    assert!(sources[1].contains("DFTs of 4") && sources[1].contains("DFTs of 3"), "{}", sources[1]);
    for (text, part) in [
        ("lines 2 8", "1 choices"),
        ("lines 2 4\nlines 24", "16"),
        ("complex 16\nlines 8 3", "lines"),
        ("rows 16", "rows"),
    ] {
        let planner = with(text);
        let [(stale, why)] = planner.stale_wisdom() else { panic!("{:?}", planner.stale_wisdom()) };
        assert!(stale == "dct2 f32 24x16" && why.to_string().contains(part), "{why}");
        assert!(planner.wisdom().is_empty() && planner.plan(&problem).is_ok());
    }
}

/// Numbers between 1/2 and 3/2.
fn factors(count: usize) -> Vec<f64> {
    (0..count).map(|i| 0.5 + (0.618 * i as f64).fract()).collect()
}

/// The greatest difference between the device's plan for a pipeline and that of a CPU.
fn difference(planner: &GpuPlanner, pipeline: &Pipeline<'_>, count: usize) -> f32 {
    let x: Vec<f32> = factors(count).into_iter().map(|x| x as f32).collect();
    let [mut here, mut there] = [vec![0.0f32; count], vec![0.0f32; count]];
    planner.plan(pipeline.borrowed()).unwrap().execute(&x, &mut here).unwrap();
    Planner::new().plan(pipeline.borrowed()).unwrap().execute(&x, &mut there).unwrap();
    here.iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn what_is_measured_of_a_pipeline_is_remembered_and_right() {
    let Some(device) = present() else { return };
    let [forward, inverse]: [Problem; 2] = ["fft f32 4", "ifft f32 4"].map(|text| text.parse().unwrap());
    let pipeline = Pipeline::from(&forward).multiply(Multiplier::Table(vec![3.0; 4])).transform(&inverse);
    let (name, tuned) = (engine(&device), planner(device.clone()));
    let text = tuned.tune(pipeline.borrowed()).unwrap();
    assert!(text.lines().count() == 2 && text.lines().all(|line| line.starts_with("complex ")), "{text}");
    let key = "fft f32 4 | multiply table | ifft f32 4";
    assert_eq!(tuned.wisdom().of_engine(&name).collect::<Vec<_>>(), [(key, text.clone())]);
    // As text, and back.
    let again = planner(device).with_wisdom(tuned.wisdom().to_string().parse().unwrap());
    assert_eq!(again.stale_wisdom(), []);
    assert_eq!(again.wisdom().get(pipeline.borrowed(), &name), Some(text));
    let plan = again.plan(pipeline.borrowed()).unwrap();
    assert_eq!(plan.sources(), tuned.plan(pipeline).unwrap().sources());
    let x = [1.0f32, -2.0, 0.5, 8.0].map(|x| Complex::new(x, 1.0));
    let mut y = x;
    plan.execute(&x, &mut y).unwrap();
    assert!(x.iter().zip(&y).all(|(x, y)| (x * 3.0 - y).norm() < 1e-5), "{y:?}");
}

/// Wisdom on a pipeline serves other factors of the same kind, and nothing else.
#[test]
fn wisdom_on_a_pipeline_is_followed_by_it_only() {
    let Some(device) = present() else { return };
    let [forward, inverse]: [Problem; 2] =
        ["dct2 f32 24x16 ortho", "idct2 f32 24x16 ortho"].map(|text| text.parse().unwrap());
    let [table, other] = [Multiplier::Table(factors(384)), Multiplier::Table(vec![1.0; 384])];
    let lists = Multiplier::Separable(vec![factors(24), factors(16)]);
    let filter = |by| Pipeline::from(&forward).multiply(by).transform(&inverse);
    let after = |by| Pipeline::from(&forward).multiply(by);
    let name = engine(&device);
    let text = format!(
        "{forward} | multiply table | {inverse}\t{name}\tlines 2 8; pairs 3 4; lines 3 8; pairs 2 4\n\
         {forward} | multiply table\t{name}\tpairs 4 3; lines 4 4\n"
    );
    let wisdom: Wisdom = text.parse().unwrap();
    let (tuned, plain) = (planner(device.clone()).with_wisdom(wisdom), planner(device));
    assert_eq!(tuned.stale_wisdom(), []);
    for (pipeline, passes) in [
        (filter(&table), &[&[2, 8][..], &[3, 4], &[3, 8], &[2, 4]][..]),
        (filter(&other), &[&[2, 8], &[3, 4], &[3, 8], &[2, 4]]),
        (after(&table), &[&[4, 3], &[4, 4]]),
    ] {
        let sources = tuned.plan(pipeline.borrowed()).unwrap().sources();
        assert_eq!(sources.len(), passes.len(), "{pipeline}");
        for (source, radices) in sources.iter().zip(passes) {
            assert!(radices.iter().all(|radix| source.contains(&format!("DFTs of {radix}"))), "{radices:?}: {source}");
        }
        assert!(difference(&tuned, &pipeline, 384) < 1e-4, "{pipeline}");
    }
    let before = Pipeline::new().multiply(&table).transform(&forward);
    for pipeline in [after(&lists), before, Pipeline::from(&forward)] {
        let sources = [&tuned, &plain].map(|planner| planner.plan(pipeline.borrowed()).unwrap().sources());
        assert_eq!(sources[0], sources[1], "{pipeline}");
    }
}

#[test]
fn wisdom_that_does_not_fit_a_pipeline_is_skipped() {
    let Some(device) = present() else { return };
    let problem: Problem = "dct2 f32 24x16".parse().unwrap();
    let pipeline = Pipeline::from(&problem).multiply(Multiplier::Table(factors(384)));
    for (text, part) in
        [("lines 2 8", "1 choices for 2 passes"), ("lines 2 4\nlines 8 3", "16"), ("rows 16\nlines 8 3", "rows")]
    {
        let mut wisdom = Wisdom::new();
        wisdom.insert(pipeline.borrowed(), &engine(&device), text).unwrap();
        let planner = planner(device.clone()).with_wisdom(wisdom);
        let [(stale, why)] = planner.stale_wisdom() else { panic!("{:?}", planner.stale_wisdom()) };
        assert!(stale == "dct2 f32 24x16 | multiply table" && why.to_string().contains(part), "{why}");
        assert!(planner.wisdom().is_empty() && planner.plan(pipeline.borrowed()).is_ok());
    }
}

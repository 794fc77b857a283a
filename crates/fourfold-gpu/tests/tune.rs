//! Plans that follow what was measured, or is said to have been.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::{present, verdict};
use fourfold::{Planner, Problem, Wisdom};
use fourfold_gpu::{Device, GpuPlanner};

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

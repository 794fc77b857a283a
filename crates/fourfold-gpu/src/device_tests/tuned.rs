//! What measuring finds on a device on which the kernels of one choice are fast: one choice of each sort.

use crate::api::planner::GpuPlanner;
use crate::attributes::DeviceAttributes;
use crate::backend::device::Device;
use crate::choose::estimate::{Choice, print};
use crate::desc::choice::{AxisFusion, NAMES, Size};
use crate::desc::kernel::Packing;
use crate::device_tests::fake::{Options, TYPICAL, device_with};
use crate::limits::Api;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use fourfold::{Planner, Problem, Wisdom};
use std::collections::HashSet;

/// Another choice for a pass.
type Change = fn(&mut Choice);

/// A problem, the number of a pass, and the choice for it that is fast.
const FAST: &[(&str, usize, Change)] = &[
    ("dct2 f32 64x96", 0, |choice| choice.radices = vec![16, 6]),
    ("dct2 f32 64x96", 1, |choice| (choice.packing, choice.radices) = (Packing::HalfLength, vec![8, 4])),
    ("dct2 f32 256x64", 1, |choice| choice.clustered = true),
    ("dct2 f32 64x96", 1, |choice| (choice.size.tile, choice.size.threads) = (Some(4), Some(32))),
    ("dct2 f32 59049", 0, |choice| choice.size.kernels = Some(2)),
    ("dct2 f32 64x30030", 0, |choice| choice.size.kernels = Some(3)),
    ("dct2 f64 100003", 0, |choice| choice.size.kernels = Some(5)),
    ("dct2 f64 100003", 0, |choice| choice.clustered = true),
    ("dct2 f32 59049", 0, |choice| choice.size = of_two(256, 128)),
    ("dct2 f32 59049", 0, |choice| choice.size = of_two(64, 256)),
    ("dct2 f32 60750", 0, |choice| choice.size.beside = Some(0)),
    ("dct2 f32 64x96", 1, |choice| choice.size.resident = Some(8)),
    ("dct2 f32 64x96", 1, |choice| choice.size.resident = Some(3)),
    ("dct2 f32 64x96", 0, |choice| choice.size.exchange = Some(1)),
    ("dct2 f32 512x40", 0, |choice| choice.size.through = Some(1)),
    ("dct2 f32 64x96", 1, |choice| choice.axis_fusion = AxisFusion::WithPrevious),
    ("dct2 f32 32x16x24", 2, |choice| choice.axis_fusion = AxisFusion::WithPass(0)),
    ("dct2 f32 16x12", 1, |choice| choice.axis_fusion = AxisFusion::None),
];

/// Of two kernels with runs of so many bytes.
fn of_two(run: usize, threads: usize) -> Size {
    Size { kernels: Some(2), run: Some(run), threads: Some(threads), ..Size::default() }
}

fn attributes() -> DeviceAttributes {
    Target::cuda("sm_90").unwrap().with_sms(4).limits().attributes.clone()
}

fn planner(device: &Device) -> GpuPlanner {
    GpuPlanner::with_cache(device.clone(), None)
}

/// The kernels of a problem with one other choice, by wisdom.
fn sources(device: &Device, problem: &Problem, choices: &[Choice]) -> Vec<String> {
    let planner = planner(device);
    let mut wisdom = Wisdom::new();
    wisdom.insert(problem, &planner.wisdom_name(), &print(choices)).unwrap();
    let planner = planner.with_wisdom(wisdom);
    assert_eq!(planner.stale_wisdom().len(), 0, "{:?}", planner.stale_wisdom());
    planner.plan(problem).unwrap().sources()
}

/// The search is by the driver's clock, so that no other program disturbs it.
#[test]
fn a_fast_choice_of_each_sort_is_found() {
    let options = Options { threads: 1024, kernel_threads: 1024, granted_bytes: 1 << 20, ..TYPICAL };
    let (mut words, mut wrong) = (HashSet::new(), vec![]);
    for (case, pass, change) in FAST {
        let (device, driver) = device_with(Api::Cuda, attributes(), options);
        let problem: Problem = case.parse().unwrap();
        let planner = planner(&device);
        let recipe = Planner::new().recipe(&problem).unwrap();
        let estimated = lower(planner.kernel_cache.limits(), &recipe, false, None, &[]).unwrap().choices();
        let mut choices = estimated.clone();
        change(&mut choices[*pass]);
        let fast = sources(&device, &problem, &choices);
        driver.speed_up(fast.clone());
        let found = planner.tune_by(&*driver, &(&problem).into()).unwrap();
        if sources(&device, &problem, &estimated) == fast || planner.plan(&problem).unwrap().sources() != fast {
            wrong.push(format!("{case}:\n{}\nbut found is\n{found}", print(&choices)));
        }
        let said = |choices: &[Choice]| print(choices).split_whitespace().map(String::from).collect::<HashSet<_>>();
        words.extend(said(&choices).difference(&said(&estimated)).cloned());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let missing = NAMES.iter().find(|(name, _)| !words.contains(*name));
    assert_eq!(missing, None, "no case has another one");
}
